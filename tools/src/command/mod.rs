//! Subcommands: one file each.

pub mod session;
pub mod taskmap;
pub mod topo;
