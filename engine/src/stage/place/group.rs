//! Groups: neighbouring nodes that fare alike while an app is placed, and what is given to them.

use super::memo::{Step, TrialId};
use crate::stage::node::layout::Layout;
use crate::table::names::NodeRange;

/// Neighbouring nodes that fare alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeGroup {
    pub(crate) nodes: NodeRange,
    /// Slots the app may take on each, and processes of it that each may hold under max_slots.
    pub(crate) slots: u32,
    pub(crate) most: u32,
    /// Processes of the app that each was given.
    pub(crate) placed: u32,
    /// How far they have come with those that are laid.
    pub(crate) trial: TrialId,
    /// Whether they still take part when what is too much is shared out: until they are found at max_slots.
    pub(crate) open: bool,
}

impl NodeGroup {
    /// Slots the app may still take on each.
    pub(crate) const fn avail(&self) -> u32 {
        self.slots.saturating_sub(self.placed)
    }

    /// Processes each may still hold under max_slots.
    pub(crate) const fn room(&self) -> u32 {
        self.most.saturating_sub(self.placed)
    }
}

/// So many processes for each node of a group, not yet laid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allotment {
    pub(crate) trial: TrialId,
    /// `longest` is known once all are allotted.
    pub(crate) step: Step,
    /// Row of the group.
    pub(crate) group: usize,
}

/// How each node of a group takes processes in one pass: in which layout, and how many at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
}
