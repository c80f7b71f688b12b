//! Groups: neighbouring nodes that are treated alike while an app is placed, and what they get.

use super::memo::{Step, TrialId};
use crate::stage::node::layout::Layout;
use crate::table::names::NodeRange;

/// Neighbouring nodes that are treated alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeGroup {
    pub(crate) nodes: NodeRange,
    /// Slots that the app may take on each node, and processes of the app that each may hold under max_slots.
    pub(crate) slots: u32,
    pub(crate) most: u32,
    /// Processes of the app that each node was given.
    pub(crate) placed: u32,
    /// The trial with the processes laid so far.
    pub(crate) trial: TrialId,
    /// Whether its nodes still take part when the rest is shared out. False once they are found at max_slots.
    pub(crate) open: bool,
}

impl NodeGroup {
    /// Slots that the app may still take on each node.
    pub(crate) const fn avail(&self) -> u32 {
        self.slots.saturating_sub(self.placed)
    }

    /// Processes that each node may still hold under max_slots.
    pub(crate) const fn room(&self) -> u32 {
        self.most.saturating_sub(self.placed)
    }
}

/// Processes for each node of a group that are not yet laid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allotment {
    pub(crate) trial: TrialId,
    /// `longest` is known once everything is allotted.
    pub(crate) step: Step,
    /// The row of the group.
    pub(crate) group: usize,
}

/// How each node of a group takes processes in one pass: the layout, and the most processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeTake {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
}
