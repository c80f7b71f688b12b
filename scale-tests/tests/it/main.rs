//! Integration tests: one binary for the crate.

mod corpus;
mod examples;
mod taskmap;
mod topo;
