//! Nodes on which jobs start and end, and what is known of them.

use super::among::Among;
use super::held::Change;
use super::nodes::{ClusterNodes, NodeNow};
use super::standing::Standing;
use super::topologies::MovingTopologies;
use crate::error::MapError;
use crate::map::{Machine, Mapped};
use crate::plan::Plan;
use crate::stage::resolve::Resolved;
use crate::table::names::{NameRange, NodeRange};
use crate::table::topologies::TopologyId;
use std::sync::Arc;

/// Nodes that jobs share, one after another or at the same time.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(super) machine: Machine,
    pub(super) nodes: ClusterNodes,
}

/// The cluster has no such node.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is not one of the cluster's nodes")]
pub struct NoNode {
    /// The name.
    pub name: String,
}

impl Cluster {
    /// A cluster without nodes: they are added, or come with the jobs that name them.
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            nodes: ClusterNodes::default(),
        }
    }

    /// What is known about nodes before any is named.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Places a job on the slots, cpus and GPUs that are left, and records what it takes.
    ///
    /// # Errors
    /// As [`crate::map::map_resolved`]; `node-closed` when the job names a node that is down or drained. Then nothing changes.
    ///
    /// Cost: that of placing the job on the first nodes with room, as many as it can look at; on all, where the job has to look at all.
    pub fn place(&mut self, resolved: Resolved, among: &Among) -> Result<Mapped, MapError> {
        resolved.check_cores(&self.machine.topologies)?;
        let mapped = match self.grown(&resolved, &among.candidates)? {
            Some(mut grown) => {
                let mapped = grown.place(&self.machine, resolved, among)?;
                self.nodes = grown;
                mapped
            }
            None => self.nodes.place(&self.machine, resolved, among)?,
        };
        self.change_gpus(&mapped.plan, Change::Take);
        Ok(mapped)
    }

    /// Gives back what a job took: its slots, its GPUs, and the cpus that it was the first to take. Nodes that are gone are passed over.
    /// Cost: the runs of the states.
    pub fn release(&mut self, plan: &Plan) {
        self.nodes.release(plan);
        self.change_gpus(plan, Change::GiveBack);
    }

    /// The nodes of some names, as stretches.
    ///
    /// # Errors
    /// [`NoNode`] for the first name that is not known.
    pub fn find(&self, names: &[NameRange]) -> Result<Vec<NodeRange>, NoNode> {
        let mut found = Vec::new();
        for range in names {
            let (nodes, missing) = self.nodes.names.find(range);
            if let Some(name) = missing {
                return Err(NoNode { name });
            }
            found.extend(nodes);
        }
        Ok(found)
    }

    /// The first node that a range of names names, if there is one.
    #[must_use]
    pub fn first_of(&self, names: &NameRange) -> Option<u32> {
        Some(self.nodes.names.find(names).0.first()?.first)
    }

    /// Says how nodes stand. Cost: the runs.
    pub fn set_standing(&mut self, nodes: &[NodeRange], standing: Standing) {
        self.nodes.set_standing(nodes, standing);
    }

    /// Removes nodes. Those behind them move up. Cost: the nodes removed, times the ranges of names and states.
    pub fn remove(&mut self, nodes: &[NodeRange]) {
        self.nodes.remove(nodes);
    }

    /// A topology of another table, in that of this cluster.
    pub(super) fn own_topology(
        &mut self,
        moving: &mut MovingTopologies<'_>,
        id: TopologyId,
    ) -> TopologyId {
        let Machine {
            topologies,
            cpusets,
            ..
        } = &mut self.machine;
        if moving.are_of(topologies) {
            return id;
        }
        moving.topology(Arc::make_mut(topologies), Arc::make_mut(cpusets), id)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.nodes.names.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.names.is_empty()
    }

    /// One node, by its place in the order of first mention.
    #[must_use]
    pub fn node(&self, row: u32) -> Option<NodeNow<'_>> {
        (row < self.len()).then(|| self.nodes.node(&self.machine, row))
    }

    /// One node, by its name.
    #[must_use]
    pub fn node_named(&self, name: &str) -> Option<NodeNow<'_>> {
        let row = self.nodes.names.find_name(name)?;
        self.node(crate::id::Id::number(row))
    }

    /// How many distinct states, and sets of cpus, the tables hold.
    #[must_use]
    pub fn rows(&self) -> (usize, usize) {
        self.nodes.rows.len()
    }
}
