//! Differences folded by kind: ranks that were planned alike and got alike.

use super::compare::Report;
use super::line::Lines;
use crate::launchers::cpus::ranges;
use crate::launchers::gpus::numbers;
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;

/// What a rank was planned on, or got.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    /// The node; `None`: the same in plan and job.
    pub node: Option<String>,
    /// The cpus, as a list of OS numbers; `None`: any.
    pub cpus: Option<String>,
    /// The GPUs; `None`: the plan does not speak of them, or the process was shown none in particular.
    pub gpus: Option<String>,
}

/// Ranks that were planned alike and got alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The ranks.
    pub ranks: RoaringBitmap,
    /// What was planned.
    pub planned: Side,
    /// What they got.
    pub real: Side,
    /// The node on which the first was planned.
    pub first: String,
}

/// The kinds of differences in node, cpus or GPUs, by their first ranks.
///
/// Cost: a look-up for each rank that differs.
#[must_use]
pub fn kinds(plan: &Plan, lines: &Lines, report: &Report) -> Vec<Kind> {
    let differ = &report.differ;
    let ranks = &(&differ.node | &differ.cpus) | &differ.gpus;
    let mut line_of: HashMap<u32, usize> = HashMap::new();
    for (row, process) in lines.processes.iter().enumerate() {
        line_of.entry(process.rank).or_insert(row);
    }
    let given = plan.asks_for_gpus().then(|| plan.given_gpus());
    let mut rows: HashMap<(Side, Side), usize> = HashMap::new();
    let mut kinds: Vec<Kind> = Vec::new();
    for rank in &ranks {
        let (Some(place), Some(&row)) = (plan.place(Rank(rank)), line_of.get(&rank)) else {
            continue;
        };
        let process = &lines.processes[row];
        let elsewhere = differ.node.contains(rank);
        let name = plan.world().names.name(place.node);
        let planned = Side {
            node: elsewhere.then(|| name.clone()),
            cpus: place
                .cpus
                .map(|id| ranges(plan.world().cpusets.get(id), ',')),
            gpus: given
                .as_ref()
                .map(|given| numbers(given.of(place.node, place.local_rank))),
        };
        let seen = &lines.devices[process.devices];
        let real = Side {
            node: elsewhere.then(|| lines.hosts[process.host].clone()),
            cpus: Some(ranges(&lines.cpus[process.cpus], ',')),
            gpus: given.as_ref().filter(|_| seen != "-").map(|_| seen.clone()),
        };
        let row = *rows
            .entry((planned.clone(), real.clone()))
            .or_insert_with(|| {
                kinds.push(Kind {
                    ranks: RoaringBitmap::new(),
                    planned,
                    real,
                    first: name,
                });
                kinds.len() - 1
            });
        kinds[row].ranks.insert(rank);
    }
    kinds
}
