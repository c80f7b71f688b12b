//! Node states, interned, and which node is in which: runs of equal nodes.

use super::alike::{Alike, START, mix_pair};
use super::pusets::PuSetId;
use super::topologies::TopologyId;
use crate::define_id;
use crate::id::{Column, Id as _};
use crate::table::names::{NodeId, NodeRange};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

define_id! {
    /// A row of [`States`].
    StateId
}

/// All that an app can see of a node.
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
    /// Processes on it, of whatever job.
    pub used: u32,
    /// Processes of this job on it.
    pub own: u32,
}

impl NodeState {
    /// Processes that may still come, whatever the slots: up to max_slots.
    #[must_use]
    pub fn room(&self) -> u32 {
        self.max_slots
            .map_or(u32::MAX, |max| max.saturating_sub(self.used))
    }
    /// A number that equal states share.
    fn digest(&self) -> u64 {
        // A table id plus one fits its own four bytes.
        let key = |row: usize| u32::from(crate::id::row_to_key(row));
        let max = self.max_slots;
        let digest = mix_pair(START, key(self.topology.row()), key(self.allowed.row()));
        let digest = mix_pair(digest, key(self.free.row()), self.slots);
        let digest = mix_pair(digest, self.used, self.own);
        mix_pair(digest, max.unwrap_or(0), u32::from(max.is_some()))
    }
    /// Free slots.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.slots.saturating_sub(self.used)
    }
}

/// Interned node states. Ids come in first-seen order.
#[derive(Clone, Default, Debug)]
pub struct States {
    rows: Column<StateId, NodeState>,
    ids: Alike<StateId>,
}

impl States {
    /// The id of this state, new or known.
    pub fn intern(&mut self, state: NodeState) -> StateId {
        match self.ids.find(state.digest(), |id| self.rows[id] == state) {
            Ok(id) => id,
            Err(free) => {
                let id = self.rows.push(state);
                self.ids.keep(free, id);
                id
            }
        }
    }
    /// Makes room for so many states more.
    pub(crate) fn reserve(&mut self, new: usize) {
        self.rows.reserve(new);
        self.ids.reserve(new);
    }
    /// The state of an id.
    #[must_use]
    pub fn get(&self, id: StateId) -> &NodeState {
        &self.rows[id]
    }
    /// States with their ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, &NodeState)> {
        self.rows.iter()
    }
    /// Distinct states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// No states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Fewer changes than one in so many runs are made in place.
const FEW: usize = 16;

/// The state of each node, as runs of equal ones.
pub type StateRuns = Runs<StateId>;

/// A value for each node, as runs of equal ones in node order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Runs<T> {
    /// (one behind the last node of the run, its value), ascending; neighbours differ.
    runs: Vec<(u32, T)>,
}

impl<T: Copy + Eq> Runs<T> {
    /// Appends a run behind the last one.
    pub fn push(&mut self, count: u32, state: T) {
        if count == 0 {
            return;
        }
        let start = self.nodes();
        match self.runs.last_mut() {
            Some((end, last)) if *last == state => *end += count,
            _ => self.runs.push((start + count, state)),
        }
    }
    /// Nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.runs.last().map_or(0, |&(end, _)| end)
    }
    /// How many runs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }
    /// No nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
    /// All runs, in node order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeRange, T)> + '_ {
        self.within(NodeRange {
            first: 0,
            count: self.nodes(),
        })
    }
    /// The parts of the runs that lie in a range of nodes. Cost: a search, then the parts.
    pub fn within(&self, nodes: NodeRange) -> impl Iterator<Item = (NodeRange, T)> + '_ {
        let at = self.runs.partition_point(|&(end, _)| end <= nodes.first);
        let mut first = nodes.first;
        self.runs[at..].iter().map_while(move |&(end, state)| {
            let end = end.min(nodes.first + nodes.count);
            (first < end).then(|| {
                let part = NodeRange {
                    first,
                    count: end - first,
                };
                first = end;
                (part, state)
            })
        })
    }
    /// The state of one node.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn state(&self, node: NodeId) -> T {
        let at = self
            .runs
            .partition_point(|&(end, _)| (end as usize) <= node.row());
        self.runs[at].1
    }
    /// Gives new states to some nodes. `changes`: disjoint ranges in any order; sorted here.
    /// Cost: the runs plus the changes; for few changes, the runs met and a move of those behind them.
    pub fn change(&mut self, changes: &mut [(NodeRange, T)]) {
        self.change_into(changes, Self::default());
    }
    /// The same, written to the room of `new`; gives that of the old runs, for the next time.
    pub(crate) fn change_into(&mut self, changes: &mut [(NodeRange, T)], mut new: Self) -> Self {
        if changes.is_empty() {
            return new;
        }
        changes.sort_unstable_by_key(|(nodes, _)| nodes.first);
        if changes.len() * FEW < self.runs.len() {
            for &(nodes, state) in changes.iter() {
                self.change_one(nodes, state);
            }
            return new;
        }
        new.clear();
        new.make_room(self.len().max(changes.len()));
        let kept = |new: &mut Self, first: u32, end: u32| {
            let count = end - first;
            for (part, kept) in self.within(NodeRange { first, count }) {
                new.push(part.count, kept);
            }
        };
        let mut next = 0;
        for &(nodes, state) in changes.iter() {
            kept(&mut new, next, nodes.first);
            new.push(nodes.count, state);
            next = nodes.end();
        }
        kept(&mut new, next, self.nodes());
        std::mem::replace(self, new)
    }
    /// Forgets all runs, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
    }
    /// Runs that there is room for.
    pub(crate) const fn room(&self) -> usize {
        self.runs.capacity()
    }
    /// Makes room for so many runs in all.
    pub(crate) fn make_room(&mut self, runs: usize) {
        self.runs
            .reserve_exact(runs.saturating_sub(self.runs.len()));
    }
}

