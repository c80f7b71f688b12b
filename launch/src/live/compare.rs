//! Planned and real, rank by rank.

use super::cause::{Cause, cause};
use super::line::Lines;
use crate::gpus::{read, there};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::gpus::Gpu;
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

/// A comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Ranks of the plan.
    pub ranks: u32,
    /// What differs.
    pub differ: Differ,
    /// Why, as far as that can be told.
    pub cause: Option<Cause>,
    /// Whether GPUs were compared.
    pub gpus: ComparedGpus,
}

/// Whether the GPUs that processes see were compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedGpus {
    /// The plan asks for some.
    Yes,
    /// It does not.
    No,
}

/// Whether two names are of one host: equal, or one is the other up to its first dot.
///
/// ```
/// use stowplan_launch::live::same_host;
/// assert!(same_host("n1", "n1.site.org") && same_host("n1.site.org", "n1"));
/// assert!(!same_host("n1.a.org", "n1.b.org") && !same_host("n1", "n10"));
/// ```
#[must_use]
pub fn same_host(a: &str, b: &str) -> bool {
    let begins = |long: &str, short: &str| {
        long.split_once('.')
            .is_some_and(|(first, _)| first == short)
    };
    a == b || begins(a, b) || begins(b, a)
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
    same_cpus: HashMap<(CpusetId, usize), bool>,
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

/// Whether a process sees the GPUs that it is given; without a variable it sees all that are there.
fn sees(value: &str, given: &[u32], there: &[Gpu]) -> bool {
    let seen = match value {
        "-" => {
            let mut all: Vec<u32> = there.iter().map(|gpu| gpu.visible).collect();
            all.sort_unstable();
            Some(all)
        }
        value => read(value, there),
    };
    seen.as_deref() == Some(given)
}

/// Compares a plan with what processes found out.
///
/// Cost: a search in the plan for each line, and a sort of the lines.
#[must_use]
pub fn compare(plan: &Plan, lines: &Lines) -> Report {
    let ranks = plan.ranks();
    let mut differ = Differ::default();
    let mut comparison = Comparison {
        plan,
        lines,
        pairs: Vec::with_capacity(lines.processes.len()),
        same_cpus: HashMap::new(),
    };
    let mut same_hosts: HashMap<(NodeId, usize), bool> = HashMap::new();
    let mut met = RoaringBitmap::new();
    let given = plan.asks_for_gpus().then(|| plan.given_gpus());
    let mut same_gpus: HashMap<(&[u32], usize, NodeId), bool> = HashMap::new();
    for process in &lines.processes {
        let Some(place) = plan.place(Rank(process.rank)) else {
            differ.unknown.insert(process.rank);
            continue;
        };
        if !met.insert(process.rank) {
            differ.twice.insert(process.rank);
            continue;
        }
        let (host, cpus) = (process.host, process.cpus);
        let same = || same_host(&plan.world().names.name(place.node), &lines.hosts[host]);
        if !*same_hosts.entry((place.node, host)).or_insert_with(same) {
            differ.node.insert(process.rank);
        }
        if let Some(given) = &given {
            let own = given.of(place.node, place.local_rank);
            let key = (own, process.devices, place.node);
            let seen = &lines.devices[process.devices];
            let same = || sees(seen, own, there(plan, &place));
            if !*same_gpus.entry(key).or_insert_with(same) {
                differ.gpus.insert(process.rank);
            }
        }
        if !comparison.is_planned(place.cpus, cpus) {
            differ.cpus.insert(process.rank);
        }
        let pair = Pair {
            node: place.node,
            planned: place.cpus,
            host,
            cpus,
        };
        comparison.pairs.push((process.rank, pair));
    }
    if ranks > 0 {
        differ.missing.insert_range(..ranks);
        differ.missing -= met;
    }
    comparison.pairs.sort_unstable_by_key(|(rank, _)| *rank);
    let cause = cause(&differ, &mut comparison);
    Report {
        ranks,
        differ,
        cause,
        gpus: match given {
            Some(_) => ComparedGpus::Yes,
            None => ComparedGpus::No,
        },
    }
}
