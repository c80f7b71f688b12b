//! The tables that describe nodes, hardware and apps: one file, one table.

// Finds equal rows again.
pub(crate) mod interner;
pub use interner::Distinct;
// The forms of names.
mod name_forms;
// Stretches of neighbouring nodes.
mod stretches;
// What was written of names beyond what is compared.
mod written_names;
// Node names, as ranges.
pub mod names;
// Nodes that come to the front or leave.
mod moved_names;
// Names that are compared whole, as several share a first label.
pub(crate) mod full_names;
// Sets of nodes as intervals, and the order of nodes.
pub(crate) mod intervals;
// OS cpu sets, interned.
pub mod cpusets;
// Sets of logical PUs, interned.
pub mod pusets;
// GPUs beside the tree of a topology.
pub mod gpus;
// Who made the cpus.
pub mod vendor;
// A topology before the tables take it.
pub mod draft;
// Distinct topologies and their objects.
pub mod topologies;
// GPUs in the order of their addresses, some for each process.
pub mod device_order;
// What of a node lies outside the objects of a kind.
pub mod uncovered;
// Node states, and which node is in which.
pub mod states;
// What the user wrote out: sequences, rankfiles, affinity files.
pub mod listings;
// What a caller knows about the nodes.
pub(crate) mod machine;
// Where each word of an app came from.
pub mod origins;
// Resolved apps, every default decided.
pub mod apps;
// Object and cpus of each process of an app on a node.
pub mod patterns;
// The number of an app.
pub mod app_id;
// What a job says about threads.
pub mod thread_words;

#[doc(hidden)]
pub mod inside {
    //! For the tests in `engine/tests/it/` alone, which are another crate: nothing else names these.

    pub use crate::table::full_names::SharedLabels;
    pub use crate::table::interner::{Guess, Interner, KeyRows};
    pub use crate::table::intervals::{Intervals, NodeOrder, add_up};
    pub use crate::table::names::is_canonical;
    pub use crate::table::written_names::WrittenNames;
}
