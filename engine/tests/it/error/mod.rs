//! Errors, their classes, and notes.

mod class;
mod fold;
