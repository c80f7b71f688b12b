//! What a line says.

mod blocks;
mod exported;
mod granted;
mod quoted;
