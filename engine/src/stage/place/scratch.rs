//! Vectors that placing fills for every app: kept, so that another app, or another plan, allocates none of them anew.

use super::group::{Allotment, Limit, NodeGroup};
use crate::plan::PlacedRun;
use crate::table::names::NodeRange;
use crate::table::states::StateId;

/// What is taken when it is needed and given back behind that. What an error keeps is made anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) groups: Vec<NodeGroup>,
    pub(crate) allotments: Vec<Allotment>,
    pub(crate) touched: Vec<NodeRange>,
    /// Of rounds.
    pub(crate) limits: Vec<Limit>,
    pub(crate) caps: Vec<(u32, u64)>,
    /// Of what an app leaves.
    pub(crate) changes: Vec<(NodeRange, StateId)>,
    pub(crate) parts: Vec<(u32, PlacedRun)>,
    /// For the runs of the app at hand: those that it had in an earlier plan.
    pub(crate) runs: Vec<PlacedRun>,
}

/// A vector to fill: the one kept, emptied.
pub(crate) fn emptied<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut vector = std::mem::take(kept);
    vector.clear();
    vector
}
