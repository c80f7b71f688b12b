//! Flux.

mod deal;
mod resources;
mod sets;
