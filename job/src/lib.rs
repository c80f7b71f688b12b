//! From the words of a job to its plan: command lines and JSON requests are read, topologies are put together to a machine,
//! the engine places.
//!
//! An inner part of stowplan: nothing here is promised to stay. Launchers use the crate `stowplan`.
//!
//! It opens no file and reads no environment: what the words name outside of them comes through [`outside::Outside`].
//! ```
//! use stowplan_job::args::map_args;
//! use stowplan_job::outside::FilesAlone;
//! use stowplan_job::place::place;
//! use stowplan_engine::stage::resolve::NoFiles;
//!
//! let words = ["--topo", "package:2 core:4 pu:1", "-H", "a:8,b:8", "-n", "3", "--map-by", "node", "./ocean"];
//! let asked = map_args(&words.map(str::to_owned))?;
//! let placement = place(asked, &FilesAlone(&NoFiles))?;
//! assert_eq!(placement.mapped.plan.ranks(), 3);
//! # Ok::<(), stowplan_job::error::JobError>(())
//! ```

// What options mean.
pub mod meaning;
// Columns of rows.
pub mod columns;
// The options of the command line, as one table.
pub mod options;
// argv -> what it says.
pub mod args;
// A command line cut into apps and options, so that one may be changed.
pub mod words;
// JSON read in place, with positions.
pub mod json;
// A spawn request in JSON -> what it says.
pub mod request;
// What a refusal says, as data.
pub mod error;
// Where topologies came from.
pub mod sources;
// What the words name outside of them.
pub mod outside;
// Nodes that an option names.
pub mod named_nodes;
// Topologies and their nodes; devices that are stated.
mod devices;
mod rows;
// Topologies and what else is known of the nodes.
pub mod machine;
// The ranks of a job in an order of their own.
mod rank_order;
// The job of a task map.
mod sequence;
// Files that were given with a job.
pub mod files;
// A job on a machine.
pub mod place;
// A job that is still being described.
pub mod draft;
// A job in bytes.
mod bytes;
