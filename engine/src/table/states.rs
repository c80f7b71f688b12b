//! Node states, interned, and which node is in which: runs of equal nodes.

use super::interner::Distinct;
use super::pusets::PuSetId;
use super::topologies::TopologyId;
use crate::define_id;
use crate::id::Id as _;
use crate::table::names::{NodeId, NodeRange};
use serde::{Deserialize, Serialize};

define_id! {
    /// A row of [`States`].
    StateId
}

/// Everything that an app can see of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct NodeState {
    /// Its hardware.
    pub topology: TopologyId,
    /// PUs that may be used at all.
    pub allowed: PuSetId,
    /// PUs that no process consumed.
    pub free: PuSetId,
    /// Slots.
    pub slots: u32,
    /// A limit that OVERSUBSCRIBE does not lift; `None`: there is none.
    pub max_slots: Option<u32>,
    /// Processes on it, of any job.
    pub used: u32,
    /// Processes of this job on it.
    pub own: u32,
}

/// Interned node states.
pub type States = Distinct<StateId, NodeState>;

impl States {
    /// The id of this state, new or known.
    pub fn intern(&mut self, state: NodeState) -> StateId {
        self.id_of(state)
    }
}

/// The state of each node, as runs of equal ones.
pub type StateRuns = Runs<StateId>;

/// A value for each node, as runs of equal ones in node order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Runs<T> {
    /// (node behind the last one of the run, value of the run), ascending; neighbours differ.
    runs: Vec<(u32, T)>,
}

impl<T: Copy + Eq> Runs<T> {
    /// Appends a run behind the last one.
    pub fn push(&mut self, count: u32, state: T) {
        if count > 0 {
            self.put(self.nodes() + count, state);
        }
    }
    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.runs.last().map_or(0, |&(end, _)| end)
    }
    /// How many runs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }
    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
    /// All runs, in node order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeRange, T)> + '_ {
        self.within(NodeRange::until(0, self.nodes()))
    }
    /// The parts of the runs that lie in a range of nodes. Cost: a search, then the parts.
    pub fn within(&self, nodes: NodeRange) -> impl Iterator<Item = (NodeRange, T)> + '_ {
        let mut first = nodes.first;
        let runs = self.runs[self.row_of(first)..].iter();
        runs.map_while(move |&(end, state)| {
            let part = NodeRange::until(first, end).overlap(nodes)?;
            first = end;
            Some((part, state))
        })
    }
    /// The state of one node.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn state(&self, node: NodeId) -> T {
        let before = |&(end, _): &(u32, T)| (end as usize) <= node.row();
        self.runs[self.runs.partition_point(before)].1
    }
    /// Gives new states to some nodes. `changes`: disjoint ranges in any order; sorted here.
    /// Cost: the changes and the runs between them; if runs join or part, also a move of the runs behind them.
    pub fn change(&mut self, changes: &mut [(NodeRange, T)]) {
        self.change_with(changes, &mut Self::default());
    }
    /// The same. `scratch`: may hold anything; it is overwritten.
    #[doc(hidden)]
    pub fn change_with(&mut self, changes: &mut [(NodeRange, T)], scratch: &mut Self) {
        if !changes.is_sorted_by_key(|(nodes, _)| nodes.first) {
            changes.sort_unstable_by_key(|(nodes, _)| nodes.first);
        }
        let (Some((first, _)), Some((last, _))) = (changes.first(), changes.last()) else {
            return;
        };
        // The runs from the one before the first change to the one behind the last are written anew, because they may join.
        let from = self.row_of(first.first).saturating_sub(1);
        let to = self.row_of(last.end()) + 1;
        let mut node = self.start(from);
        let mut old = from;
        scratch.clear();
        // At once: a change of distant nodes writes all runs between them.
        scratch.runs.reserve(to - from + 2 * changes.len() + 2);
        for &(nodes, state) in changes.iter().filter(|(nodes, _)| nodes.count > 0) {
            while let Some(&(end, kept)) = self.runs.get(old).filter(|_| node < nodes.first) {
                node = end.min(nodes.first);
                scratch.put(node, kept);
                old += usize::from(node == end);
            }
            node = nodes.end();
            scratch.put(node, state);
            while self.runs.get(old).is_some_and(|&(end, _)| end <= node) {
                old += 1;
            }
        }
        if let Some(&(end, kept)) = self.runs.get(old) {
            scratch.put(end, kept);
            old += 1;
        }
        if scratch.runs.len() == old - from {
            self.runs[from..old].copy_from_slice(&scratch.runs);
        } else {
            self.runs.splice(from..old, scratch.runs.iter().copied());
        }
    }
    /// Extends the last run to `end` if it has this state; otherwise appends a run that ends there.
    fn put(&mut self, end: u32, state: T) {
        match self.runs.last_mut() {
            Some((last, other)) if *other == state => *last = end,
            _ => self.runs.push((end, state)),
        }
    }
    /// The first node of a run.
    fn start(&self, row: usize) -> u32 {
        row.checked_sub(1).map_or(0, |before| self.runs[before].0)
    }
    /// Which run has a node.
    fn row_of(&self, node: u32) -> usize {
        self.runs.partition_point(|&(end, _)| end <= node)
    }
    /// Forgets all runs, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
    }
    /// Removes a node; the nodes behind it move up. Cost: the runs.
    #[doc(hidden)]
    pub fn remove(&mut self, node: NodeId) {
        for (end, _) in &mut self.runs {
            *end -= u32::from(node.row() < *end as usize);
        }
        let mut before = 0;
        self.runs.retain(|&(end, _)| {
            let some = end > before;
            before = end;
            some
        });
        // If the node was a run of its own, the runs around it may have the same state: they join.
        self.runs.dedup_by(|next, last| {
            let same = next.1 == last.1;
            if same {
                last.0 = next.0;
            }
            same
        });
    }
    /// Copies the runs of `others`.
    pub(crate) fn copy(&mut self, others: &Self) {
        self.runs.clone_from(&others.runs);
    }
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { runs: Vec::new() }
    }
}
