//! The explicit table: a row per rank, as columns that all threads write from front to back.
//!
//! What is written comes in blocks (`rows.rs`): of nodes that have the same, the first is written and the others are copies.

use super::Plan;
use super::placed::row;
use super::places::INDEX_BITS;
use super::rank::profile::NodeTurns;
use super::rows::{Block, PlanBlocks};
use crate::count::Rank;
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use rayon::prelude::*;
use std::ops::Range;

/// Ranks that one task writes, at least: below two of these the pool is not woken.
const CHUNK: usize = 1 << 16;
/// And for each run of the plan's largest app: a task that begins inside a phase looks at all runs.
const CHUNK_PER_RUN: usize = 16;
/// Rows that are copied at once: they stay in the nearest cache.
const COPIED: usize = 1 << 11;

/// Every rank of a plan, as columns. Shape of each: `[ranks]`, in rank order. Twenty bytes a rank.
///
/// The app of a rank follows from [`Plan::bases`], its app rank too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcTable {
    /// Row of the node in the pool.
    node: Vec<u32>,
    /// Number among the job's processes on the node.
    local_rank: Vec<u32>,
    /// Number among all processes on the node.
    node_rank: Vec<u32>,
    /// Kind of the objects, and above zero the logical index plus one, packed.
    object: Vec<u32>,
    /// Row of the cpu set, plus one; 0: unbound.
    cpus: Vec<u32>,
}

/// Columns of the table.
const COLUMNS: usize = 5;

/// Some rows of the node, local rank, node rank, object and cpu columns, packed as in [`ProcTable`].
pub(super) type Columns<'c> = [&'c mut [u32]; COLUMNS];

impl ProcTable {
    /// Rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.node.len()
    }
    /// No rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.node.is_empty()
    }
    /// Bytes of all columns.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.node.len() * COLUMNS * size_of::<u32>()
    }
    /// The node of each rank, by its row in the pool.
    #[must_use]
    pub fn nodes(&self) -> &[u32] {
        &self.node
    }
    /// The number of each rank among the job's processes on its node.
    #[must_use]
    pub fn local_ranks(&self) -> &[u32] {
        &self.local_rank
    }
    /// The number of each rank among all processes on its node.
    #[must_use]
    pub fn node_ranks(&self) -> &[u32] {
        &self.node_rank
    }
    /// The object of each rank: its kind as a number from 1 in the order of [`ObjKind::ALL`], 0 for none, and its index.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.object.iter().map(|&packed| Self::unpacked(packed))
    }
    /// What a row of the object column says: as [`ProcTable::objects`].
    #[inline]
    #[must_use]
    pub const fn unpacked(packed: u32) -> (u32, u32) {
        let (kind, index) = (packed >> INDEX_BITS, packed & ((1 << INDEX_BITS) - 1));
        if kind == 0 || index == 0 {
            return (0, 0);
        }
        (kind, index - 1)
    }
    /// The cpu set of each rank, by its row plus one; 0: unbound.
    #[must_use]
    pub fn cpusets(&self) -> &[u32] {
        &self.cpus
    }
    /// The node of a rank.
    ///
    /// # Panics
    /// These panic when there is no such rank.
    #[must_use]
    pub fn node(&self, rank: Rank) -> NodeId {
        NodeId::from_row(self.node[rank.0 as usize] as usize)
    }
    /// Its number among the job's processes on the node.
    #[must_use]
    pub fn local_rank(&self, rank: Rank) -> u32 {
        self.local_rank[rank.0 as usize]
    }
    /// Its number among all processes on the node.
    #[must_use]
    pub fn node_rank(&self, rank: Rank) -> u32 {
        self.node_rank[rank.0 as usize]
    }
    /// The object it was mapped to: kind and logical index.
    #[must_use]
    pub fn object(&self, rank: Rank) -> Option<(ObjKind, u32)> {
        let packed = self.object[rank.0 as usize];
        let kind = (packed >> INDEX_BITS).checked_sub(1)?;
        let kind = ObjKind::of_number(kind)?;
        let index = (packed & ((1 << INDEX_BITS) - 1)).checked_sub(1)?;
        Some((kind, index))
    }
    /// The cpus it is bound to; `None`: unbound.
    #[must_use]
    pub fn cpus(&self, rank: Rank) -> Option<CpusetId> {
        let row = self.cpus[rank.0 as usize].checked_sub(1)?;
        Some(CpusetId::from_row(row as usize))
    }
    fn columns(&mut self, ranks: usize) -> Columns<'_> {
        let all = [
            &mut self.node,
            &mut self.local_rank,
            &mut self.node_rank,
            &mut self.object,
            &mut self.cpus,
        ];
        all.map(|column| {
            column.resize(ranks, 0);
            &mut column[..]
        })
    }
}

