//! Subcommands: one file each.

pub mod taskmap;
pub mod topo;
