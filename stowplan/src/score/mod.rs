//! Which placement is good for a code: how much traffic of a communication pattern leaves each node, package or cache, and
//! with which orders of ranks less of it leaves.
//!
//! An internal part of stowplan: nothing in it is promised to stay as it is. Launchers use what the front page of the crate leads to.
//!
//! A named pattern is counted without a graph: its edges are pairs of ranks at fixed strides, counted over columns of object
//! numbers. A matrix is streamed.
//! ```
//! use stowplan_engine::stage::resolve::NoFiles;
//! use stowplan::job::args::map_args;
//! use stowplan::job::outside::FilesAlone;
//! use stowplan::job::place::place;
//! use stowplan::score::pattern::Part;
//! use stowplan::score::figures::{NoMatrices, score};
//!
//! let words = ["--topo", "core:4 pu:1", "-H", "n[0-3]:4", "-n", "16", "--map-by", "slot"];
//! let plan = place(map_args(&words.map(str::to_owned))?, &FilesAlone(&NoFiles))?.mapped.plan;
//! let score = score(&plan, &[Part::read("halo:4x4")?], &NoMatrices)?;
//! assert_eq!(score.levels[0].leave.to_string(), "24");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Every bound.
pub mod limit;
// Errors.
pub mod error;
// Sums of weights.
pub mod weight;
// Who talks to whom.
pub mod pattern;
// Who talks to whom, as all counts see it.
mod talks;
// A matrix file, line by line.
pub mod matrix;
// Levels of the machine.
pub mod level;
// Where processes are, as stretches of equal nodes.
mod places;
// Numbers for the objects of a level.
mod numbers;
// The object of every rank.
mod column;
// Members of groups of ranks.
mod members;
// Edges between objects.
mod crossing;
// Sums over objects and pairs of them.
mod sums;
// Networks above the node.
pub mod network;
// What leaves the objects of a network.
pub mod above;
// What leaves the objects of all levels.
mod leaving;
// A plan and its patterns -> figures.
pub mod figures;
// The nodes of a job below the objects of its network.
pub mod tree;
// Which rank each place gets.
pub mod order;
// Which placement is good.
pub mod advise;
