//! The pool: the nodes of a job, and the tables that they point into.
//!
//! `build_pool.rs` makes it, from `-H`, hostfiles or sessions.

use super::nodes::Nodes;
use super::selected::Candidate;
use super::tables::Tables;
use crate::plan::World;
use crate::table::machine::Machine;
use crate::table::names::{Names, NodeId};
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
            nodes: Nodes::new(Arc::new(names), local),
            tables: Tables::new(topologies, std::mem::take(&mut machine.cpusets)),
            ..Self::default()
        }
    }

    /// The pool of a plan: its nodes as its job found them.
    pub(crate) fn of(world: &World) -> Self {
        let mut nodes = Nodes::new(Arc::clone(&world.names), world.local);
        nodes.runs = world.before.clone();
        let mut tables = Tables::new(Arc::clone(&world.topologies), Arc::clone(&world.cpusets));
        tables.pusets = Arc::clone(&world.pusets);
        tables.states = Arc::clone(&world.states);
        Self {
            nodes,
            tables,
            ..Self::default()
        }
    }

    /// A pool of a cluster's nodes, without their states.
    pub(crate) fn of_cluster(machine: &Machine, names: Arc<Names>, local: Option<NodeId>) -> Self {
        Self {
            nodes: Nodes::new(names, local),
            tables: Tables::new(
                Arc::clone(&machine.topologies),
                Arc::clone(&machine.cpusets),
            ),
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
