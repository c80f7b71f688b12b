//! The explicit table: one row per rank, as columns written from front to back, in parallel.

// One node's rows, written in strides.
mod stride;
// The same process of one node after the other.
mod once;
// Rounds over distinct nodes, in blocks of lanes.
mod block;
mod lanes;
// Equal nodes behind each other.
mod group;
// A plan's stretches, one after the other.
mod write;

use super::places::INDEX_BITS;
use super::{Plan, row};
use crate::count::Rank;
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use lanes::Lanes;
use rayon::prelude::*;
use std::ops::Range;
use write::Rows;

/// Ranks that one task writes, at least. Below two of these the pool is not woken: a chunk takes some ten microseconds.
const CHUNK: usize = 1 << 16;
/// And for each run of the largest app, at least and better: where ranks go round by round, a task looks at all runs, and gains
/// by several rounds.
const CHUNK_PER_RUN: usize = 16;
const BETTER_PER_RUN: usize = 64;

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

/// A stretch of the columns.
struct Columns<'c> {
    node: &'c mut [u32],
    local_rank: &'c mut [u32],
    node_rank: &'c mut [u32],
    object: &'c mut [u32],
    cpus: &'c mut [u32],
}

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
        let kind = *ObjKind::ALL.get(kind as usize)?;
        let index = (packed & ((1 << INDEX_BITS) - 1)).checked_sub(1)?;
        Some((kind, index))
    }
    /// The cpus it is bound to; `None`: unbound.
    #[must_use]
    pub fn cpus(&self, rank: Rank) -> Option<CpusetId> {
        let row = self.cpus[rank.0 as usize].checked_sub(1)?;
        Some(CpusetId::from_row(row as usize))
    }
    fn resize(&mut self, ranks: usize) {
        for column in [
            &mut self.node,
            &mut self.local_rank,
            &mut self.node_rank,
            &mut self.object,
            &mut self.cpus,
        ] {
            column.resize(ranks, 0);
        }
    }
    fn columns(&mut self) -> Columns<'_> {
        Columns {
            node: &mut self.node,
            local_rank: &mut self.local_rank,
            node_rank: &mut self.node_rank,
            object: &mut self.object,
            cpus: &mut self.cpus,
        }
    }
}

impl<'c> Columns<'c> {
    /// The first rows, which are taken away here.
    fn take(&mut self, rows: usize) -> Self {
        fn first<'c>(column: &mut &'c mut [u32], rows: usize) -> &'c mut [u32] {
            column
                .split_off_mut(..rows)
                .expect("no more rows are taken than there are")
        }
        Columns {
            node: first(&mut self.node, rows),
            local_rank: first(&mut self.local_rank, rows),
            node_rank: first(&mut self.node_rank, rows),
            object: first(&mut self.object, rows),
            cpus: first(&mut self.cpus, rows),
        }
    }
    /// Some of the rows.
    #[inline]
    fn some(&mut self, rows: Range<usize>) -> Columns<'_> {
        Columns {
            node: &mut self.node[rows.clone()],
            local_rank: &mut self.local_rank[rows.clone()],
            node_rank: &mut self.node_rank[rows.clone()],
            object: &mut self.object[rows.clone()],
            cpus: &mut self.cpus[rows],
        }
    }
    const fn len(&self) -> usize {
        self.node.len()
    }
}

/// Scratch of [`Plan::expand_into`].
#[derive(Clone, Debug, Default)]
pub struct ExpandScratch {
    chunks: Vec<Scratch>,
}

/// Scratch of a chunk.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// The runs that take part in a round, ascending.
    live: Vec<u32>,
    /// Turns that stand nowhere.
    locals: Vec<u32>,
    lanes: Lanes,
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
        self.expand_into(&mut table, &mut ExpandScratch::default());
        table
    }

    /// The explicit table in columns that are there already.
    pub fn expand_into(&self, table: &mut ProcTable, scratch: &mut ExpandScratch) {
        table.resize(self.ranks() as usize);
        let runs = self.apps.iter().map(|app| app.runs().len()).max();
        let of_runs = |ranks| CHUNK.max(runs.unwrap_or(0).saturating_mul(ranks));
        let chunk = of_runs(CHUNK_PER_RUN);
        let mut rest = table.columns();
        if rest.len() <= chunk {
            scratch.chunks.resize_with(1, Scratch::default);
            Rows::new(self, rest, &mut scratch.chunks[0]).write(0);
            return;
        }
        // As many for each thread as for the others.
        let chunks = rest.len().div_ceil(of_runs(BETTER_PER_RUN));
        let chunks = chunks.next_multiple_of(rayon::current_num_threads());
        let chunk = CHUNK.max(rest.len().div_ceil(chunks));
        let chunks = rest.len().div_ceil(chunk);
        scratch.chunks.resize_with(chunks, Scratch::default);
        let parts: Vec<_> = (0..chunks)
            .map(|at| (row(at * chunk), rest.take(chunk.min(rest.len()))))
            .collect();
        parts
            .into_par_iter()
            .zip(&mut scratch.chunks)
            .for_each(|((first, part), scratch)| Rows::new(self, part, scratch).write(first));
    }
}
