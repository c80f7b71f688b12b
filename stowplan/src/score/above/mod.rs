//! What leaves the objects of a network above the nodes: switches, groups, tori.

// The figures of a network and of its levels.
mod figures;
// The objects that a job uses.
pub(crate) mod objects;
// Links between switches.
pub(crate) mod hops;

pub use figures::{Above, Hops, LevelFigures};
