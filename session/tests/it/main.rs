//! Integration tests, one binary for the crate: sessions against a model of plain sets, on random events; crashes; every
//! combination of attributes.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

// The model: what a reader of reservations.md would write first.
mod model;
mod model_asks;
mod model_ends;
mod model_grants;
// Random events that mostly make sense.
mod generate;
// Both state machines in the same words.
mod picture;
// The tests.
mod attributes;
mod crash;
mod journal;
mod random;
mod rebuild;
mod spans;
