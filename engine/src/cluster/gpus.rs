//! GPUs that jobs hold. A node of which jobs hold GPUs has the topology of its hardware without them, so that the next job finds
//! those that are left. A GPU is held by the job to whose processes it is given.

use super::nodes::ClusterNodes;
use super::whole::Cluster;
use crate::map::Machine;
use crate::plan::Plan;
use crate::table::gpus::Gpu;
use crate::table::names::NodeRange;
use crate::table::states::{NodeState, StateId};
use crate::table::topologies::{Topologies, TopologyDraft, TopologyId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Topologies without the GPUs that jobs hold.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldGpus {
    /// The topology of the hardware, for each that lacks some of its GPUs.
    whole: HashMap<TopologyId, TopologyId>,
    /// Topologies by the hardware and the visible numbers of the GPUs that are left.
    left: HashMap<(TopologyId, BTreeSet<u32>), TopologyId>,
}

/// Takes GPUs, or gives them back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Take,
    GiveBack,
}

/// Visible numbers of the GPUs of a topology.
pub(super) fn visible(topologies: &Topologies, topology: TopologyId) -> BTreeSet<u32> {
    let gpus = topologies.gpus(topology).iter();
    gpus.map(|gpu| gpu.visible).collect()
}

impl HeldGpus {
    /// Whether no job ever held a GPU.
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// The topology of the hardware, with all GPUs.
    pub(super) fn whole(&self, topology: TopologyId) -> TopologyId {
        self.whole.get(&topology).copied().unwrap_or(topology)
    }

    /// The topology of the hardware with these GPUs alone. Cost: linear in its objects, once for each set of GPUs.
    fn with_left(
        &mut self,
        machine: &mut Machine,
        whole: TopologyId,
        left: BTreeSet<u32>,
    ) -> TopologyId {
        if let Some(&known) = self.left.get(&(whole, left.clone())) {
            return known;
        }
        let mut draft = machine.topologies.draft(whole);
        draft.gpus.retain(|gpu| left.contains(&gpu.visible));
        let topologies = Arc::make_mut(&mut machine.topologies);
        let added = topologies.add(draft, &mut machine.cpusets);
        let added = added.expect("a sound topology is sound without some of its GPUs");
        if added != whole {
            self.whole.insert(added, whole);
        }
        self.left.insert((whole, left), added);
        added
    }
}

/// The nodes of a plan whose processes are given GPUs, and which, by visible number.
pub(super) fn given(plan: &Plan) -> Vec<(NodeRange, BTreeSet<u32>)> {
    let world = plan.world();
    let has = |state| {
        let topology = world.states.get(state).topology;
        !world.topologies.gpus(topology).is_empty()
    };
    if !world.before.iter().any(|(_, state)| has(state)) {
        return Vec::new();
    }
    let given = plan.given_gpus();
    let nodes = given.nodes();
    let nodes = nodes.map(|(range, kind)| (range, given.of_kind(kind)));
    nodes.filter(|(_, gpus)| !gpus.is_empty()).collect()
}

impl Cluster {
    /// Takes the GPUs of a job's processes, or gives them back. Nodes that are gone are passed over.
    pub(super) fn change_gpus(&mut self, plan: &Plan, change: Change) {
        let mut changes = Vec::new();
        for (part, gpus) in given(plan) {
            for here in self.nodes.known(plan.world(), part) {
                let states: Vec<(NodeRange, StateId)> = self.nodes.runs.within(here).collect();
                for (nodes, state) in states {
                    let row = *self.nodes.rows.states.get(state);
                    let topology = self.changed_topology(row.topology, &gpus, change);
                    let row = NodeState { topology, ..row };
                    changes.push((nodes, self.nodes.rows.states.intern(row)));
                }
            }
        }
        self.nodes.runs.change(&mut changes);
    }

    /// A topology after some GPUs of it were taken or given back.
    pub(super) fn changed_topology(
        &mut self,
        topology: TopologyId,
        gpus: &BTreeSet<u32>,
        change: Change,
    ) -> TopologyId {
        let whole = self.nodes.held.whole(topology);
        let mut left = visible(&self.machine.topologies, topology);
        match change {
            Change::Take => left.retain(|gpu| !gpus.contains(gpu)),
            Change::GiveBack => {
                let all = visible(&self.machine.topologies, whole);
                left.extend(gpus.intersection(&all));
            }
        }
        let held = &mut self.nodes.held;
        held.with_left(&mut self.machine, whole, left)
    }

    /// The hardware of a node that a plan says has this topology, which may lack GPUs that other jobs held: that with the most GPUs
    /// of those known.
    pub(super) fn hardware_of(&self, topology: TopologyId) -> TopologyId {
        let topologies = &self.machine.topologies;
        let held = &self.nodes.held;
        let known = topologies.ids().filter(|&id| held.whole(id) == id);
        let fits = known.filter(|&id| is_without_some(topologies, topology, id));
        let gpus = |id: &TopologyId| topologies.gpus(*id).len();
        fits.max_by_key(gpus).unwrap_or(topology)
    }
}

/// Whether a topology is another without some of its GPUs, or equal.
pub(super) fn is_without_some(topologies: &Topologies, some: TopologyId, all: TopologyId) -> bool {
    if some == all {
        return true;
    }
    let (there, more) = (topologies.gpus(some), topologies.gpus(all));
    let known: Vec<&Gpu> = more.iter().filter(|gpu| there.contains(gpu)).collect();
    let bare = |topology| TopologyDraft {
        gpus: Vec::new(),
        kept: Vec::new(),
        nics: Vec::new(),
        ..topologies.draft(topology)
    };
    known.len() == there.len() && topologies.pus_os(some) == topologies.pus_os(all) && {
        let (mut some, all) = (bare(some), bare(all));
        (some.vendor, some.disallowed) = (all.vendor, all.disallowed.clone());
        some == all
    }
}

impl ClusterNodes {
    /// Whether jobs hold all GPUs of nodes in this state.
    pub(super) fn lacks_gpus(&self, machine: &Machine, state: StateId) -> bool {
        let topology = self.rows.states.get(state).topology;
        let left = machine.topologies.gpus(topology);
        left.is_empty() && self.held.whole(topology) != topology
    }
}
