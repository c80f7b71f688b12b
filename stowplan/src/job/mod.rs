//! From the words of a job to its plan: this module reads command lines and JSON requests, puts topologies together into a machine,
//! and has the engine place the job.
//!
//! An internal part of stowplan: its API is not promised. Launchers use what the front page of the crate leads to.
//!
//! It opens no file and reads no environment: everything that the words refer to comes through [`outside::Outside`].
//! ```
//! use stowplan::job::args::map_args;
//! use stowplan::job::outside::FilesAlone;
//! use stowplan::job::place::place;
//! use stowplan_engine::stage::resolve::NoFiles;
//!
//! let words = ["--topo", "package:2 core:4 pu:1", "-H", "a:8,b:8", "-n", "3", "--map-by", "node", "./ocean"];
//! let asked = map_args(&words.map(str::to_owned))?;
//! let placement = place(asked, &FilesAlone(&NoFiles))?;
//! assert_eq!(placement.mapped.plan.ranks(), 3);
//! # Ok::<(), stowplan::job::error::JobError>(())
//! ```

// Classes of notes.
pub mod note_classes;
// What options mean.
pub mod meaning;
// The columns to show.
pub mod columns;
// The options of the command line, as one table.
pub mod options;
// Parameters of the launcher that place.
pub mod parameters;
// The program of an app.
pub mod program;
// argv -> a request and the options of the job.
pub mod args;
// A command line cut into apps and options, so that an option can be changed.
pub mod words;
// JSON read in place, with positions.
pub mod json;
// Spawn requests in JSON.
pub mod request;
// Refusals, as data.
pub mod error;
// What the words refer to: files and the like.
pub mod outside;
// A job in our own words, with a launcher's word or without.
pub mod our_words;
// A file that is only text: an allocation, the nodes of the simulator.
mod one_more_file;
// Nodes that an option names.
pub mod named_nodes;
// Topologies and their nodes; devices that are stated.
mod devices;
// Options that say something of nodes, or of the order of nodes and ranks.
mod beyond;
// The hardware of nodes.
pub mod hardware;
mod node_topologies;
// Topologies and everything else that is known about the nodes.
pub mod machine;
// Ranks in another order.
mod rank_order;
// The sequence of a task map.
mod sequence;
// Files that were given with a job.
pub mod files;
// A launcher's own line.
pub mod line;
// What batch systems say of a job.
mod batch;
// A batch script in place of a line.
pub mod script;
// Where topologies came from.
pub mod sources;
// The network that a job names.
pub mod network;
// What parameters change in a job.
mod apply_parameters;
// Hosts that were granted.
pub mod granted;
// What a job says about threads.
pub mod thread_words;
// A job on a machine.
pub mod place;
// Which policy, and whose.
mod whose;
// What a job was made of.
pub mod typed;
// A job that is still being described.
pub mod draft;
// A job in bytes.
mod bytes;
