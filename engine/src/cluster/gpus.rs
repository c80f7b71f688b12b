//! GPUs that jobs hold. A node of which jobs hold GPUs has the topology of its hardware without them, so that the next job finds
//! those that are left. A GPU is held by the job to whose processes it is given.

use super::held::{Change, given, is_without_some, visible};
use super::nodes::{ClusterNodes, View, named_by};
use super::topologies::MovingTopologies;
use super::whole::Cluster;
use crate::error::{MapError, PlaceError};
use crate::id::{Column, Id as _};
use crate::map::Machine;
use crate::plan::Plan;
use crate::plan::gpus::gpus_of_each;
use crate::stage::resolve::Resolved;
use crate::table::names::{NodeId, NodeRange, push_joined};
use crate::table::states::{NodeState, Runs, StateId};
use crate::table::topologies::{Topologies, TopologyId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// There may be this many topologies without some GPUs that no node has, and as many again as nodes have.
const SPARE: usize = 64;

impl Cluster {
    /// Takes the GPUs of a job's processes, or gives them back. Nodes that are gone are passed over.
    pub(super) fn change_gpus(&mut self, plan: &Plan, change: Change) {
        let mut changes = Vec::new();
        for (part, gpus) in given(plan) {
            for here in self.nodes.known(plan.world(), part) {
                let states: Vec<(NodeRange, StateId)> = self.nodes.runs.within(here).collect();
                for (nodes, state) in states {
                    let row = *self.nodes.rows.states.get(state);
                    let wholes: Vec<_> = self.nodes.whole.within(nodes).collect();
                    for (nodes, whole) in wholes {
                        let topology = self.changed_topology((row.topology, whole), &gpus, change);
                        let row = NodeState { topology, ..row };
                        changes.push((nodes, self.nodes.rows.intern(row)));
                    }
                }
            }
        }
        if changes.is_empty() {
            return;
        }
        self.nodes.runs.change(&mut changes);
        self.nodes.tidy();
        if self.nodes.held.left.len() > 2 * self.nodes.held.used + SPARE {
            self.forget_topologies();
        }
    }

    /// The topology of a node after some GPUs of it were taken or given back. The first is the present one, the second that of the
    /// hardware.
    fn changed_topology(
        &mut self,
        (topology, whole): (TopologyId, TopologyId),
        gpus: &BTreeSet<u32>,
        change: Change,
    ) -> TopologyId {
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

    /// Forgets the topologies without GPUs that no node has. Cost: the states, and the objects of the others.
    fn forget_topologies(&mut self) {
        let (own, [runs]) = self.nodes.rows.own([&self.nodes.runs]);
        (self.nodes.rows, self.nodes.runs) = (own, runs);
        let held = std::mem::take(&mut self.nodes.held);
        let states = self.nodes.rows.states.iter();
        let mut used: BTreeSet<TopologyId> = states.map(|(_, row)| row.topology).collect();
        used.extend(self.hardware());
        let old = std::mem::take(&mut self.machine.topologies);
        let mut moving = MovingTopologies::from(&old);
        let mut kept = Topologies::default();
        let cpusets = Arc::make_mut(&mut self.machine.cpusets);
        let mut moved = |id| moving.topology(&mut kept, cpusets, id);
        for &id in &used {
            moved(id);
        }
        self.machine.default = self.machine.default.map(&mut moved);
        for (_, id) in &mut self.machine.assigned {
            *id = moved(*id);
        }
        self.nodes.rows.rename_topologies(&mut moved);
        let mut whole = Runs::default();
        for (nodes, id) in self.nodes.whole.iter() {
            whole.push(nodes.count, moved(id));
        }
        self.nodes.whole = whole;
        self.nodes.hardware = Column::default();
        let held = held.left.into_iter().filter(|(_, id)| used.contains(id));
        for ((whole, left), id) in held {
            self.nodes.held.left.insert((moved(whole), left), moved(id));
        }
        self.nodes.held.used = self.nodes.held.left.len();
        self.machine.topologies = Arc::new(kept);
    }

    /// The hardware of nodes that are there, and of those that may come.
    fn hardware(&self) -> impl Iterator<Item = TopologyId> {
        let there = self.nodes.whole.iter().map(|(_, id)| id);
        let assigned = self.machine.assigned.iter().map(|&(_, id)| id);
        there.chain(assigned).chain(self.machine.default)
    }

    /// The hardware of a node that a plan says has this topology, which may lack GPUs that other jobs held: that with the most GPUs
    /// of those known. Cost: the objects of their topologies.
    pub(super) fn hardware_of(&self, topology: TopologyId) -> TopologyId {
        let topologies = &self.machine.topologies;
        let fits = self
            .hardware()
            .filter(|&id| is_without_some(topologies, topology, id));
        let gpus = |id: &TopologyId| topologies.gpus(*id).len();
        fits.max_by_key(gpus).unwrap_or(topology)
    }
}

impl ClusterNodes {
    /// The nodes that a job may use all of whose apps ask for GPUs: those of which jobs hold so many that too few are left for one
    /// process are left out.
    ///
    /// # Errors
    /// [`PlaceError::GpusHeld`]: the job names such a node, or there is no other.
    pub(super) fn with_gpus(
        &self,
        machine: &Machine,
        resolved: &Resolved,
        view: Arc<View>,
    ) -> Result<Arc<View>, MapError> {
        let policies = resolved.apps.policies.values().iter();
        let asked: Option<Vec<u32>> = policies.map(gpus_of_each).collect();
        let (false, Some(asked)) = (self.held.is_empty(), asked) else {
            return Ok(view);
        };
        let asked = asked.into_iter().max().unwrap_or(1);
        let (mut pieces, mut without) = (Vec::new(), Vec::new());
        let parts = view.pieces().iter();
        for (part, state) in parts.flat_map(|&piece| self.runs.within(piece)) {
            for (part, whole) in self.whole.within(part) {
                match self.lacks_gpus(machine, (state, whole), asked) {
                    true => without.push(part),
                    false => push_joined(&mut pieces, part),
                }
            }
        }
        let Some(&first) = without.first() else {
            return Ok(view);
        };
        let mut named = named_by(&resolved.hosts)
            .flat_map(|range| self.names.find(range).0)
            .flat_map(|nodes| without.iter().filter_map(move |part| part.overlap(nodes)));
        match named.next().or(pieces.is_empty().then_some(first)) {
            Some(part) => Err(self.gpus_held(machine, part.first, asked).into()),
            None => Ok(Arc::new(View::new(self, pieces))),
        }
    }

    /// Whether jobs hold so many GPUs of nodes in this state that fewer than `asked` are left.
    fn lacks_gpus(
        &self,
        machine: &Machine,
        (state, whole): (StateId, TopologyId),
        asked: u32,
    ) -> bool {
        let topology = self.rows.states.get(state).topology;
        let left = machine.topologies.gpus(topology).len();
        left < asked as usize && whole != topology
    }

    fn gpus_held(&self, machine: &Machine, node: u32, asked: u32) -> PlaceError {
        let node = NodeId::from_row(node as usize);
        let topology = self.rows.states.get(self.runs.state(node)).topology;
        let gpus = |topology| {
            let gpus = machine.topologies.gpus(topology).len();
            u32::try_from(gpus).expect("limit.rs keeps GPUs few")
        };
        PlaceError::GpusHeld {
            node: self.names.name(node),
            asked,
            free: gpus(topology),
            all: gpus(self.whole.state(node)),
        }
    }
}
