//! Integration tests, one binary for the crate: random events on sessions and on a model of plain sets; crashes; every combination
//! of attributes.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

// The model: a direct implementation of reservations.md.
mod model;
mod model_asks;
mod model_ends;
mod model_grants;
// Random events; most of them make sense.
mod generate;
// Both state machines described in the same words.
mod picture;
// The tests.
mod attributes;
mod crash;
mod journal;
mod random;
mod rebuild;
mod spans;
// One file of the library each.
mod dump_sets;
mod id_set;
mod name;
mod status;
