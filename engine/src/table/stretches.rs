//! Stretches of neighbouring nodes.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A stretch of neighbouring nodes. Unit: nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct NodeRange {
    /// The first node's place in the pool.
    pub first: u32,
    /// How many, at least 1.
    pub count: u32,
}

impl NodeRange {
    /// One node.
    pub(crate) const fn one(node: u32) -> Self {
        Self {
            first: node,
            count: 1,
        }
    }
    /// Whether a node is among these.
    pub(crate) const fn holds(self, node: u32) -> bool {
        self.first <= node && node < self.end()
    }
    /// The nodes from `first` to the one before `end`.
    #[must_use]
    pub const fn until(first: u32, end: u32) -> Self {
        Self {
            first,
            count: end - first,
        }
    }
    /// The node behind the last one.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
    /// The nodes that are also in another range.
    #[must_use]
    pub fn overlap(self, other: Self) -> Option<Self> {
        let (first, end) = (self.first.max(other.first), self.end().min(other.end()));
        (first < end).then(|| Self::until(first, end))
    }
    /// The nodes of this range from node `row` on.
    pub(crate) fn from(self, row: u32) -> Option<Self> {
        self.overlap(Self::until(row, u32::MAX))
    }
    /// This range after node `row` was removed and the nodes behind it moved up; `None`: it was the only node.
    pub(crate) fn without(self, row: u32) -> Option<Self> {
        let inside = self.holds(row);
        let count = self.count - u32::from(inside);
        let first = self.first - u32::from(row < self.first);
        (count > 0).then_some(Self { first, count })
    }
}

/// Where a range of nodes is after node `row` moved to the front. The range is `row` alone, or does not hold it.
pub(crate) fn moved_to_front(nodes: NodeRange, row: u32) -> NodeRange {
    let first = match nodes.first.cmp(&row) {
        Ordering::Less => nodes.first + 1,
        Ordering::Equal => 0,
        Ordering::Greater => nodes.first,
    };
    NodeRange { first, ..nodes }
}

/// Cuts a range of nodes so that `row` is a range of its own.
pub(crate) fn cut_around(nodes: NodeRange, row: u32) -> impl Iterator<Item = NodeRange> {
    let parts = [(0, row), (row, row + 1), (row + 1, u32::MAX)];
    let parts = parts.map(|(first, end)| nodes.overlap(NodeRange::until(first, end)));
    parts.into_iter().flatten()
}

/// Appends a range; joins it to the last one if it continues that one.
pub fn push_joined(list: &mut Vec<NodeRange>, nodes: NodeRange) {
    match list.last_mut() {
        Some(last) if last.end() == nodes.first => last.count += nodes.count,
        _ => list.push(nodes),
    }
}
