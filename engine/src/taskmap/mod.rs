//! Task maps: on which node each task of a job runs, as RFC 34 blocks. The map of a plan is made in `plan/task_map.rs`.
//!
//! A [`TaskMap`] holds Flux's encoding of the map (taskmap "The one encoding of a map") as columns. That encoding is a function of the map.
//! So two maps that place every task on the same node are equal values, however they were written. Questions are answered by a search over
//! prefix sums. Nothing here takes time or memory per task, node or repeat, unless the answer itself is that long.
//!
//! ```
//! use stowplan_engine::count::Rank;
//! use stowplan_engine::taskmap::{Encoder, Form, JobNode, Limits, TaskMap};
//! let map = TaskMap::read(b"0,2;1,3")?;
//! assert_eq!(map, TaskMap::read(b"{\"version\":1,\"map\":[[0,2,1,2]]}")?);
//! assert_eq!(map.node_of(Rank(3))?, JobNode(1));
//! assert_eq!(map.text(Form::Pmi, Encoder::Best, Limits::default())?.to_string(), "(vector,(0,2,1),(0,2,1))");
//! assert_eq!(TaskMap::read(b"0;0").unwrap_err().class(), "taskmap-overlap");
//! # Ok::<(), stowplan_engine::taskmap::TaskMapError>(())
//! ```

// Why a map is refused.
mod error;
// Blocks as columns.
mod blocks;
// Pieces in task order -> Flux's encoding.
mod append;
// Text -> map: a place in it, JSON, and all forms.
mod cursor;
mod json;
mod parse;
// Fewest blocks: the costs of ways through the runs.
mod ways;
// Fewest blocks: one pass over the runs.
mod ramps;
// Fewest blocks: which runs need not be walked.
mod shorten;
// Map -> text.
mod forms;
// Host lists of RFC 29.
mod hostlist;
// Another map of the same job.
mod scheme;
// A map.
mod map;

pub use append::Appender;
pub use blocks::{Block, Blocks, JobNode};
pub use error::{Field, FoundText, MapPlace, TaskMapError};
pub use forms::{ENCODER_WORDS, Encoder, FORM_WORDS, Form, Limits, MapText};
pub use hostlist::HostNames;
pub use map::{NodeStretch, TaskMap, TaskRanges};
pub use scheme::Scheme;
