//! Integration tests: one binary for the crate.

mod session;
mod taskmap;
mod taskmap_search;
