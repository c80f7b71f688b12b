//! Integration tests: one binary for the crate.

mod corpus;
mod examples;
mod session;
mod taskmap;
mod topo;
