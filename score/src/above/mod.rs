//! What leaves the objects of a network above the nodes: switches, groups, tori.

// The objects that a job uses.
pub(crate) mod objects;
// Edges between objects.
pub(crate) mod crossing;
// Sums over objects and pairs of them.
pub(crate) mod sums;
// What leaves one level.
mod level_figures;
// Links between switches.
mod hops;
// All figures.
mod figures;

pub use figures::Above;
pub(crate) use figures::Counter;
pub use hops::Hops;
pub use level_figures::LevelFigures;
