//! What was written of node names beyond the part by which they are compared: the domain, and how to log in.
//!
//! Names are compared by their first label (`semantics` 1.2). A script for a launcher needs the whole name, the user and the
//! port, as they were written.

use super::stretches::{NodeRange, cut_around, moved_to_front};
use std::collections::BTreeMap;

/// What was written of a node beyond its name. Each part may be empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Written {
    /// What follows the first label, with its dot: `.pi.default.svc`.
    pub domain: String,
    /// The user in front of an `@`, or behind `username=`.
    pub user: String,
    /// The text behind `port=`.
    pub port: String,
}

impl Written {
    /// A domain alone.
    #[doc(hidden)]
    pub fn domain(domain: &str) -> Self {
        Self {
            domain: domain.to_owned(),
            ..Self::default()
        }
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same, with parts of another one where this one has none.
    fn or(&self, other: &Self) -> Self {
        let or = |own: &String, other: &String| if own.is_empty() { other } else { own }.clone();
        Self {
            domain: or(&self.domain, &other.domain),
            user: or(&self.user, &other.user),
            port: or(&self.port, &other.port),
        }
    }
}

/// What was written of nodes, as stretches of nodes of which the same was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenNames {
    /// First node -> one behind the last, and what was written of these nodes.
    runs: BTreeMap<u32, (u32, Written)>,
}

impl WrittenNames {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// All stretches, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeRange, &Written)> + '_ {
        let runs = self.runs.iter();
        runs.map(|(&first, (end, written))| (NodeRange::until(first, *end), written))
    }

    /// What was written of a node, and the nodes around it of which the same was written.
    pub fn around(&self, node: u32) -> Option<(NodeRange, &Written)> {
        let (&first, (end, written)) = self.runs.range(..=node).next_back()?;
        (node < *end).then(|| (NodeRange::until(first, *end), written))
    }

    /// The first stretch at or behind a node.
    pub(super) fn next(&self, node: u32) -> Option<u32> {
        self.runs.range(node..).next().map(|(&first, _)| first)
    }

    /// The same with one node at the front; the nodes before it moved back by one.
    pub(super) fn moved_to_front(&self, row: u32) -> Self {
        let mut moved = Self::default();
        for (nodes, own) in self.iter() {
            cut_around(nodes, row).for_each(|part| moved.keep(moved_to_front(part, row), own));
        }
        moved
    }

    /// The same without a node; the nodes behind it moved up.
    pub(super) fn without(&self, row: u32) -> Self {
        let mut left = Self::default();
        for (nodes, own) in self.iter() {
            let parts = cut_around(nodes, row).filter_map(|part| part.without(row));
            parts.for_each(|part| left.keep(part, own));
        }
        left
    }

    /// Keeps what is written of some nodes. What was written of them before stays.
    ///
    /// Cost: the stretches that the nodes meet.
    pub fn keep(&mut self, nodes: NodeRange, written: &Written) {
        if written.is_empty() {
            return;
        }
        let mut at = nodes.first;
        while at < nodes.end() {
            let known = self.around(at).map(|(run, own)| (run, own.or(written)));
            match known {
                Some((run, own)) => {
                    let part = NodeRange::until(at, run.end().min(nodes.end()));
                    self.set(part, own);
                    at = part.end();
                }
                None => {
                    let next = self.next(at).unwrap_or(u32::MAX).min(nodes.end());
                    self.set(NodeRange::until(at, next), written.clone());
                    at = next;
                }
            }
        }
    }

    /// Writes over a part of one stretch, or over nodes of which nothing was written.
    fn set(&mut self, nodes: NodeRange, written: Written) {
        if let Some((run, own)) = self
            .around(nodes.first)
            .map(|(run, own)| (run, own.clone()))
        {
            if own == written {
                return;
            }
            self.runs.remove(&run.first);
            for rest in [
                NodeRange::until(run.first, nodes.first),
                NodeRange::until(nodes.end(), run.end()),
            ] {
                if rest.count > 0 {
                    self.runs.insert(rest.first, (rest.end(), own.clone()));
                }
            }
        }
        let before = self.runs.range_mut(..nodes.first).next_back();
        if let Some((_, (end, own))) = before
            && *end == nodes.first
            && *own == written
        {
            *end = nodes.end();
            return;
        }
        self.runs.insert(nodes.first, (nodes.end(), written));
    }
}
