//! Vectors that the stages fill for every app: kept, so that another app, or another plan, allocates none of them anew.

use super::choose::Choice;
use super::facts::Facts;
use super::lots::Lot;
use super::named::Claim;
use super::pattern::Layout;
use super::progress::{Done, LaidId, Pass, PassId, Progress, ProgressId};
use super::select::Pick;
use super::split::Share;
use super::steps::{Fresh, Outcome, Step};
use crate::id::Column;
use crate::plan::{Derived, PlacedRun};
use crate::table::names::NodeRange;
use crate::table::states::{StateId, StateRuns};
use crate::table::topologies::TopologyId;

/// What is taken at the beginning of a stage, emptied, and given back at its end. What an error keeps is made anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare {
    /// Selecting.
    pub(super) parts: Vec<(NodeRange, Option<Claim>, StateId)>,
    pub(super) picks: Vec<Pick>,
    /// An app's lots.
    pub(super) lots: Vec<Lot>,
    pub(super) progress: Column<ProgressId, Progress>,
    pub(super) passes: Column<PassId, Pass>,
    pub(super) done: Column<LaidId, Done>,
    pub(super) facts: Vec<Option<Facts>>,
    pub(super) touched: Vec<NodeRange>,
    /// The progress of nodes of which nothing is placed, while lots are made. Shape `[states]`; nothing behind that.
    pub(super) roots: Vec<Option<ProgressId>>,
    pub(super) topologies: Vec<TopologyId>,
    pub(super) unknown: Vec<ProgressId>,
    /// Counting.
    pub(super) counts: Vec<(usize, Layout, u32)>,
    pub(super) choices: Vec<Choice>,
    pub(super) shares: Vec<Share>,
    pub(super) caps: Vec<(u32, u64)>,
    /// Working steps out.
    pub(super) order: Vec<(Step, u32)>,
    pub(super) steps: Vec<Step>,
    pub(super) step_of: Vec<u32>,
    pub(super) remembered: Vec<Option<ProgressId>>,
    pub(super) fresh: Vec<Fresh>,
    pub(super) outcomes: Vec<Outcome>,
    /// Leaving. Shape of `seen`: `[progress]`.
    pub(super) ended: Vec<ProgressId>,
    pub(super) seen: Vec<bool>,
    pub(super) places: Vec<(u32, PlacedRun)>,
    pub(super) changes: Vec<(NodeRange, StateId)>,
    pub(super) states: StateRuns,
    /// Runs of apps that were placed before, the last app's first.
    pub(super) placed: Vec<Vec<PlacedRun>>,
    /// What a plan that was taken back had found.
    pub(super) before: StateRuns,
    /// What it derived from its patterns.
    pub(super) derived: Derived,
}

/// A vector to fill: the one kept, emptied.
pub(super) fn emptied<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut vector = std::mem::take(kept);
    vector.clear();
    vector
}
