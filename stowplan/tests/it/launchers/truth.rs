//! What a plan says about each rank, asked rank by rank.

use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;

/// One process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) node: String,
    /// `None`: unbound.
    pub(crate) cpus: Option<RoaringBitmap>,
    /// The GPUs that it is shown; `None`: no process is told about GPUs.
    pub(crate) gpus: Option<Vec<u32>>,
    /// Program and arguments; empty: the words that the script is given.
    pub(crate) words: Vec<String>,
}

/// Every process by rank, and all cpus of each node.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) processes: Vec<Process>,
    pub(crate) nodes: BTreeMap<String, RoaringBitmap>,
    /// How many GPUs nodes have, of those with ranks.
    pub(crate) gpus_of_nodes: BTreeSet<usize>,
    /// The cores of the node with the fewest; hwthreads where there are no cores.
    pub(crate) fewest_cores: u32,
    /// The first rank of each app.
    pub(crate) apps: Vec<usize>,
    /// Nodes with ranks, in the plan's order.
    pub(crate) order: Vec<String>,
}

impl Truth {
    pub(crate) fn of(plan: &Plan) -> Self {
        let world = plan.world();
        let mut order = BTreeMap::new();
        let mut nodes = BTreeMap::new();
        let mut gpus_of_nodes = BTreeSet::new();
        let mut apps = Vec::new();
        let mut fewest_cores = u32::MAX;
        let mut last = None;
        let given = plan.given_gpus();
        let told = plan.asks_for_gpus() && given.any();
        let processes = (0..plan.ranks()).map(|rank| {
            let place = plan.place(Rank(rank)).unwrap();
            if last.replace(place.app) != Some(place.app) {
                apps.push(rank as usize);
            }
            let node = world.names.name(place.node);
            let state = world.states.get(world.before.state(place.node));
            let os = world.topologies.pus_os(state.topology);
            let cores = match world.topologies.count(state.topology, ObjKind::Core) {
                0 => world.topologies.count(state.topology, ObjKind::Hwthread),
                cores => cores,
            };
            fewest_cores = fewest_cores.min(cores);
            let all = world.pusets.get(state.allowed);
            let all: RoaringBitmap = all.iter_ones().map(|pu| os[pu]).collect();
            order.insert(place.node, node.clone());
            nodes.insert(node.clone(), all);
            gpus_of_nodes.insert(world.topologies.gpus(state.topology).len());
            let label = &plan.resolved_apps().label[place.app];
            let mut words: Vec<String> = Some(label.clone())
                .filter(|word| !word.is_empty())
                .into_iter()
                .collect();
            if !words.is_empty() {
                words.extend_from_slice(plan.resolved_apps().arguments(place.app));
            }
            let cpus = place.cpus.map(|id| world.cpusets.get(id).clone());
            let gpus = told.then(|| given.of(place.node, place.local_rank).to_vec());
            Process {
                node,
                cpus,
                gpus,
                words,
            }
        });
        let processes = processes.collect();
        Self {
            processes,
            nodes,
            gpus_of_nodes,
            fewest_cores,
            apps,
            order: order.into_values().collect(),
        }
    }

    pub(crate) fn is_unbound(&self) -> bool {
        self.processes.iter().all(|process| process.cpus.is_none())
    }

    /// Whether ranks are told about GPUs.
    pub(crate) fn tells_gpus(&self) -> bool {
        self.processes.iter().any(|process| process.gpus.is_some())
    }

    /// Ranks of a node, ascending.
    pub(crate) fn ranks_of(&self, node: &str) -> Vec<usize> {
        let ranks = self.processes.iter().enumerate();
        ranks
            .filter(|(_, process)| process.node == node)
            .map(|(rank, _)| rank)
            .collect()
    }

    /// The cpus of each rank on a node, in rank order. An unbound rank has all cpus of the node.
    pub(crate) fn list(&self, node: &str) -> Vec<RoaringBitmap> {
        let ranks = self.ranks_of(node);
        let cpus = |&rank: &usize| {
            self.processes[rank]
                .cpus
                .clone()
                .unwrap_or_else(|| self.nodes[node].clone())
        };
        ranks.iter().map(cpus).collect()
    }

    /// The GPUs of each rank on a node, in rank order.
    pub(crate) fn gpus(&self, node: &str) -> Vec<Vec<u32>> {
        let ranks = self.ranks_of(node);
        let gpus = |&rank: &usize| self.processes[rank].gpus.clone().unwrap_or_default();
        ranks.iter().map(gpus).collect()
    }

    /// The app of a rank.
    pub(crate) fn app(&self, rank: usize) -> usize {
        self.apps.partition_point(|&first| first <= rank) - 1
    }
}
