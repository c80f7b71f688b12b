//! Sets of nodes as intervals, and the order in which nodes first received a process. The cost depends on the number of
//! stretches, never on the number of nodes.

use super::names::{NodeRange, Nodes};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::{Add, Sub};

/// A set of nodes as disjoint intervals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Intervals {
    /// First node -> the node behind the last one.
    ends: BTreeMap<u32, u32>,
}

impl Intervals {
    /// Adds nodes and returns those that were not in the set, ascending. Cost: the intervals met.
    pub fn insert(&mut self, nodes: NodeRange) -> Nodes {
        // Nodes nearly always come in order, behind all nodes of the set.
        match self.ends.last_entry() {
            Some(mut last) if *last.get() == nodes.first => {
                *last.get_mut() = nodes.end();
                return Nodes::from_slice(&[nodes]);
            }
            Some(last) if *last.get() > nodes.first => {}
            Some(_) | None => {
                self.ends.insert(nodes.first, nodes.end());
                return Nodes::from_slice(&[nodes]);
            }
        }
        let new = self.missing(nodes);
        // Joins the new range with all intervals that it meets or touches.
        let mut joined = nodes;
        while let Some((&first, &end)) = self.ends.range(..=joined.end()).next_back()
            && end >= joined.first
        {
            self.ends.remove(&first);
            joined = NodeRange::until(first.min(joined.first), end.max(joined.end()));
        }
        self.ends.insert(joined.first, joined.end());
        new.into()
    }

    /// Takes nodes away. Cost: the intervals met.
    pub(crate) fn remove(&mut self, nodes: NodeRange) {
        for part in self.shared(nodes) {
            let met = self.ends.range(..=part.first).next_back();
            let Some((&first, &end)) = met else {
                continue;
            };
            self.ends.remove(&first);
            if first < part.first {
                self.ends.insert(first, part.first);
            }
            if part.end() < end {
                self.ends.insert(part.end(), end);
            }
        }
    }

    /// The nodes of a range that are not in the set, ascending.
    #[must_use]
    pub fn missing(&self, nodes: NodeRange) -> Vec<NodeRange> {
        let mut missing = Vec::new();
        let mut next = nodes.first;
        for part in self.meeting(nodes) {
            if next < part.first {
                missing.push(NodeRange::until(next, part.first));
            }
            next = part.end();
        }
        if next < nodes.end() {
            missing.push(NodeRange::until(next, nodes.end()));
        }
        missing
    }

    /// The nodes of a range that are in the set, ascending.
    #[must_use]
    pub fn shared(&self, nodes: NodeRange) -> Vec<NodeRange> {
        self.meeting(nodes).collect()
    }

    /// The parts of a range that are in the set, ascending.
    fn meeting(&self, nodes: NodeRange) -> impl Iterator<Item = NodeRange> + '_ {
        let before = self.ends.range(..nodes.first).next_back();
        let inside = self.ends.range(nodes.first..nodes.end());
        let all = before.into_iter().chain(inside);
        all.filter_map(move |(&first, &end)| NodeRange::until(first, end).overlap(nodes))
    }

    /// All nodes of the set, as ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = NodeRange> + '_ {
        let all = self.ends.iter();
        all.map(|(&first, &end)| NodeRange::until(first, end))
    }
}

/// Sums the values of ranges that may overlap. Returns disjoint ranges, ascending. Cost: a sort of the ranges.
pub fn add_up<V>(said: Vec<(NodeRange, V)>) -> Vec<(NodeRange, V)>
where
    V: Copy + Add<Output = V> + Sub<Output = V>,
{
    let apart = |two: &[(NodeRange, V)]| two[0].0.end() <= two[1].0.first;
    if said.windows(2).all(apart) {
        return said;
    }
    let starts = said
        .iter()
        .map(|&(nodes, value)| (nodes.first, Edge::Start, value));
    let ends = said
        .iter()
        .map(|&(nodes, value)| (nodes.end(), Edge::End, value));
    let mut edges: Vec<(u32, Edge, V)> = starts.chain(ends).collect();
    edges.sort_by_key(|&(node, edge, _)| (node, edge));
    let mut sums = Vec::with_capacity(said.len());
    // The sum of the ranges that cover the nodes from `first` on, and how many such ranges there are.
    let (mut sum, mut open, mut first): (Option<V>, u32, u32) = (None, 0, 0);
    for (node, edge, value) in edges {
        if let Some(sum) = sum.filter(|_| first < node) {
            sums.push((NodeRange::until(first, node), sum));
        }
        first = node;
        match edge {
            Edge::Start => {
                open += 1;
                sum = Some(sum.map_or(value, |sum| sum + value));
            }
            Edge::End => {
                open -= 1;
                sum = sum.filter(|_| open > 0).map(|sum| sum - value);
            }
        }
    }
    sums
}

/// Where a range ends, or starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    End,
    Start,
}

/// The order in which nodes first received a process (`semantics` 5: the job's node order).
#[derive(Clone, Debug, Default)]
pub struct NodeOrder {
    /// The stretch, if there is only one, as nearly always: (first node, node behind the last, place of the first in the
    /// order).
    only: Option<(u32, u32, u32)>,
    /// First node of a stretch -> (node behind its last, place of the first); empty while there is only one stretch.
    places: BTreeMap<u32, (u32, u32)>,
    next: u32,
}

impl NodeOrder {
    /// Forgets all visits.
    pub(crate) fn clear(&mut self) {
        self.only = None;
        self.places.clear();
        self.next = 0;
    }

    /// Appends the nodes that are new, in the order of the range.
    pub fn visit(&mut self, nodes: NodeRange) {
        let known: SmallVec<[NodeRange; 4]> = self.places(nodes).map(|(part, _)| part).collect();
        let mut at = nodes.first;
        for part in known {
            self.append(at, part.first);
            at = part.end();
        }
        self.append(at, nodes.end());
    }

    /// Whether all nodes were visited in ascending order, without gaps.
    pub(crate) fn ascends(&self) -> bool {
        self.places.is_empty()
    }

    /// The nodes of a range that were visited, as parts with their places.
    pub fn places(&self, nodes: NodeRange) -> impl Iterator<Item = (NodeRange, u32)> + '_ {
        let before = self.places.range(..nodes.first).next_back();
        let inside = self.places.range(nodes.first..nodes.end());
        let stretch = |(&first, &(end, place)): (&u32, &(u32, u32))| (first, end, place);
        let all = before.into_iter().chain(inside).map(stretch);
        let cut = move |(first, end, place)| {
            let part = NodeRange::until(first, end).overlap(nodes)?;
            Some((part, place + (part.first - first)))
        };
        self.only.into_iter().chain(all).filter_map(cut)
    }

    fn append(&mut self, first: u32, end: u32) {
        if first >= end {
            return;
        }
        let place = self.next;
        self.next += end - first;
        if let Some((start, behind, at)) = self.only.take() {
            if behind == first {
                self.only = Some((start, end, at));
                return;
            }
            self.places.insert(start, (behind, at));
        } else if self.places.is_empty() {
            self.only = Some((first, end, place));
            return;
        }
        let continued = self.places.range_mut(..first).next_back();
        match continued {
            Some((&start, (behind, at))) if *behind == first && *at + (first - start) == place => {
                *behind = end;
            }
            _ => {
                self.places.insert(first, (end, place));
            }
        }
    }
}
