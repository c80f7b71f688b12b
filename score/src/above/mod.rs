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
mod leaving;

pub use hops::Hops;
pub use leaving::Above;
pub(crate) use leaving::Counter;
pub use level_figures::LevelFigures;
