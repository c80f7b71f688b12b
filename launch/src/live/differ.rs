//! Ranks that differ, and what they are compared with.

use super::line::Lines;
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeId;

/// Ranks that differ, by how they do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Differ {
    /// Planned, and no line tells of them.
    pub missing: RoaringBitmap,
    /// Not planned.
    pub unknown: RoaringBitmap,
    /// More than one line tells of them.
    pub twice: RoaringBitmap,
    /// On another node.
    pub node: RoaringBitmap,
    /// On other cpus.
    pub cpus: RoaringBitmap,
    /// Shown other GPUs than they are given; where nobody asked for GPUs they may see any.
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

/// A rank, planned and real.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) node: NodeId,
    pub(super) planned: Option<CpusetId>,
    /// Rows of the lines.
    pub(super) host: usize,
    pub(super) cpus: usize,
}

/// What is compared, with what was looked up.
pub(super) struct Comparison<'c> {
    pub(super) plan: &'c Plan,
    pub(super) lines: &'c Lines,
    /// The first line of each planned rank, ascending.
    pub(super) pairs: Vec<(u32, Pair)>,
    pub(super) same_cpus: HashMap<(CpusetId, usize), bool>,
}

impl Comparison<'_> {
    /// Whether a set of the lines is what was planned; unbound ranks may have any.
    pub(super) fn is_planned(&mut self, planned: Option<CpusetId>, real: usize) -> bool {
        let Some(planned) = planned else {
            return true;
        };
        let (world, cpus) = (self.plan.world(), &self.lines.cpus);
        let same = || *world.cpusets.get(planned) == cpus[real];
        *self.same_cpus.entry((planned, real)).or_insert_with(same)
    }
}
