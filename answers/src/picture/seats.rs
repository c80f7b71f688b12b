//! Where the drawing shows each process of a node: in a core, over several cores, or in the smallest box around its cpus.

use super::shape::Shape;
use super::tree::{Part, Tree};
use crate::gpus::list;
use std::collections::HashMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Located, Plan};
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use stowplan_engine::table::names::NodeId;

/// Processes that are drawn at most, for all shapes together.
pub(super) const PROCS_MAX: u32 = 1000;

/// Stands for the whole node instead of one of its boxes.
pub(super) const NODE: (usize, usize) = (usize::MAX, usize::MAX);

/// A process of the first node of a shape.
#[derive(Clone, Debug)]
pub(super) struct Proc {
    pub(super) rank: u32,
    pub(super) app: usize,
    pub(super) local: u32,
    /// The text of its title.
    pub(super) title: String,
}

/// Where the processes of a node are drawn.
#[derive(Debug, Default)]
pub(super) struct Seats {
    pub(super) procs: Vec<Proc>,
    /// Processes bound to one core, alone or shared: by leaf.
    pub(super) in_leaf: HashMap<usize, Vec<usize>>,
    /// Processes bound to several cores that no other process has: process, and its leaves.
    pub(super) over: Vec<(usize, Vec<usize>)>,
    /// All other processes, by the leaves of the smallest box around theirs; [`NODE`] if there is none, or if they are not bound.
    pub(super) in_part: HashMap<(usize, usize), Vec<usize>>,
    /// Processes that are not drawn.
    pub(super) more: u64,
}

impl Seats {
    /// Cost: the processes drawn, and the leaves of each distinct cpu set.
    pub(super) fn new(plan: &Plan, shape: &Shape, tree: &Tree, budget: &mut u32) -> Self {
        let mut seats = Self::default();
        let Some(first) = shape.nodes.first() else {
            return seats;
        };
        let name = plan
            .world()
            .names
            .name(NodeId::from_row(first.first as usize));
        let sites = sites(tree);
        let node = NodeId::from_row(first.first as usize);
        let given = plan.tells_gpus().then(|| plan.given_gpus_on(node));
        let mut leaves_of: HashMap<CpusetId, (Vec<usize>, String)> = HashMap::new();
        let mut places: Vec<Option<CpusetId>> = Vec::new();
        for own in &shape.runs {
            let run = own.of(plan);
            for local in 0..run.procs {
                if *budget == 0 {
                    break;
                }
                *budget -= 1;
                let rank = plan.rank_of(Located {
                    app: own.app,
                    run: own.row,
                    node: first.first - run.nodes.first,
                    local,
                });
                let cpus = plan.patterns().get(run.pattern).place(local).cpus;
                let told = cpus.map(|set| {
                    let known = leaves_of
                        .entry(set)
                        .or_insert_with(|| touched(plan, set, &sites));
                    known.1.clone()
                });
                let gpus = told_gpus(given.as_ref(), node, run.own_before + local);
                seats.procs.push(Proc {
                    rank: rank.0,
                    app: own.app.row(),
                    local: run.own_before + local,
                    title: format!(
                        "{name} rank {} cpus {}{gpus}",
                        rank.0,
                        told.unwrap_or_else(|| "-".to_owned())
                    ),
                });
                places.push(cpus);
            }
        }
        seats.more = shape.size() - seats.procs.len() as u64;
        let mut load = vec![0_u32; tree.leaves.len()];
        for set in places.iter().flatten() {
            leaves_of[set].0.iter().for_each(|&leaf| load[leaf] += 1);
        }
        for (number, place) in places.iter().enumerate() {
            let leaves = place.map_or(&[][..], |set| &leaves_of[&set].0);
            match leaves {
                [leaf] => seats.in_leaf.entry(*leaf).or_default().push(number),
                [_, ..] if leaves.iter().all(|&leaf| load[leaf] == 1) => {
                    seats.over.push((number, leaves.to_vec()));
                }
                _ => {
                    let inner = tree.root.parts.iter().find(|part| around(part, leaves));
                    let part = inner.map_or(NODE, |inner| smallest(inner, leaves));
                    seats.in_part.entry(part).or_default().push(number);
                }
            }
        }
        seats
    }
}

/// The PUs of all leaves, sorted by OS number, each with its leaf.
fn sites(tree: &Tree) -> Vec<(u32, usize)> {
    let leaves = tree.leaves.iter().enumerate();
    let mut sites: Vec<(u32, usize)> = leaves
        .flat_map(|(leaf, pus)| pus.iter().map(move |pu| (pu, leaf)))
        .collect();
    sites.sort_unstable();
    sites
}

/// The leaves that a cpu set touches, and the set in list form. Cost: the set.
fn touched(plan: &Plan, set: CpusetId, sites: &[(u32, usize)]) -> (Vec<usize>, String) {
    let cpus = plan.world().cpusets.get(set);
    let mut touched = Vec::new();
    for pu in cpus {
        let from = sites.partition_point(|&(other, _)| other < pu);
        let here = sites[from..].iter().take_while(|&&(other, _)| other == pu);
        touched.extend(here.map(|&(_, leaf)| leaf));
    }
    touched.sort_unstable();
    touched.dedup();
    (touched, list_form(cpus))
}

/// The GPUs of a process, as its title names them.
fn told_gpus(given: Option<&GivenGpus>, node: NodeId, local_rank: u32) -> String {
    match given.map_or(&[][..], |given| given.of(node, local_rank)) {
        [] => String::new(),
        gpus => format!(" gpus {}", list(gpus)),
    }
}

/// Whether a box contains all of these leaves (at least one).
fn around(part: &Part, leaves: &[usize]) -> bool {
    let (from, end) = part.leaves;
    !leaves.is_empty() && leaves.iter().all(|leaf| (from..end).contains(leaf))
}

/// The leaves of the smallest box around some leaves.
fn smallest(part: &Part, leaves: &[usize]) -> (usize, usize) {
    let inner = part.parts.iter().find(|part| around(part, leaves));
    inner.map_or(part.leaves, |inner| smallest(inner, leaves))
}
