//! Subcommands: one file each.

pub mod topo;