/// Takes the first rows away from the columns.
fn take<'c>(columns: &mut Columns<'c>, rows: usize) -> Columns<'c> {
    let first = |column: &mut &'c mut [u32]| column.split_off_mut(..rows);
    columns
        .each_mut()
        .map(|column| first(column).unwrap_or_default())
}

impl Block<'_> {
    /// Writes rows from one of the block's on, as many as there is room for.
    fn write(&self, plan: &Plan, first: u32, mut out: Columns<'_>, scratch: &mut Vec<u32>) {
        if let (
            [node, local_rank, node_rank, object, cpus],
            NodeTurns::From(local, _),
            Some(places),
            1,
        ) = (&mut out, self.turns, self.places, self.count)
        {
            // One process of each node: the rows differ in their node alone.
            let local = local + self.nodes.own_before;
            count_up(node, self.nodes.first + first);
            local_rank.fill(local);
            node_rank.fill(local - self.nodes.own_before + self.nodes.used_before);
            object.fill(self.kind.object(places[0]));
            cpus.fill(places[0].cpus);
            return;
        }
        let count = self.count as usize;
        let (mut node, turn) = (first / self.count, first % self.count);
        if turn > 0 {
            let rows = out[0].len().min(count - turn as usize);
            self.of_node(plan, node, turn, take(&mut out, rows), scratch);
            node += 1;
        }
        let one = count.min(out[0].len());
        let first = out.each_mut().map(|column| &mut column[..one]);
        self.of_node(plan, node, 0, first, scratch);
        if out[0].len() > one {
            let [nodes, others @ ..] = out;
            each_again(nodes, self.nodes.first + node, count);
            for column in others {
                again(column, one);
            }
        }
    }

    /// Writes neighbouring turns of one node.
    #[inline]
    fn of_node(
        &self,
        plan: &Plan,
        node: u32,
        turn: u32,
        [nodes, local_rank, node_rank, object, cpus]: Columns<'_>,
        scratch: &mut Vec<u32>,
    ) {
        let rows = nodes.len();
        nodes.fill(self.nodes.first + node);
        let (own, used) = (self.nodes.own_before, self.nodes.used_before);
        let turns = self.turns.some(turn..turn + row(rows), scratch);
        let ranks = local_rank.iter_mut().zip(node_rank);
        match turns {
            NodeTurns::From(first, _) => {
                for ((local_rank, node_rank), local) in ranks.zip(first..) {
                    (*local_rank, *node_rank) = (own + local, used + local);
                }
            }
            NodeTurns::Listed(locals) => {
                for ((local_rank, node_rank), &local) in ranks.zip(locals) {
                    (*local_rank, *node_rank) = (own + local, used + local);
                }
            }
            NodeTurns::Asked { .. } => unreachable!("some turns are always told"),
        }
        let columns = object.iter_mut().zip(cpus);
        if let Some(places) = self.places {
            let places = &places[turn as usize..][..rows];
            for ((object, cpus), &place) in columns.zip(places) {
                (*object, *cpus) = (self.kind.object(place), place.cpus);
            }
            return;
        }
        let pattern = plan.apps[self.app as usize].placed.runs[self.run as usize].pattern;
        for (at, (object, cpus)) in columns.enumerate() {
            let local = match turns {
                NodeTurns::From(first, _) => first + row(at),
                NodeTurns::Listed(locals) => locals[at],
                NodeTurns::Asked { .. } => unreachable!("some turns are always told"),
            };
            let place = plan.places.packed(pattern, local, &plan.patterns);
            (*object, *cpus) = (self.kind.object(place), place.cpus);
        }
    }
}

/// Repeats the first `count` values to the column's end.
fn again(column: &mut [u32], count: usize) {
    let mut done = count;
    while done < column.len() {
        // Whole rounds: what is copied ends where it began.
        let round = if done >= COPIED {
            COPIED.div_ceil(count) * count
        } else {
            done
        };
        let rows = done.min(round).min(column.len() - done);
        column.copy_within(..rows, done);
        done += rows;
    }
}

