//! What leaves the objects of a network above the nodes: switches, groups, tori.

// The objects that a job uses.
pub(crate) mod objects;
// Edges between objects.
pub(crate) mod crossing;
// Sums over objects and pairs of them.
pub(crate) mod sums;
// Links between switches.
mod hops;
// All figures.
mod figures;

pub(crate) use figures::Counter;
pub use figures::{Above, LevelFigures};
pub use hops::Hops;
