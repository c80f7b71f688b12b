//! The GPUs of every process of a plan, as runs of nodes that are given the same.

use crate::error::PlaceError;
use crate::id::Id as _;
use crate::plan::placed::row;
use crate::table::names::{NodeId, NodeRange};

/// The GPUs of every process of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenGpus {
    /// Distinct sets of visible numbers, ascending. The first is empty.
    pub(in crate::plan) sets: Vec<Vec<u32>>,
    /// Nodes with processes, ascending, and their row of `kinds`.
    pub(in crate::plan) nodes: Vec<(NodeRange, u32)>,
    /// Kinds of nodes.
    pub(in crate::plan) kinds: Vec<NodeKind>,
    /// What could not be had.
    pub(in crate::plan) lacks: Lacks,
}

/// Nodes whose processes get the same. Processes stand in stretches, in each of which they get some sets in turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::plan) struct NodeKind {
    /// The local rank of the first process.
    pub(in crate::plan) first: u32,
    /// Processes before the end of each stretch. Shape `[stretches]`.
    pub(in crate::plan) ends: Vec<u32>,
    /// How many sets each stretch takes in turn, at least 1. Shape `[stretches]`.
    pub(in crate::plan) turns: Vec<u32>,
    /// Rows of the sets, stretch by stretch.
    pub(in crate::plan) rows: Vec<u32>,
    /// Sets before the end of each stretch. Shape `[stretches]`.
    pub(in crate::plan) row_ends: Vec<u32>,
}

impl NodeKind {
    /// So many processes more get these sets in turn.
    pub(in crate::plan) fn push(&mut self, count: u32, rows: &[u32]) {
        let end = self.ends.last().map_or(0, |&end| end) + count;
        let same =
            rows.len() == 1 && self.turns.last() == Some(&1) && self.rows.last() == rows.first();
        if let (true, Some(last)) = (same, self.ends.last_mut()) {
            *last = end;
            return;
        }
        self.ends.push(end);
        self.turns.push(row(rows.len()));
        self.rows.extend_from_slice(rows);
        self.row_ends.push(row(self.rows.len()));
    }

    /// The stretch that a process is in, from it on.
    fn stretch(&self, local_rank: u32) -> Option<(u32, &[u32], u32)> {
        let local = local_rank.checked_sub(self.first)?;
        let at = self.ends.partition_point(|&end| end <= local);
        let (turns, end) = (*self.turns.get(at)?, *self.row_ends.get(at)?);
        let inside = local - at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let rows = self.rows.get((end - turns) as usize..end as usize)?;
        Some((self.ends[at] - local, rows, inside % turns))
    }

    /// The row of the set that a process gets.
    fn row_of(&self, local_rank: u32) -> Option<usize> {
        let (_, rows, turn) = self.stretch(local_rank)?;
        Some(rows[turn as usize] as usize)
    }
}

/// Neighbours on a node that are given some sets in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns<'g> {
    /// How many processes, from the one asked for on.
    pub count: u32,
    sets: &'g [Vec<u32>],
    rows: &'g [u32],
    turn: u32,
}

impl<'g> Turns<'g> {
    /// How many sets take turns, at least 1.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// There is always one.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Visible numbers of the GPUs of the process that stands so many behind the one asked for, ascending.
    #[must_use]
    pub fn set(&self, ahead: u32) -> &'g [u32] {
        let at = (u64::from(self.turn) + u64::from(ahead)) % self.rows.len() as u64;
        let row = usize::try_from(at).unwrap_or(0);
        &self.sets[self.rows[row] as usize]
    }
}

/// What could not be had.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::plan) struct Lacks {
    /// Fewer GPUs near than each process shall get: the first.
    pub(in crate::plan) few: Option<PlaceError>,
    /// For each app: processes without a GPU on nodes that have some, the first such node, and whether any node has one.
    pub(in crate::plan) apps: Vec<Lack>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::plan) struct Lack {
    pub(in crate::plan) procs: u64,
    pub(in crate::plan) node: Option<u32>,
    pub(in crate::plan) some: bool,
}

impl GivenGpus {
    /// Visible numbers of the GPUs of a process, ascending. Cost: two searches.
    #[must_use]
    pub fn of(&self, node: NodeId, local_rank: u32) -> &[u32] {
        let kind = self.kind_of(node).map(|kind| &self.kinds[kind as usize]);
        let row = kind.and_then(|kind| kind.row_of(local_rank));
        row.map_or(&[], |row| &self.sets[row])
    }

    /// The neighbours of a process, itself the first, that are given sets in turn; `None`: no such process. Cost: two searches.
    #[must_use]
    pub fn turns(&self, node: NodeId, local_rank: u32) -> Option<Turns<'_>> {
        let kind = &self.kinds[self.kind_of(node)? as usize];
        let (count, rows, turn) = kind.stretch(local_rank)?;
        Some(Turns {
            count,
            sets: &self.sets,
            rows,
            turn,
        })
    }

    /// Nodes with processes, ascending, and their kind: nodes of one kind are given the same.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeRange, u32)> + '_ {
        self.nodes.iter().copied()
    }

    /// What nodes have in common whose processes, by local rank, are given the same; `None`: there are none on this node.
    #[must_use]
    pub fn kind_of(&self, node: NodeId) -> Option<u32> {
        let row = u32::try_from(node.row()).unwrap_or(u32::MAX);
        let at = self.nodes.partition_point(|(nodes, _)| nodes.end() <= row);
        let (nodes, kind) = self.nodes.get(at)?;
        (nodes.first <= row).then_some(*kind)
    }

    /// Whether any process is given one.
    #[must_use]
    pub fn any(&self) -> bool {
        self.sets.len() > 1
    }
}
