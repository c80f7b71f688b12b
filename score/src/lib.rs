//! Which placement is good for a code: what leaves each node, package or cache for a communication pattern, and orders of
//! ranks that lose less.
//!
//! An inner part of stowplan: nothing here is promised to stay. Launchers use the crate `stowplan`.
//!
//! A named pattern is never made a graph: its edges are pairs of ranks at fixed strides, counted over columns of object
//! numbers. A matrix streams.
//! ```
//! use stowplan_engine::stage::resolve::NoFiles;
//! use stowplan_job::args::map_args;
//! use stowplan_job::outside::FilesAlone;
//! use stowplan_job::place::place;
//! use stowplan_score::pattern::Part;
//! use stowplan_score::score::{NoMatrices, score};
//!
//! let words = ["--topo", "core:4 pu:1", "-H", "n[0-3]:4", "-n", "16", "--map-by", "slot"];
//! let plan = place(map_args(&words.map(str::to_owned))?, &FilesAlone(&NoFiles))?.mapped.plan;
//! let score = score(&plan, &[Part::read("halo:4x4")?], &NoMatrices)?;
//! assert_eq!(score.levels[0].leave.to_string(), "24");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Every bound.
pub mod limit;
// What is refused.
pub mod error;
// Sums of weights.
pub mod weight;
// Who talks to whom.
pub mod pattern;
// A matrix file, line by line.
pub mod matrix;
// Levels of the machine.
pub mod level;
// Where processes are, as stretches of equal nodes.
mod places;
// Numbers for the objects of a level.
mod numbers;
// Memory that is filled again.
mod memory;
// The object of every rank.
mod column;
// Edges that leave, summed over objects.
mod count;
// Regular jobs: counted on a smaller one.
mod regular;
// Entries of a matrix, as they are read.
mod streamed;
// A plan and its patterns -> figures.
pub mod score;
// Which rank each place gets.
pub mod order;
// Which placement is good.
pub mod advise;
