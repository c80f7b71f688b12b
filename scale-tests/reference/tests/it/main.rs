//! Integration tests: one binary for the crate.

mod cpus;
mod topologies;
