//! The explicit table: one row per rank, as columns written from front to back, in parallel.

use super::stretch::Stretch;
use super::{AppPlan, PlacedRun, Plan, row};
use crate::count::Rank;
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use crate::table::patterns::{Pattern, Place};
use rayon::prelude::*;

/// Ranks that one task writes. Below two of these the pool is not woken: a chunk takes some ten microseconds.
const CHUNK: usize = 1 << 16;
/// Processes of a node up to which a pattern's places are written out once, then copied.
const WRITTEN_OUT: u32 = 1 << 14;
/// Neighbouring nodes from which on that pays.
const WORTH_WRITING: u32 = 3;

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
    /// Kind and logical index of the object, packed; 0: none.
    object: Vec<u32>,
    /// Row of the cpu set, plus one; 0: unbound.
    cpus: Vec<u32>,
}

/// A stretch of the columns.
struct Columns<'c> {
    node: &'c mut [u32],
    local_rank: &'c mut [u32],
    node_rank: &'c mut [u32],
    object: &'c mut [u32],
    cpus: &'c mut [u32],
}

/// A place as two columns hold it.
#[derive(Clone, Copy)]
struct Packed {
    object: u32,
    cpus: u32,
}

/// Bits of a packed object that hold its logical index; `limit.rs` keeps objects far below.
const INDEX_BITS: u32 = 28;
const _: () = assert!(
    crate::limit::OBJECTS_MAX < 1 << INDEX_BITS,
    "an index fits beside its kind"
);

fn pack(kind: Option<ObjKind>, place: Place) -> Packed {
    let object = kind.zip(place.object);
    Packed {
        object: object.map_or(0, |(kind, at)| (kind as u32 + 1) << INDEX_BITS | at),
        cpus: place.cpus.map_or(0, |id| row(id.row()) + 1),
    }
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
        self.node.len() * 5 * size_of::<u32>()
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
        Some((kind, packed & ((1 << INDEX_BITS) - 1)))
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
    fn split(self, at: usize) -> (Self, Self) {
        let (node, node2) = self.node.split_at_mut(at);
        let (local_rank, local_rank2) = self.local_rank.split_at_mut(at);
        let (node_rank, node_rank2) = self.node_rank.split_at_mut(at);
        let (object, object2) = self.object.split_at_mut(at);
        let (cpus, cpus2) = self.cpus.split_at_mut(at);
        let first = Columns {
            node,
            local_rank,
            node_rank,
            object,
            cpus,
        };
        let second = Columns {
            node: node2,
            local_rank: local_rank2,
            node_rank: node_rank2,
            object: object2,
            cpus: cpus2,
        };
        (first, second)
    }
    const fn len(&self) -> usize {
        self.node.len()
    }
}

/// Scratch of [`Plan::expand_into`]: patterns written out.
#[derive(Clone, Debug, Default)]
pub struct ExpandScratch {
    /// What of each pattern is in the columns below. Shape `[patterns]`.
    rows: Vec<Written>,
    object: Vec<u32>,
    cpus: Vec<u32>,
}

/// The first places of a pattern, written out.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    start: usize,
    count: u32,
    /// The kind that the objects were packed with.
    kind: Option<ObjKind>,
}

impl ExpandScratch {
    /// The places of a run, if they are all here: where the first one is.
    fn find(&self, run: &PlacedRun) -> Option<usize> {
        let written = self.rows.get(run.pattern.row())?;
        (written.count >= run.procs && written.kind == run.kind).then_some(written.start)
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
        self.expand_into(&mut table, &mut ExpandScratch::default());
        table
    }

    /// The explicit table in columns that are there already: no allocation after the first round with an equal plan.
    pub fn expand_into(&self, table: &mut ProcTable, scratch: &mut ExpandScratch) {
        table.resize(self.ranks() as usize);
        self.write_out(scratch);
        let scratch = &*scratch;
        let columns = table.columns();
        if columns.len() < 2 * CHUNK {
            self.expand_range(0, columns, scratch);
            return;
        }
        let mut chunks = Vec::with_capacity(columns.len().div_ceil(CHUNK));
        let mut rest = columns;
        let mut first = 0;
        while rest.len() > CHUNK {
            let (chunk, behind) = rest.split(CHUNK);
            chunks.push((first, chunk));
            first += row(CHUNK);
            rest = behind;
        }
        chunks.push((first, rest));
        chunks
            .into_par_iter()
            .for_each(|(first, chunk)| self.expand_range(first, chunk, scratch));
    }

    /// Writes out the patterns of the runs that have several nodes, once each.
    fn write_out(&self, scratch: &mut ExpandScratch) {
        scratch.rows.clear();
        scratch.rows.resize(self.patterns.len(), Written::default());
        scratch.object.clear();
        scratch.cpus.clear();
        for run in self.apps.iter().flat_map(AppPlan::runs) {
            let most = run.procs.min(WRITTEN_OUT);
            if run.nodes.count < WORTH_WRITING || scratch.rows[run.pattern.row()].count >= most {
                continue;
            }
            let start = scratch.object.len();
            for places in self.patterns.get(run.pattern).runs(most) {
                let packed = pack(run.kind, places.place);
                let end = scratch.object.len() + places.count as usize;
                scratch.object.resize(end, packed.object);
                scratch.cpus.resize(end, packed.cpus);
            }
            scratch.rows[run.pattern.row()] = Written {
                start,
                count: most,
                kind: run.kind,
            };
        }
    }

