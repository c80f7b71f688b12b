//! The site: the nodes of a job while its apps are placed, one after the other.

use super::bind::Mask;
use super::facts::Facts;
use super::hardware::Hardware;
use super::parallel::Sharing;
use super::pattern::{DraftSegment, Layout};
use crate::id::{Column, Id as _};
use crate::plan::World;
use crate::table::apps::PolicyId;
use crate::table::cpusets::{CpusetId, Cpusets};
use crate::table::intervals::NodeOrder;
use crate::table::machine::Machine;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::patterns::{PatternId, Patterns, Place, PlaceRun, Segment};
use crate::table::pusets::{PuSets, words};
use crate::table::states::{NodeState, StateId, StateRuns, States};
use crate::table::topologies::{Topologies, TopologyId};
use std::collections::HashMap;

/// All that passes from app to app: node states, and the order in which nodes were first used.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) names: Names,
    pub(crate) topologies: Topologies,
    pub(crate) cpusets: Cpusets,
    pub(crate) pusets: PuSets,
    pub(crate) states: States,
    pub(crate) patterns: Patterns,
    /// The state of each node now.
    pub(crate) runs: StateRuns,
    /// The local node, if it is in the pool.
    pub(crate) local: Option<NodeId>,
    /// What nodes had before an app's own hostfile lowered their slots: that comes back when the job is placed (1.4).
    lowered: Vec<(NodeRange, u32)>,
    /// The job's node order so far.
    pub(crate) order: NodeOrder,
    /// Each topology as the inner loops see it; filled where a topology is used.
    pub(crate) hardware: Column<TopologyId, Option<Hardware>>,
    /// By topology and the words of the mask.
    masks: HashMap<(TopologyId, Box<[u64]>), CpusetId>,
    pub(crate) memo: Memo,
    pub(crate) sharing: Sharing,
}

/// What apps found: the same policy on the same state finds the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    pub(crate) facts: HashMap<(StateId, PolicyId), Facts>,
    /// (state, policy, layout, processes) -> pattern and next state.
    pub(crate) placed: HashMap<(StateId, PolicyId, Layout, u32), (PatternId, StateId)>,
}

impl Site {
    /// A site without node states. Takes the machine's topologies: there may be thousands.
    pub(crate) fn new(machine: &mut Machine, names: Names, local: Option<NodeId>) -> Self {
        let topologies = std::mem::take(&mut machine.topologies);
        Self {
            hardware: topologies.ids().map(|_| None).collect(),
            names,
            topologies,
            cpusets: std::mem::take(&mut machine.cpusets),
            pusets: PuSets::default(),
            states: States::default(),
            patterns: Patterns::default(),
            runs: StateRuns::default(),
            local,
            lowered: Vec::new(),
            order: NodeOrder::default(),
            masks: HashMap::new(),
            memo: Memo::default(),
            sharing: Sharing::default(),
        }
    }

    /// What earlier jobs left, for a new job: none of its processes is anywhere yet.
    pub(crate) fn resume(world: &World) -> Self {
        let mut states = world.states.clone();
        let mut runs = StateRuns::default();
        for (nodes, state) in world.after.iter() {
            let row = NodeState {
                own: 0,
                ..*states.get(state)
            };
            runs.push(nodes.count, states.intern(row));
        }
        Self {
            names: world.names.clone(),
            topologies: world.topologies.clone(),
            cpusets: world.cpusets.clone(),
            pusets: world.pusets.clone(),
            states,
            patterns: Patterns::default(),
            runs,
            local: world.local,
            lowered: Vec::new(),
            order: NodeOrder::default(),
            hardware: world.topologies.ids().map(|_| None).collect(),
            masks: HashMap::new(),
            memo: Memo::default(),
            sharing: Sharing::default(),
        }
    }

    /// The topology as the inner loops see it.
    pub(crate) fn hardware(&mut self, topology: TopologyId) -> &Hardware {
        let topologies = &self.topologies;
        self.hardware[topology].get_or_insert_with(|| Hardware::new(topologies, topology))
    }

    /// The topology of a state.
    pub(crate) fn topology_of(&self, state: StateId) -> TopologyId {
        self.states.get(state).topology
    }

    /// The name of a node, for messages.
    pub(crate) fn name(&self, node: u32) -> String {
        self.names.name(NodeId::from_row(node as usize))
    }

    /// The OS numbers of a mask, interned.
    pub(crate) fn cpuset(&mut self, topology: TopologyId, mask: Mask) -> CpusetId {
        let mut bits = match mask {
            Mask::Whole(object) => return self.topologies.cpuset(object),
            Mask::Bits(bits) => bits,
        };
        bits.force_align();
        bits.set_uninitialized(false);
        let key = (topology, words(&bits));
        if let Some(&id) = self.masks.get(&key) {
            return id;
        }
        let os = self.topologies.pus_os(topology);
        let id = self
            .cpusets
            .intern(bits.iter_ones().map(|pu| os[pu]).collect());
        self.masks.insert(key, id);
        id
    }

    /// A stretch of a pattern with its masks interned.
    pub(crate) fn segment(&mut self, topology: TopologyId, draft: DraftSegment) -> Segment {
        let runs = draft.runs.into_iter().map(|run| {
            let cpus = run.mask.map(|mask| self.cpuset(topology, mask));
            PlaceRun {
                count: run.count,
                place: Place {
                    object: run.object,
                    cpus,
                },
            }
        });
        Segment {
            procs: draft.procs,
            runs: runs.collect(),
            cycle: draft.cycle,
        }
    }

    /// A pattern, interned.
    pub(crate) fn pattern(&mut self, segments: Vec<Segment>) -> PatternId {
        self.patterns.intern(segments)
    }

    /// Gives new states to nodes.
    pub(crate) fn change(&mut self, changes: &mut [(NodeRange, StateId)]) {
        self.runs.change(changes);
    }

    /// Gives nodes states with fewer slots, until the job is placed.
    pub(crate) fn lower(&mut self, changes: &mut [(NodeRange, StateId)]) {
        for &(nodes, _) in changes.iter() {
            let states = &self.states;
            let parts = self.runs.within(nodes);
            self.lowered
                .extend(parts.map(|(part, state)| (part, states.get(state).slots)));
        }
        self.change(changes);
    }

    /// Lowered slots are put back when the job has been mapped (1.4): the next one finds them.
    fn put_back(&mut self) {
        for (nodes, slots) in std::mem::take(&mut self.lowered) {
            let parts: Vec<_> = self.runs.within(nodes).collect();
            let mut changes: Vec<_> = parts
                .into_iter()
                .map(|(part, state)| {
                    let row = *self.states.get(state);
                    let slots = row.slots.max(slots);
                    (part, self.states.intern(NodeState { slots, ..row }))
                })
                .collect();
            self.change(&mut changes);
        }
    }

    /// What the plan keeps, and the patterns.
    pub(crate) fn into_world(mut self, before: StateRuns) -> (World, Patterns) {
        self.put_back();
        let world = World {
            names: self.names,
            topologies: self.topologies,
            cpusets: self.cpusets,
            pusets: self.pusets,
            states: self.states,
            before,
            after: self.runs,
            local: self.local,
        };
        (world, self.patterns)
    }
}