impl<T: Copy + Eq> Runs<T> {
    /// Takes a node away; those behind it move up. Cost: the runs behind it.
    pub(crate) fn remove(&mut self, node: NodeId) {
        let at = self
            .runs
            .partition_point(|&(end, _)| (end as usize) <= node.row());
        for (end, _) in &mut self.runs[at..] {
            *end -= 1;
        }
        let before = at.checked_sub(1).map_or(0, |before| self.runs[before].0);
        if self.runs[at].0 > before {
            return;
        }
        self.runs.remove(at);
        if at > 0
            && self
                .runs
                .get(at)
                .is_some_and(|next| next.1 == self.runs[at - 1].1)
        {
            self.runs.remove(at - 1);
        }
    }
    /// Takes over the runs of others.
    pub(crate) fn copy(&mut self, others: &Self) {
        self.runs.clone_from(&others.runs);
    }
}

impl<T: Copy + Eq> Runs<T> {
    /// Gives a new state to the nodes of one range.
    fn change_one(&mut self, nodes: NodeRange, state: T) {
        if nodes.count == 0 {
            return;
        }
        let from = self.runs.partition_point(|&(end, _)| end <= nodes.first);
        let to = from + self.runs[from..].partition_point(|&(end, _)| end < nodes.end());
        let start = from.checked_sub(1).map_or(0, |before| self.runs[before].0);
        let last = self.runs.get(to).copied();
        let mut new: SmallVec<[(u32, T); 3]> = SmallVec::new();
        let mut put = |end: u32, state: T| match new.last_mut() {
            Some((last, other)) if *other == state => *last = end,
            _ => new.push((end, state)),
        };
        // The run before may have this state already: then it grows.
        let mut first = from;
        if start == nodes.first && from > 0 && self.runs[from - 1].1 == state {
            first -= 1;
        } else if start < nodes.first {
            put(nodes.first, self.runs[from].1);
        }
        put(nodes.end(), state);
        let mut behind = to;
        if let Some((end, kept)) = last {
            behind += 1;
            if end > nodes.end() {
                put(end, kept);
            } else if let Some(&(end, kept)) = self.runs.get(behind).filter(|run| run.1 == state) {
                put(end, kept);
                behind += 1;
            }
        }
        self.runs.splice(first..behind, new);
    }
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { runs: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_keep_runs_joined() {
        let (a, b) = (StateId::from_row(0), StateId::from_row(1));
        let mut runs = StateRuns::default();
        runs.push(10, a);
        runs.change(&mut [
            (NodeRange { first: 8, count: 2 }, b),
            (NodeRange { first: 2, count: 3 }, b),
        ]);
        let seen: Vec<_> = runs
            .iter()
            .map(|(nodes, state)| (nodes.first, nodes.count, state))
            .collect();
        assert_eq!(seen, [(0, 2, a), (2, 3, b), (5, 3, a), (8, 2, b)]);
        runs.change(&mut [(NodeRange { first: 5, count: 3 }, b)]);
        assert_eq!(runs.len(), 2);
        assert_eq!(runs.state(NodeId::from_row(9)), b);
    }

    #[test]
    fn runs_join_where_the_node_between_them_is_gone() {
        let (a, b) = (StateId::from_row(0), StateId::from_row(1));
        let mut runs = StateRuns::default();
        for (count, state) in [(3, a), (1, b), (2, a)] {
            runs.push(count, state);
        }
        let mut left = runs.clone();
        left.remove(NodeId::from_row(3));
        assert_eq!((left.nodes(), left.len()), (5, 1));
        runs.remove(NodeId::from_row(0));
        assert_eq!((runs.nodes(), runs.len()), (5, 3));
        assert_eq!(runs.state(NodeId::from_row(2)), b);
    }

    /// One change at a time, in place, and all written anew: the same runs.
    #[test]
    fn changes_in_place_are_changes() {
        let mut seed = 1_u32;
        let mut roll = |sides: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % sides
        };
        for _ in 0..2000 {
            let nodes = 1 + roll(12);
            let mut plain: Vec<StateId> = Vec::new();
            let mut runs = StateRuns::default();
            for _ in 0..nodes {
                plain.push(StateId::from_row(roll(3) as usize));
            }
            plain.iter().for_each(|&state| runs.push(1, state));
            for _ in 0..6 {
                let first = roll(nodes);
                let count = 1 + roll(nodes - first);
                let state = StateId::from_row(roll(3) as usize);
                runs.change_one(NodeRange { first, count }, state);
                plain[first as usize..(first + count) as usize].fill(state);
                let mut anew = StateRuns::default();
                plain.iter().for_each(|&state| anew.push(1, state));
                assert_eq!(runs, anew);
            }
        }
    }
}