    /// Writes the ranks from `first` on.
    fn expand_range(&self, first: u32, mut out: Columns<'_>, scratch: &ExpandScratch) {
        let mut rank = first;
        let mut app = self.bases.partition_point(|&base| base <= rank).max(1) - 1;
        while out.len() > 0 && app < self.apps.len() {
            let end = self.bases[app + 1];
            let take = out.len().min((end - rank) as usize);
            let (own, rest) = out.split(take);
            if take > 0 {
                let plan = &self.apps[app];
                let walk = AppRange {
                    plan: self,
                    app: plan,
                    scratch,
                };
                walk.write(rank - plan.base.0, own);
            }
            rank += row(take);
            out = rest;
            app += 1;
        }
    }
}

/// A stretch of one app's ranks.
struct AppRange<'p> {
    plan: &'p Plan,
    app: &'p AppPlan,
    scratch: &'p ExpandScratch,
}

impl AppRange<'_> {
    fn write(&self, first: u32, mut out: Columns<'_>) {
        let mut rank = first;
        let mut turns = Turns::default();
        while out.len() > 0 {
            let stretch = self.app.stretch(rank, row(out.len()));
            let (own, rest) = out.split(stretch.len() as usize);
            rank += stretch.len();
            self.write_stretch(stretch, own, &mut turns);
            out = rest;
        }
    }

    fn write_stretch(&self, stretch: Stretch, out: Columns<'_>, turns: &mut Turns) {
        match stretch {
            Stretch::Locals {
                run, node, local, ..
            } => self.locals(&self.app.placed.runs[run as usize], node, local, out),
            Stretch::Nodes {
                run, node, local, ..
            } => {
                let run = &self.app.placed.runs[run as usize];
                let pattern = self.plan.patterns.get(run.pattern);
                let packed = pack(run.kind, pattern.place(local));
                count_up(out.node, run.nodes.first + node);
                out.local_rank.fill(run.own_before + local);
                out.node_rank.fill(run.used_before + local);
                out.object.fill(packed.object);
                out.cpus.fill(packed.cpus);
            }
            Stretch::Turns {
                run,
                node,
                at,
                round,
                ..
            } => {
                self.app.turns(run, round, &mut turns.locals);
                let run = &self.app.placed.runs[run as usize];
                let pattern = self.plan.patterns.get(run.pattern);
                turns.packed.clear();
                let packed = turns.locals.iter();
                turns
                    .packed
                    .extend(packed.map(|&local| pack(run.kind, pattern.place(local))));
                turns.write(run, node, at, out);
            }
        }
    }

    /// Neighbouring processes of one node, then of the nodes behind it.
    fn locals(&self, run: &PlacedRun, node: u32, local: u32, mut out: Columns<'_>) {
        let written = self.scratch.find(run);
        let pattern = self.plan.patterns.get(run.pattern);
        let (mut node, mut local) = (run.nodes.first + node, local);
        while out.len() > 0 {
            let take = out.len().min((run.procs - local) as usize);
            let (own, rest) = out.split(take);
            own.node.fill(node);
            count_up(own.local_rank, run.own_before + local);
            count_up(own.node_rank, run.used_before + local);
            match written {
                Some(start) => {
                    let from = start + local as usize;
                    own.object
                        .copy_from_slice(&self.scratch.object[from..from + take]);
                    own.cpus
                        .copy_from_slice(&self.scratch.cpus[from..from + take]);
                }
                None => places(pattern, run.kind, local, own.object, own.cpus),
            }
            out = rest;
            node += 1;
            local = 0;
        }
    }
}

/// Scratch: which processes of a node have their turn, in which order, and what they get.
#[derive(Default)]
struct Turns {
    locals: Vec<u32>,
    packed: Vec<Packed>,
}

impl Turns {
    /// The turns of a node from `at` on, then those of the nodes behind it.
    fn write(&self, run: &PlacedRun, node: u32, at: u32, mut out: Columns<'_>) {
        let mut node = run.nodes.first + node;
        let mut at = at as usize;
        while out.len() > 0 {
            let take = out.len().min(self.locals.len() - at);
            let (own, rest) = out.split(take);
            own.node.fill(node);
            for (turn, &local) in self.locals[at..at + take].iter().enumerate() {
                own.local_rank[turn] = run.own_before + local;
                own.node_rank[turn] = run.used_before + local;
            }
            for (turn, packed) in self.packed[at..at + take].iter().enumerate() {
                own.object[turn] = packed.object;
                own.cpus[turn] = packed.cpus;
            }
            out = rest;
            node += 1;
            at = 0;
        }
    }
}

fn count_up(column: &mut [u32], from: u32) {
    for (value, number) in column.iter_mut().zip(from..) {
        *value = number;
    }
}

/// Places of a pattern from `local` on: from its first process on run by run, else one by one.
fn places(
    pattern: &Pattern,
    kind: Option<ObjKind>,
    local: u32,
    object: &mut [u32],
    cpus: &mut [u32],
) {
    if local == 0 {
        let mut at = 0;
        for run in pattern.runs(row(object.len())) {
            let packed = pack(kind, run.place);
            let end = at + run.count as usize;
            object[at..end].fill(packed.object);
            cpus[at..end].fill(packed.cpus);
            at = end;
        }
        return;
    }
    for ((object, cpus), at) in object.iter_mut().zip(cpus).zip(local..) {
        let packed = pack(kind, pattern.place(at));
        *object = packed.object;
        *cpus = packed.cpus;
    }
}
