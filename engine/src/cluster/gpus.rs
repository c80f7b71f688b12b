//! GPUs that jobs hold. A node of which jobs hold GPUs has the topology of its hardware without them, so that the next job finds
//! those that are left. A GPU is held by the job to whose processes it is given.

use super::held::{Change, given, is_without_some, visible};
use super::nodes::ClusterNodes;
use super::topologies::MovingTopologies;
use super::view::View;
use super::whole::Cluster;
use crate::id::Column;
use crate::map::Machine;
use crate::plan::Plan;
use crate::stage::alloc::selected::HeldGpus;
use crate::table::names::NodeRange;
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
        self.nodes.change(&mut changes);
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
        let mut used: Vec<TopologyId> = states.map(|(_, row)| row.topology).collect();
        used.extend(self.hardware());
        used.sort_unstable();
        used.dedup();
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
        let is_used = |id: &TopologyId| used.binary_search(id).is_ok();
        let held = held.left.into_iter().filter(|(_, id)| is_used(id));
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
    /// Where jobs hold GPUs of the nodes of a view, as it numbers them. Cost: the runs.
    pub(super) fn held_gpus(&self, machine: &Machine, view: &View) -> Arc<[HeldGpus]> {
        let mut all_held = Vec::new();
        if self.held.is_empty() {
            return all_held.into();
        }
        let gpus = |topology| {
            let gpus = machine.topologies.gpus(topology).len();
            u32::try_from(gpus).expect("limit.rs keeps GPUs few")
        };
        for (piece, start) in view.pieces() {
            for (part, state) in self.runs.within(piece) {
                let topology = self.rows.states.get(state).topology;
                let wholes = self.whole.within(part);
                all_held.extend(wholes.filter(|&(_, whole)| whole != topology).map(
                    |(part, whole)| HeldGpus {
                        nodes: NodeRange {
                            first: start + (part.first - piece.first),
                            count: part.count,
                        },
                        free: gpus(topology),
                        all: gpus(whole),
                    },
                ));
            }
        }
        all_held.into()
    }
}
