//! Vectors that the stages fill for every app: kept, so that another app, or another plan, allocates none of them anew.

use super::share::RunShare;
use super::trial::{
    Allotment, DraftId, Limit, NodeGroup, PassId, Step, StepOutcome, Trial, TrialDraft, TrialId,
    TrialPass, UnknownStep,
};
use crate::id::Column;
use crate::plan::{Derived, PlacedRun};
use crate::stage::node::capacity::Capacity;
use crate::table::names::NodeRange;
use crate::table::states::{StateId, StateRuns};
use crate::table::topologies::TopologyId;

/// What is taken at the beginning of a stage, emptied, and given back at its end. What an error keeps is made anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// An app's groups.
    pub(crate) groups: Vec<NodeGroup>,
    pub(crate) trial: Column<TrialId, Trial>,
    pub(crate) passes: Column<PassId, TrialPass>,
    pub(crate) drafts: Column<DraftId, TrialDraft>,
    pub(crate) capacity: Vec<Option<Capacity>>,
    pub(crate) touched: Vec<NodeRange>,
    /// The trial of nodes of which nothing is placed, while groups are made. Shape `[states]`; nothing behind that.
    pub(crate) roots: Vec<Option<TrialId>>,
    pub(crate) topologies: Vec<TopologyId>,
    pub(crate) unknown: Vec<TrialId>,
    /// Counting.
    pub(crate) allotments: Vec<Allotment>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) shares: Vec<RunShare>,
    pub(crate) caps: Vec<(u32, u64)>,
    /// Working steps out.
    pub(crate) order: Vec<(Step, u32)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) step_of: Vec<u32>,
    pub(crate) remembered: Vec<Option<TrialId>>,
    pub(crate) fresh: Vec<UnknownStep>,
    pub(crate) outcomes: Vec<StepOutcome>,
    /// Leaving. Shape of `seen`: `[trial]`.
    pub(crate) ended: Vec<TrialId>,
    pub(crate) seen: Vec<bool>,
    pub(crate) places: Vec<(u32, PlacedRun)>,
    pub(crate) changes: Vec<(NodeRange, StateId)>,
    /// Runs of apps that were placed before, the last app's first.
    pub(crate) placed: Vec<Vec<PlacedRun>>,
    /// What a plan that was taken back had found.
    pub(crate) before: StateRuns,
    /// What it derived from its patterns.
    pub(crate) derived: Derived,
}

impl Scratch {
    /// A vector for so many placed runs of an app: the one that it filled before.
    pub(crate) fn room_for_runs(&mut self, runs: usize) -> Vec<PlacedRun> {
        let mut room = self.placed.pop().unwrap_or_default();
        room.clear();
        room.reserve(runs);
        room
    }
}
