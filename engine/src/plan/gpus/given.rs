//! The GPUs of every process of a plan, as runs of nodes whose processes are given the same.

use crate::error::PlaceError;
use crate::id::Id as _;
use crate::plan::placed::row;
use crate::table::names::{NodeId, NodeRange};
use std::collections::BTreeSet;

/// The GPUs of every process of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenGpus {
    /// Distinct sets of visible numbers, ascending. The first is empty.
    pub(in crate::plan) sets: Vec<Vec<u32>>,
    /// Nodes with processes, ascending, and their row in `kinds`.
    pub(in crate::plan) nodes: Vec<(NodeRange, u32)>,
    /// Kinds of nodes.
    pub(in crate::plan) kinds: Vec<NodeKind>,
    /// Which GPUs were lacking.
    pub(in crate::plan) lacks: Lacks,
}

/// Nodes whose processes get the same. The processes are in stretches; the processes of a stretch get some sets in turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeKind {
    /// The local rank of the first process.
    pub(in crate::plan) first: u32,
    pub(in crate::plan) stretches: Vec<GpuStretch>,
    /// Rows of the sets, stretch by stretch.
    pub(in crate::plan) rows: Vec<u32>,
}

/// Neighbouring processes that get sets in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::plan) struct GpuStretch {
    /// Processes before its end.
    pub(in crate::plan) end: u32,
    /// Where its rows end; it has at least one.
    pub(in crate::plan) rows_end: u32,
}

impl NodeKind {
    /// Adds `count` processes that get these sets in turn.
    pub(in crate::plan) fn push(&mut self, count: u32, rows: &[u32]) {
        let before = self.stretches.len().checked_sub(1);
        let goes_on = rows.len() == 1 && before.is_some_and(|last| self.rows_of(last) == rows);
        match self.stretches.last_mut() {
            Some(last) if goes_on => last.end += count,
            last => {
                let end = last.map_or(0, |last| last.end) + count;
                self.rows.extend_from_slice(rows);
                let rows_end = row(self.rows.len());
                self.stretches.push(GpuStretch { end, rows_end });
            }
        }
    }

    /// The rows of a stretch.
    fn rows_of(&self, stretch: usize) -> &[u32] {
        let before = stretch.checked_sub(1);
        let start = before.map_or(0, |before| self.stretches[before].rows_end);
        &self.rows[start as usize..self.stretches[stretch].rows_end as usize]
    }
}

/// Neighbouring processes on a node that are given some sets in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns<'g> {
    /// How many processes, from the one asked for on.
    pub count: u32,
    sets: &'g [Vec<u32>],
    rows: &'g [u32],
    /// Processes of the stretch before the one asked for.
    ahead: u32,
}

impl<'g> Turns<'g> {
    /// How many sets take turns, at least 1.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Always false: there is at least one set.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Visible numbers, ascending, of the GPUs of the process that comes `ahead` processes behind the one asked for.
    #[must_use]
    pub fn set(&self, ahead: u32) -> &'g [u32] {
        let turn = (self.ahead as usize + ahead as usize) % self.rows.len();
        &self.sets[self.rows[turn] as usize]
    }
}

/// Which GPUs were lacking.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::plan) struct Lacks {
    /// The first case in which fewer GPUs are near than each process shall get.
    pub(in crate::plan) few: Option<PlaceError>,
    /// Shape `[apps]`.
    pub(in crate::plan) apps: Vec<Lack>,
}

/// Which GPUs the processes of an app lack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::plan) struct Lack {
    /// Processes without a GPU on nodes that have some.
    pub(in crate::plan) procs: u64,
    /// The first such node.
    pub(in crate::plan) node: Option<u32>,
    /// Whether any node of the app has a GPU.
    pub(in crate::plan) some: bool,
}

impl GivenGpus {
    /// Visible numbers of the GPUs of a process, ascending. Cost: two searches.
    #[must_use]
    pub fn of(&self, node: NodeId, local_rank: u32) -> &[u32] {
        let turns = self.turns(node, local_rank);
        turns.map_or(&[], |turns| turns.set(0))
    }

    /// The neighbouring processes, from this one on, that are given sets in turn; `None`: there is no such process. Cost: two
    /// searches.
    #[must_use]
    pub fn turns(&self, node: NodeId, local_rank: u32) -> Option<Turns<'_>> {
        let kind = &self.kinds[self.kind_of(node)? as usize];
        let local = local_rank.checked_sub(kind.first)?;
        let at = kind
            .stretches
            .partition_point(|stretch| stretch.end <= local);
        let end = kind.stretches.get(at)?.end;
        let before = at.checked_sub(1);
        let start = before.map_or(0, |before| kind.stretches[before].end);
        Some(Turns {
            count: end - local,
            sets: &self.sets,
            rows: kind.rows_of(at),
            ahead: local - start,
        })
    }

    /// Nodes with processes, ascending, and their kind: nodes of one kind are given the same.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeRange, u32)> + '_ {
        self.nodes.iter().copied()
    }

    /// The kind of a node. On nodes of one kind, equal local ranks are given the same GPUs; `None`: the node has no processes.
    #[must_use]
    pub fn kind_of(&self, node: NodeId) -> Option<u32> {
        let row = node.number();
        let at = self.nodes.partition_point(|(nodes, _)| nodes.end() <= row);
        let (nodes, kind) = self.nodes.get(at)?;
        (nodes.first <= row).then_some(*kind)
    }

    /// Visible numbers of all GPUs that the processes on a node of this kind are given.
    #[must_use]
    pub fn of_kind(&self, kind: u32) -> BTreeSet<u32> {
        let rows = self.kinds[kind as usize].rows.iter();
        let sets = rows.flat_map(|&row| &self.sets[row as usize]);
        sets.copied().collect()
    }

    /// Whether any process is given a GPU.
    #[must_use]
    pub fn any(&self) -> bool {
        self.sets.len() > 1
    }
}
