//! Shapes: nodes with the same apps, local ranks and cpus.

use crate::answers::gpus;
use crate::answers::hosts::folds;
use crate::answers::spread::{AppRun, Stretch, stretches};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::pusets::PuSetId;
use stowplan_engine::table::topologies::TopologyId;

/// The most shapes that are drawn; the rest are counted.
pub(super) const SHAPES_MAX: usize = 40;
/// The most stretches of equal processes of a node that are compared; beyond them, patterns are compared.
const STRETCHES_MAX: usize = 1 << 12;

/// Neighbouring processes of a node with the same app and cpus: app, count, cpus.
pub(super) type Alike = (AppId, u32, Option<CpusetId>);

/// Nodes that look the same.
pub(super) struct Shape {
    pub(super) topology: TopologyId,
    /// Its nodes, in node order.
    pub(super) nodes: Vec<NodeRange>,
    pub(super) count: u64,
    /// The runs on its first node, by local rank.
    pub(super) runs: Vec<AppRun>,
    pub(super) procs: Vec<Alike>,
    /// PUs that may be used at all.
    pub(super) allowed: PuSetId,
    /// The local ranks that were chosen; `None`: all.
    pub(super) chosen: Option<Vec<u32>>,
}

/// The local ranks that were chosen, by node.
pub(super) type Chosen = BTreeMap<u32, Vec<u32>>;

/// The nodes of some ranks. Cost: a search for each of the ranks.
pub(super) fn chosen(plan: &Plan, ranks: &RoaringBitmap) -> Chosen {
    let mut chosen = Chosen::new();
    for rank in ranks {
        if let Some(place) = plan.place(Rank(rank)) {
            let node = u32::try_from(place.node.row()).unwrap_or(u32::MAX);
            chosen.entry(node).or_default().push(place.local_rank);
        }
    }
    for locals in chosen.values_mut() {
        locals.sort_unstable();
    }
    chosen
}

/// A stretch, or those of its nodes that have chosen ranks, with these ranks.
fn parts(stretch: Stretch, chosen: Option<&Chosen>) -> Vec<(Stretch, Option<Vec<u32>>)> {
    let Some(chosen) = chosen else {
        return vec![(stretch, None)];
    };
    let nodes = chosen.range(stretch.nodes.first..stretch.nodes.end());
    let one = |(&first, locals): (&u32, &Vec<u32>)| {
        let nodes = NodeRange { first, count: 1 };
        let stretch = Stretch {
            nodes,
            ..stretch.clone()
        };
        (stretch, Some(locals.clone()))
    };
    nodes.map(one).collect()
}

/// Nodes look the same if these are equal.
type Key = (
    TopologyId,
    PuSetId,
    Vec<Alike>,
    Vec<(u32, u32)>,
    Option<Vec<u32>>,
);

/// All shapes, in the order of their first nodes.
pub(super) fn shapes(plan: &Plan, chosen: Option<&Chosen>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    let all = stretches(plan).flat_map(|stretch| parts(stretch, chosen));
    for (stretch, locals) in all {
        let state = plan.world().states.get(stretch.state);
        let topology = state.topology;
        let mut runs = stretch.runs;
        runs.sort_by_key(|run| run.of(plan).own_before);
        let (procs, rest) = alike(plan, &runs);
        let at = *known
            .entry((topology, state.allowed, procs.clone(), rest, locals.clone()))
            .or_insert_with(|| {
                shapes.push(Shape {
                    topology,
                    allowed: state.allowed,
                    chosen: locals,
                    nodes: Vec::new(),
                    count: 0,
                    runs,
                    procs,
                });
                shapes.len() - 1
            });
        let shape = &mut shapes[at];
        shape.count += u64::from(stretch.nodes.count);
        match shape.nodes.last_mut() {
            Some(last) if last.end() == stretch.nodes.first => last.count += stretch.nodes.count,
            _ => shape.nodes.push(stretch.nodes),
        }
    }
    shapes
}

/// The processes of a node as stretches of equal ones. Beyond [`STRETCHES_MAX`] stretches, each further run counts as its
/// pattern and number of processes.
fn alike(plan: &Plan, runs: &[AppRun]) -> (Vec<Alike>, Vec<(u32, u32)>) {
    let mut procs: Vec<Alike> = Vec::new();
    let mut rest = Vec::new();
    for own in runs {
        let run = own.of(plan);
        for same in plan.patterns().get(run.pattern).runs(run.procs) {
            if procs.len() > STRETCHES_MAX {
                let pattern = run.pattern.row();
                rest.push((u32::try_from(pattern).unwrap_or(u32::MAX), run.procs));
                break;
            }
            match procs.last_mut() {
                Some((app, count, cpus)) if (*app, *cpus) == (own.app, same.place.cpus) => {
                    *count += same.count;
                }
                _ => procs.push((own.app, same.count, same.place.cpus)),
            }
        }
    }
    (procs, rest)
}

impl Shape {
    /// Its nodes as a host list of at most `bytes` bytes, and the number of nodes that the list leaves out.
    pub(super) fn hosts(&self, plan: &Plan, bytes: usize) -> (String, u64) {
        let names = &plan.world().names;
        let mut text = String::new();
        let mut told = 0;
        for fold in self.nodes.iter().flat_map(|&nodes| folds(names, nodes)) {
            let part = fold.to_string();
            if !text.is_empty() && text.len() + part.len() > bytes {
                break;
            }
            if !text.is_empty() {
                text.push(',');
            }
            text += &part;
            told += u64::from(fold.count);
        }
        (text, self.count - told)
    }

    /// The GPUs that its processes are given, by local rank; `None`: no GPUs.
    pub(super) fn gpus(&self, plan: &Plan) -> Option<String> {
        if !plan.tells_gpus() {
            return None;
        }
        let node = gpus::node(self.nodes.first()?.first);
        gpus::by_local_rank(plan, &plan.given_gpus_on(node), node)
    }

    /// The number of processes on each of its nodes.
    pub(super) fn size(&self) -> u64 {
        self.procs
            .iter()
            .map(|&(_, count, _)| u64::from(count))
            .sum()
    }
}

/// The name of a shape: A to Z, then AA.
pub(super) fn letter(at: usize) -> String {
    const LETTERS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let own = char::from(LETTERS[at % 26]);
    match at / 26 {
        0 => own.to_string(),
        more => format!("{}{own}", letter(more - 1)),
    }
}
