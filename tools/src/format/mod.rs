//! Each format turns one plan into one text.

// Fast conversion of numbers to digits.
#[doc(hidden)]
pub mod digits;
// Node names for a walk over nodes.
mod node_names;
// Progress of slow outputs.
pub mod watch;
// A line per rank.
pub mod tsv;
// The columns that the user asked for.
pub mod columns;
// The cells of threads.
pub mod thread_cells;
// Classes and runs, for programs.
pub mod json;
// Which core and package a PU belongs to.
mod sites;
// The layout of prterun's `--display map`.
pub mod prterun;
// Which node each rank is on.
pub mod taskmap;
// What a screen can show.
pub mod screen;
// The attributes of a job and its apps.
pub mod attributes;
// A page for people.
pub mod text;

use stowplan::answers::{policy, spread};
use stowplan::job::sources::Sources;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::bytes::Remark;

pub use stowplan::answers::hosts;

/// A plan, and what the formats say about it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The places of all processes.
    pub plan: &'a Plan,
    /// The source of each topology.
    pub sources: &'a Sources,
    /// The notes.
    pub notes: &'a [Remark],
}
