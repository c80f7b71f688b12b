//! Vectors that placing fills for every app. They are kept, so that later apps and plans need not allocate them.

use super::group::{Allotment, NodeGroup, NodeTake};
use crate::plan::PlacedRun;
use crate::table::names::NodeRange;
use crate::table::states::StateId;

/// Vectors that are taken when needed and given back afterwards. After an error they are made anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) groups: Vec<NodeGroup>,
    pub(crate) allotments: Vec<Allotment>,
    pub(crate) touched: Vec<NodeRange>,
    /// Used by rounds.
    pub(crate) takes: Vec<NodeTake>,
    pub(crate) caps: Vec<(u32, u64)>,
    /// Used for what an app leaves.
    pub(crate) changes: Vec<(NodeRange, StateId)>,
    pub(crate) parts: Vec<(u32, PlacedRun)>,
    /// For the runs of the present app: the vector of its runs in an earlier plan.
    pub(crate) runs: Vec<PlacedRun>,
}

/// Takes a kept vector and empties it.
pub(crate) fn emptied<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut vector = std::mem::take(kept);
    vector.clear();
    vector
}