fn count_up(column: &mut [u32], first: u32) {
    for (value, number) in column.iter_mut().zip(first..) {
        *value = number;
    }
}

/// `count` times each number from `first` on.
fn each_again(column: &mut [u32], first: u32, count: usize) {
    // Few rows a node: the first nodes, then these again with greater numbers.
    let nodes = COPIED.div_ceil(count);
    let (done, rest) = column.split_at_mut((nodes * count).min(column.len()));
    for (rows, node) in done.chunks_mut(count).zip(first..) {
        rows.fill(node);
    }
    for (rows, more) in rest
        .chunks_mut(nodes * count)
        .zip((row(nodes)..).step_by(nodes))
    {
        for (value, &node) in rows.iter_mut().zip(&*done) {
            *value = node + more;
        }
    }
}

impl Plan {
    /// The explicit table. Cost: five linear writes per rank, over the threads of the current pool.
    ///
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// assert!(Plan::default().expand().is_empty());
    /// ```
    #[must_use]
    pub fn expand(&self) -> ProcTable {
        let mut table = ProcTable::default();
        self.expand_into(&mut table);
        table
    }

    /// The explicit table in columns that are there already.
    pub fn expand_into(&self, table: &mut ProcTable) {
        self.expand_columns(table.columns(self.ranks() as usize));
    }

    /// Some rows of the explicit table, in columns that are there already: row 0 is the first of these ranks.
    ///
    /// Cost: five linear writes per rank; for ranks by node and span also the runs.
    /// ```
    /// use stowplan_engine::plan::{Plan, ProcTable};
    /// let mut table = ProcTable::default();
    /// Plan::default().expand_rows(0..7, &mut table);
    /// assert!(table.is_empty(), "there are no such ranks");
    /// ```
    pub fn expand_rows(&self, ranks: Range<u32>, table: &mut ProcTable) {
        let end = ranks.end.min(self.ranks());
        let rows = end.saturating_sub(ranks.start) as usize;
        self.write_rows(ranks.start.min(end), table.columns(rows));
    }

    /// The columns of the table (node, local rank, node rank, packed object, cpu set), written where the caller has them: each has a row for each rank.
    ///
    /// # Panics
    /// When a column has fewer rows.
    pub fn expand_columns(&self, columns: [&mut [u32]; 5]) {
        let ranks = self.ranks() as usize;
        let runs = self.apps.iter().map(|app| app.runs().len()).max();
        let least = CHUNK.max(runs.unwrap_or(0).saturating_mul(CHUNK_PER_RUN));
        // As many for each thread as for the others.
        let chunks = (ranks / least).next_multiple_of(rayon::current_num_threads());
        let chunk = CHUNK.max(ranks.div_ceil(chunks.max(1)));
        let mut rest = columns.map(|column| &mut column[..ranks]);
        if ranks <= chunk {
            return self.write_rows(0, rest);
        }
        let mut parts = Vec::with_capacity(chunks);
        for first in (0..ranks).step_by(chunk) {
            parts.push((row(first), take(&mut rest, chunk.min(ranks - first))));
        }
        let parts = parts.into_par_iter();
        parts.for_each(|(first, part)| self.write_rows(first, part));
    }

    /// Writes the ranks from `first` on.
    fn write_rows(&self, first: u32, mut out: Columns<'_>) {
        let mut scratch = Vec::new();
        let mut blocks = PlanBlocks::new(self, first);
        loop {
            let [node, local_rank, node_rank, object, cpus] = &mut out;
            let mut at = 0;
            blocks.short(row(node.len()), |nodes, on, kind, (local, place)| {
                node[at] = on;
                local_rank[at] = nodes.own_before + local;
                node_rank[at] = nodes.used_before + local;
                object[at] = kind.object(place);
                cpus[at] = place.cpus;
                at += 1;
            });
            take(&mut out, at);
            let Some(block) = blocks.next().filter(|_| !out[0].is_empty()) else {
                return;
            };
            let rows = out[0].len().min(block.rows.len());
            block.write(self, block.rows.start, take(&mut out, rows), &mut scratch);
        }
    }
}
