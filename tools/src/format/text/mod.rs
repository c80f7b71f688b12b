//! A page for people, of a job of any size.
//!
//! `page.rs` lays it out. Up to 32 ranks have a line each (`listing.rs`). Beyond that the page has at most 24 lines, and its rows are
//! shapes of nodes (`shapes.rs`, `table.rs`), never nodes.

// What each app asked for.
mod apps;
// Which GPUs processes are given.
mod gpus;
// Where threads go.
mod threads;
// The thread of each core.
mod unit_threads;
// How many cores processes have.
mod bound;
// A line per rank, for small jobs.
mod listing;
// Topologies and their sources.
mod machines;
// Objects of a network.
mod network;
// The ranks and cpus of the nodes of a shape.
mod placement;
// Rows of numbers as runs.
#[doc(hidden)]
pub mod series;
// Nodes that look the same.
mod shapes;
// One character per core.
#[doc(hidden)]
pub mod strip;
// A row per shape.
mod table;
// The shapes that a page shows.
mod shown;
// Strips, their legend and owners.
mod pictures;
// The page as a whole.
mod page;

pub use machines::{machines, sources};
pub use page::{write, write_some};
