//! What an app claims of the nodes that it names, and what it may take of each. Source: `semantics` 1.2 to 1.4.

use crate::table::names::NodeRange;
use crate::table::states::StateId;
use std::ops::{Add, Sub};

/// What an app claims of a node by its `-H` entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Claim {
    pub(crate) slots: u64,
    /// `n:*`, or chosen by a relative entry: all that is left, so many times.
    pub(crate) all_left: u32,
}

impl Add for Claim {
    type Output = Self;
    /// Both made of one node. Entries are fewer than 2^32 and each claims less than 2^32: a sum stays below 2^64.
    fn add(self, other: Self) -> Self {
        Self {
            slots: self.slots + other.slots,
            all_left: self.all_left + other.all_left,
        }
    }
}

impl Sub for Claim {
    type Output = Self;
    fn sub(self, less: Self) -> Self {
        Self {
            slots: self.slots - less.slots,
            all_left: self.all_left - less.all_left,
        }
    }
}

/// The nodes an app names: in order, without repeats, and its claims.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// In list order.
    pub(crate) list: Vec<NodeRange>,
    /// Every mention, in order: what a sequence without a file goes by.
    pub(crate) mentions: Vec<NodeRange>,
    pub(crate) claims: Option<Vec<(NodeRange, Claim)>>,
}

impl Named {
    /// A node is gone, and those behind it have moved up.
    pub(crate) fn lose(&mut self, row: u32) {
        let lose = |nodes: &mut NodeRange| {
            let left = nodes.without(row);
            *nodes = left.unwrap_or(*nodes);
            left.is_some()
        };
        self.list.retain_mut(lose);
        self.mentions.retain_mut(lose);
        if let Some(claims) = &mut self.claims {
            claims.retain_mut(|(nodes, _)| lose(nodes));
        }
    }
}

/// Neighbouring nodes of one state, of which an app may take equally much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) nodes: NodeRange,
    pub(crate) state: StateId,
    /// Processes the app may place on each, slots alone considered.
    pub(crate) avail: u32,
}
