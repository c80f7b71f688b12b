//! The pool: the nodes of a job, and the tables that they point into.
//!
//! `build_pool.rs` makes it, from `-H`, hostfiles or sessions.

use super::nodes::Nodes;
use super::selected::Candidate;
use super::tables::Tables;
use crate::plan::World;
use crate::table::machine::Machine;
use crate::table::names::{Names, NodeId};
use crate::table::states::{NodeState, StateRuns};
use std::sync::Arc;

/// The nodes of a job, and the tables that they point into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) nodes: Nodes,
    pub(crate) tables: Tables,
    /// Two full names with one first label, which are two nodes.
    pub(crate) alike: Option<[String; 2]>,
    /// Scratch of selecting. Placing an app gives it back.
    pub(crate) candidates: Vec<Candidate>,
}

impl Pool {
    /// A pool without node states. It takes the machine's topologies, because there may be thousands.
    pub(crate) fn new(machine: &mut Machine, names: Names, local: Option<NodeId>) -> Self {
        let topologies = std::mem::take(&mut machine.topologies);
        Self {
            nodes: Nodes::new(names, local),
            tables: Tables::new(topologies, std::mem::take(&mut machine.cpusets)),
            ..Self::default()
        }
    }

    /// The pool of a plan: its nodes as its job found them.
    pub(crate) fn of(world: &World) -> Self {
        let mut pool = Self::resume(world);
        pool.nodes.runs = world.before.clone();
        pool
    }

    /// The pool that earlier jobs left, for a new job: no node has a process of the new job yet.
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
}
