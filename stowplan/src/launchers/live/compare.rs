//! Compares ranks as planned with ranks as reported, one by one.

use super::cause::{Cause, cause};
use super::differ::{Comparison, Differ, Pair};
use super::line::Lines;
use crate::launchers::gpus::{read, there};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::gpus::Gpu;
use stowplan_engine::table::names::NodeId;

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Ranks of the plan.
    pub ranks: u32,
    /// What differs.
    pub differ: Differ,
    /// The likely cause, if the differences show one.
    pub cause: Option<Cause>,
    /// Whether GPUs were compared.
    pub gpus: ComparedGpus,
}

/// Whether the GPUs that processes see were compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedGpus {
    /// The plan asks for GPUs.
    Yes,
    /// The plan does not ask for GPUs.
    No,
}

/// Whether two names are of one host: they are equal, or one is the part of the other before its first dot. A user and `@` before a
/// host do not count.
///
/// ```
/// use stowplan::launchers::live::same_host;
/// assert!(same_host("n1", "n1.site.org") && same_host("n1.site.org", "n1"));
/// assert!(same_host("me@n1", "n1.site.org"));
/// assert!(!same_host("n1.a.org", "n1.b.org") && !same_host("n1", "n10"));
/// ```
#[must_use]
pub fn same_host(a: &str, b: &str) -> bool {
    let begins = |long: &str, short: &str| {
        long.split_once('.')
            .is_some_and(|(first, _)| first == short)
    };
    let host = |name| match str::split_once(name, '@') {
        Some((_, host)) => host,
        None => name,
    };
    let (a, b) = (host(a), host(b));
    a == b || begins(a, b) || begins(b, a)
}

/// Whether a process sees exactly the GPUs that it is given. If no variable is set, it sees all GPUs of the node.
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

/// Compares a plan with what processes reported.
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
