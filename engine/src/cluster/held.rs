//! Topologies without the GPUs that jobs hold, and the GPUs that a plan gives its processes.

use crate::map::Machine;
use crate::plan::Plan;
use crate::table::gpus::Gpu;
use crate::table::names::NodeRange;
use crate::table::topologies::{Topologies, TopologyDraft, TopologyId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Topologies without the GPUs that jobs hold.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldGpus {
    /// By the hardware and the visible numbers of the GPUs that are left.
    pub(super) left: HashMap<(TopologyId, BTreeSet<u32>), TopologyId>,
    /// How many topologies nodes had when those that no node has were last forgotten.
    pub(super) used: usize,
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
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The topology of the hardware with these GPUs alone. Cost: linear in its objects, once for each set of GPUs.
    pub(super) fn with_left(
        &mut self,
        machine: &mut Machine,
        whole: TopologyId,
        left: BTreeSet<u32>,
    ) -> TopologyId {
        if left == visible(&machine.topologies, whole) {
            return whole;
        }
        if let Some(&known) = self.left.get(&(whole, left.clone())) {
            return known;
        }
        let mut draft = machine.topologies.draft(whole);
        draft.gpus.retain(|gpu| left.contains(&gpu.visible));
        let topologies = Arc::make_mut(&mut machine.topologies);
        let added = topologies.add(draft, Arc::make_mut(&mut machine.cpusets));
        let added = added.expect("a sound topology is sound without some of its GPUs");
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
