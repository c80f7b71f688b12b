//! Ranks that differ, and the data they are compared with.

use super::line::Lines;
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeId;

/// Ranks that differ, by kind of difference.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Differ {
    /// Planned ranks that no line reports.
    pub missing: RoaringBitmap,
    /// Reported ranks that are not planned.
    pub unknown: RoaringBitmap,
    /// Ranks that more than one line reports.
    pub twice: RoaringBitmap,
    /// Ranks on another node.
    pub node: RoaringBitmap,
    /// Ranks on other cpus.
    pub cpus: RoaringBitmap,
    /// Ranks that see other GPUs than they are given. If nobody asked for GPUs, ranks may see any.
    pub gpus: RoaringBitmap,
}

impl Differ {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let all = [
            &self.missing,
            &self.unknown,
            &self.twice,
            &self.node,
            &self.cpus,
            &self.gpus,
        ];
        all.iter().all(|ranks| ranks.is_empty())
    }
}

/// A rank as planned, and as reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) node: NodeId,
    pub(super) planned: Option<CpusetId>,
    /// The row of its host, and that of its cpus, in the lines.
    pub(super) host: usize,
    pub(super) cpus: usize,
}

/// Both sides of a comparison, and the results of look-ups so far.
pub(super) struct Comparison<'c> {
    pub(super) plan: &'c Plan,
    pub(super) lines: &'c Lines,
    /// The first line of each planned rank, ascending.
    pub(super) pairs: Vec<(u32, Pair)>,
    pub(super) same_cpus: HashMap<(CpusetId, usize), bool>,
}

impl Comparison<'_> {
    /// Whether a cpu set of the lines is the planned one; an unbound rank may have any.
    pub(super) fn is_planned(&mut self, planned: Option<CpusetId>, real: usize) -> bool {
        let Some(planned) = planned else {
            return true;
        };
        let (world, cpus) = (self.plan.world(), &self.lines.cpus);
        let same = || *world.cpusets.get(planned) == cpus[real];
        *self.same_cpus.entry((planned, real)).or_insert_with(same)
    }
}
