//! Sets of nodes, as stretches in node order.

use stowplan_engine::table::names::{NodeRange, push_joined};

/// Nodes in order: ascending stretches that do not touch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct NodeSet(Vec<NodeRange>);

impl NodeSet {
    pub(super) fn until(count: u32) -> Self {
        Self::of((count > 0).then(|| NodeRange::until(0, count)))
    }

    /// Stretches in any order, which may overlap.
    pub(super) fn of(ranges: impl IntoIterator<Item = NodeRange>) -> Self {
        let mut ranges: Vec<NodeRange> = ranges.into_iter().collect();
        ranges.sort_unstable();
        let mut joined: Vec<NodeRange> = Vec::new();
        for range in ranges {
            let from = joined.last().map_or(0, |last| last.end()).max(range.first);
            if from < range.end() {
                push_joined(&mut joined, NodeRange::until(from, range.end()));
            }
        }
        Self(joined)
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = NodeRange> + '_ {
        self.0.iter().copied()
    }

    pub(super) fn len(&self) -> u64 {
        self.0.iter().map(|range| u64::from(range.count)).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn with(&self, other: &Self) -> Self {
        Self::of(self.ranges().chain(other.ranges()))
    }

    pub(super) fn without(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        let mut holes = other.0.iter().peekable();
        for range in self.ranges() {
            let mut from = range.first;
            while holes.next_if(|hole| hole.end() <= from).is_some() {}
            let mut ahead = holes.clone();
            while let Some(hole) = ahead.next_if(|hole| hole.first < range.end()) {
                if from < hole.first {
                    left.push(NodeRange::until(from, hole.first));
                }
                from = hole.end().max(from);
            }
            if from < range.end() {
                left.push(NodeRange::until(from, range.end()));
            }
        }
        Self(left)
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.without(other) != *self
    }

    /// The first `count` nodes.
    pub(super) fn first(&self, count: u64) -> Self {
        let mut left = u32::try_from(count).unwrap_or(u32::MAX);
        let cut = self.ranges().map_while(|range| {
            let count = range.count.min(left);
            left -= count;
            (count > 0).then(|| NodeRange::until(range.first, range.first + count))
        });
        Self(cut.collect())
    }
}
