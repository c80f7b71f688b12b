//! Subcommands: one file each.

pub mod check;
pub mod map;
pub mod pages;
pub mod score;
pub mod session;
pub mod show;
pub mod spawn;
pub mod taskmap;
pub mod topo;
pub mod words;
