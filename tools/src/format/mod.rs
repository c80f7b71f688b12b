//! One plan in, one text out.

// Numbers as digits, quickly.
mod digits;
// Node names along a walk.
mod node_names;
// A plan for the tests of the formats.
#[cfg(test)]
mod sample;
// What is slow, told while it goes on.
pub mod watch;
// A line per rank.
pub mod tsv;
// An object per rank.
pub mod ndjson;
// The columns that were asked for.
pub mod columns;
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
// What a job and its apps carry.
pub mod attributes;
// A page for people.
pub mod text;

use stowplan_answers::{policy, spread};
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::bytes::Remark;
use stowplan_job::sources::Sources;

pub use stowplan_answers::hosts;

/// A plan, and what the formats say beside it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Where every process is.
    pub plan: &'a Plan,
    /// Where each topology came from.
    pub sources: &'a Sources,
    /// What is worth knowing.
    pub notes: &'a [Remark],
}
