//! Sets of nodes as intervals, and the order in which nodes came: cost follows the stretches, never the nodes.

use super::names::{NodeRange, push_joined};
use std::collections::BTreeMap;

/// A set of nodes as disjoint intervals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Intervals {
    /// First node -> one behind the last.
    ends: BTreeMap<u32, u32>,
}

impl Intervals {
    /// Adds nodes and gives those that were not there, ascending. Cost: the intervals met.
    pub fn insert(&mut self, nodes: NodeRange) -> Vec<NodeRange> {
        let new = self.missing(nodes);
        let mut joined = (nodes.first, nodes.end());
        let before = self
            .ends
            .range(..=nodes.first)
            .next_back()
            .map(|(&first, &end)| (first, end));
        if let Some((first, end)) = before.filter(|&(_, end)| end >= nodes.first) {
            joined = (first, end.max(joined.1));
        }
        let met: Vec<(u32, u32)> = self
            .ends
            .range(joined.0..=joined.1)
            .map(|(&first, &end)| (first, end))
            .collect();
        for (first, end) in met {
            joined.1 = joined.1.max(end);
            self.ends.remove(&first);
        }
        self.ends.insert(joined.0, joined.1);
        new
    }

    /// The nodes of a range that are not in the set, ascending.
    #[must_use]
    pub fn missing(&self, nodes: NodeRange) -> Vec<NodeRange> {
        let mut missing = Vec::new();
        let mut next = nodes.first;
        for (first, end) in self.meeting(nodes) {
            if next < first {
                missing.push(NodeRange {
                    first: next,
                    count: first - next,
                });
            }
            next = end;
        }
        if next < nodes.end() {
            missing.push(NodeRange {
                first: next,
                count: nodes.end() - next,
            });
        }
        missing
    }

    /// The nodes of a range that are in the set, ascending.
    #[must_use]
    pub fn shared(&self, nodes: NodeRange) -> Vec<NodeRange> {
        let mut found = Vec::new();
        for (first, end) in self.meeting(nodes) {
            let (first, end) = (first.max(nodes.first), end.min(nodes.end()));
            push_joined(
                &mut found,
                NodeRange {
                    first,
                    count: end - first,
                },
            );
        }
        found
    }

    fn meeting(&self, nodes: NodeRange) -> impl Iterator<Item = (u32, u32)> + '_ {
        let before = self
            .ends
            .range(..nodes.first)
            .next_back()
            .filter(|(_, end)| **end > nodes.first);
        let inside = self.ends.range(nodes.first..nodes.end());
        before
            .into_iter()
            .chain(inside)
            .map(|(&first, &end)| (first, end))
    }

    /// All nodes of the set, as ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = NodeRange> + '_ {
        self.ends.iter().map(|(&first, &end)| NodeRange {
            first,
            count: end - first,
        })
    }
}

/// The order in which nodes first received a process (`semantics` 5: the job's node order).
#[derive(Clone, Debug, Default)]
pub struct NodeOrder {
    /// First node of a stretch -> (one behind its last, place of the first in the order).
    places: BTreeMap<u32, (u32, u32)>,
    next: u32,
}

impl NodeOrder {
    /// Appends the nodes that are new, in the order of the range, and gives the whole range as parts with their places.
    pub fn visit(&mut self, nodes: NodeRange) -> Vec<(NodeRange, u32)> {
        let known = self.known(nodes);
        let mut parts = Vec::with_capacity(known.len() * 2 + 1);
        let mut at = nodes.first;
        for (part, place) in known {
            if at < part.first {
                parts.push(self.append(NodeRange {
                    first: at,
                    count: part.first - at,
                }));
            }
            parts.push((part, place));
            at = part.end();
        }
        if at < nodes.end() {
            parts.push(self.append(NodeRange {
                first: at,
                count: nodes.end() - at,
            }));
        }
        parts
    }

    fn known(&self, nodes: NodeRange) -> Vec<(NodeRange, u32)> {
        let before = self
            .places
            .range(..nodes.first)
            .next_back()
            .filter(|(_, (end, _))| *end > nodes.first);
        let inside = self.places.range(nodes.first..nodes.end());
        let cut = |(&first, &(end, place)): (&u32, &(u32, u32))| {
            let from = first.max(nodes.first);
            let part = NodeRange {
                first: from,
                count: end.min(nodes.end()) - from,
            };
            (part, place + (from - first))
        };
        before.into_iter().chain(inside).map(cut).collect()
    }

    fn append(&mut self, nodes: NodeRange) -> (NodeRange, u32) {
        let place = self.next;
        self.next += nodes.count;
        let continued = self.places.range_mut(..nodes.first).next_back();
        match continued {
            Some((&first, (end, start)))
                if *end == nodes.first && *start + (*end - first) == place =>
            {
                *end = nodes.end()
            }
            _ => {
                self.places.insert(nodes.first, (nodes.end(), place));
            }
        }
        (nodes, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u32, count: u32) -> NodeRange {
        NodeRange { first, count }
    }

    #[test]
    fn intervals_join_and_say_what_is_new() {
        let mut set = Intervals::default();
        assert_eq!(set.insert(range(5, 5)), [range(5, 5)]);
        assert_eq!(set.insert(range(0, 3)), [range(0, 3)]);
        assert_eq!(set.insert(range(2, 10)), [range(3, 2), range(10, 2)]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [range(0, 12)]);
        assert_eq!(set.missing(range(10, 4)), [range(12, 2)]);
        assert_eq!(set.shared(range(10, 4)), [range(10, 2)]);
    }

    #[test]
    fn the_order_is_that_of_the_first_visit() {
        let mut order = NodeOrder::default();
        assert_eq!(order.visit(range(4, 2)), [(range(4, 2), 0)]);
        assert_eq!(
            order.visit(range(3, 4)),
            [(range(3, 1), 2), (range(4, 2), 0), (range(6, 1), 3)]
        );
        assert_eq!(
            order.visit(range(5, 2)),
            [(range(5, 1), 1), (range(6, 1), 3)]
        );
    }
}
