//! The explicit table: a row per rank, as columns that all threads write from front to back.
//!
//! `row_writer.rs` writes the rows of each thread.

use super::Plan;
use super::placed::row;
use super::places::INDEX_BITS;
use super::row_writer::{COLUMNS, Columns, RowsOut};
use crate::count::Rank;
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use rayon::prelude::*;
use std::ops::Range;

/// The smallest number of ranks that one task writes, except the last task. With no more ranks than this, no other thread is
/// woken.
const CHUNK: usize = 1 << 16;
/// Tasks are also planned with this many ranks for each run of the plan's largest app, because a task looks at all runs for every
/// 64 rounds that it drafts, and few rounds cost as much. Then their number is rounded up to a multiple of the threads.
const CHUNK_PER_RUN: usize = 32;

/// Every rank of a plan, as columns. Shape of each: `[ranks]`, in rank order. Twenty bytes a rank.
///
/// [`Plan::bases`] gives the app of a rank, and its app rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcTable {
    /// Row of the node in the pool.
    node: Vec<u32>,
    /// Number among the job's processes on the node.
    local_rank: Vec<u32>,
    /// Number among all processes on the node.
    node_rank: Vec<u32>,
    /// The object, packed: its kind plus one in the upper bits, its logical index plus one in the lower bits. No object if
    /// either part is 0.
    object: Vec<u32>,
    /// Row of the cpu set, plus one; 0: unbound.
    cpus: Vec<u32>,
}

impl ProcTable {
    /// Number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.node.len()
    }
    /// Whether there are no rows.
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
    /// The object of each rank as (kind, logical index). The kind is a number from 1, in the order of [`ObjKind::ALL`]; 0: no
    /// object.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.object.iter().map(|&packed| Self::unpacked(packed))
    }
    /// Unpacks a row of the object column, as [`ProcTable::objects`] does.
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
    /// This and the other methods that take a rank panic when there is no such rank.
    #[must_use]
    pub fn node(&self, rank: Rank) -> NodeId {
        NodeId::from_row(self.node[rank.0 as usize] as usize)
    }
    /// The number of a rank among the job's processes on its node.
    #[must_use]
    pub fn local_rank(&self, rank: Rank) -> u32 {
        self.local_rank[rank.0 as usize]
    }
    /// The number of a rank among all processes on its node.
    #[must_use]
    pub fn node_rank(&self, rank: Rank) -> u32 {
        self.node_rank[rank.0 as usize]
    }
    /// The object that a rank was mapped to: kind and logical index.
    #[must_use]
    pub fn object(&self, rank: Rank) -> Option<(ObjKind, u32)> {
        let packed = self.object[rank.0 as usize];
        let kind = (packed >> INDEX_BITS).checked_sub(1)?;
        let kind = ObjKind::of_number(kind)?;
        let index = (packed & ((1 << INDEX_BITS) - 1)).checked_sub(1)?;
        Some((kind, index))
    }
    /// The cpus that a rank is bound to; `None`: unbound.
    #[must_use]
    pub fn cpus(&self, rank: Rank) -> Option<CpusetId> {
        let row = self.cpus[rank.0 as usize].checked_sub(1)?;
        Some(CpusetId::from_row(row as usize))
    }
    /// The columns, resized to `ranks` rows.
    pub(super) fn columns(&mut self, ranks: usize) -> Columns<'_> {
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

    /// Writes the explicit table into columns that are there already.
    pub fn expand_into(&self, table: &mut ProcTable) {
        self.expand_columns(table.columns(self.ranks() as usize));
    }

    /// Writes some rows of the explicit table into columns that are there already: row 0 is the first of these ranks.
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
        let mut out = RowsOut::new(table.columns(rows));
        self.write_rows(ranks.start.min(end), &mut out);
    }

    /// Writes the columns of the table (node, local rank, node rank, packed object, cpu set) into the caller's memory. Each
    /// column needs a row for each rank.
    ///
    /// # Panics
    /// When a column has fewer rows.
    pub fn expand_columns(&self, columns: [&mut [u32]; 5]) {
        let ranks = self.ranks() as usize;
        let runs = self.apps.iter().map(|app| app.runs().len()).max();
        let least = CHUNK.max(runs.unwrap_or(0).saturating_mul(CHUNK_PER_RUN));
        // The same number of chunks for each thread, and one chunk for a single thread.
        let threads = if ranks > least {
            rayon::current_num_threads()
        } else {
            // Asking would start threads.
            1
        };
        let chunks = match threads {
            1 => 1,
            threads => (ranks / least).next_multiple_of(threads),
        };
        let chunk = CHUNK.max(ranks.div_ceil(chunks.max(1)));
        let mut rest = columns.map(|column| &mut column[..ranks]);
        let parts = (0..ranks).step_by(chunk).map(|first| {
            let rows = chunk.min(ranks - first);
            (
                row(first),
                rest.each_mut()
                    .map(|column| column.split_off_mut(..rows).unwrap_or_default()),
            )
        });
        let parts: Vec<(u32, Columns<'_>)> = parts.collect();
        let write = |(first, part)| self.write_rows(first, &mut RowsOut::new(part));
        match parts.len() {
            // No other thread is woken.
            0 | 1 => parts.into_iter().for_each(write),
            _ => parts.into_par_iter().for_each(write),
        }
    }
}
