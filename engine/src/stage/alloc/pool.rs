//! The pool: the nodes of a job, and the tables that they point into.

use super::claim::{Candidate, Claim};
use super::nodes::Nodes;
use super::tables::Tables;
use crate::plan::World;
use crate::table::machine::Machine;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::states::{NodeState, StateId, StateRuns};
use std::sync::Arc;

/// The nodes of a job, and the tables that they point into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) nodes: Nodes,
    pub(crate) tables: Tables,
    /// Of selecting.
    pub(crate) scratch: PoolScratch,
}

/// Vectors that selecting fills again for every app.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolScratch {
    pub(crate) parts: Vec<(NodeRange, Option<Claim>, StateId)>,
    pub(crate) candidates: Vec<Candidate>,
}

impl Pool {
    /// A pool without node states. Takes the machine's topologies: there may be thousands.
    pub(crate) fn new(machine: &mut Machine, names: Names, local: Option<NodeId>) -> Self {
        let topologies = std::mem::take(&mut machine.topologies);
        Self {
            nodes: Nodes::new(names, local),
            tables: Tables::new(topologies, std::mem::take(&mut machine.cpusets)),
            ..Self::default()
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
        let mut nodes = Nodes::new(world.names.clone(), world.local);
        nodes.runs = runs;
        let mut tables = Tables::new(Arc::clone(&world.topologies), world.cpusets.clone());
        (tables.pusets, tables.states) = (world.pusets.clone(), states);
        Self {
            nodes,
            tables,
            ..Self::default()
        }
    }

    /// A copy for apps that compete with no others.
    pub(crate) fn branch(&self) -> Self {
        Self {
            nodes: self.nodes.branch(),
            tables: self.tables.branch(),
            ..Self::default()
        }
    }

    /// Changes slots to what an app claims of its nodes.
    pub(crate) fn claim(
        &mut self,
        lowered: &mut [(NodeRange, StateId)],
        raised: &mut [(NodeRange, StateId)],
    ) {
        self.nodes.claim(lowered, raised, &self.tables.states);
    }

    /// Lowered slots are put back when the job has been mapped: the next one finds them.
    pub(crate) fn put_back(&mut self) {
        self.nodes.put_back(&mut self.tables.states);
    }
}
