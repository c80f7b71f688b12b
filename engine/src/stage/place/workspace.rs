//! What placing the apps of a job works on: nodes, which change; tables, which grow; and results that may be dropped without
//! changing an answer.

use super::memo::Memo;
use super::scratch::Scratch;
use crate::plan::World;
use crate::stage::alloc::Pool;
use crate::table::patterns::Patterns;
use crate::table::states::StateRuns;
use std::sync::Arc;

/// The pool of a job, and what placing keeps besides it.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// Nodes and tables.
    pub(crate) pool: Pool,
    /// Results for nodes under the policies of apps.
    pub(crate) memo: Memo,
    pub(crate) scratch: Scratch,
}

impl Workspace {
    /// A workspace without results.
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            pool,
            memo: Memo::default(),
            scratch: Scratch::default(),
        }
    }

    /// The nodes and tables that a plan needs, as the apps left them. `before`: the states in which the job found the nodes.
    pub(crate) fn world(&self, before: StateRuns) -> (World, Arc<Patterns>) {
        let Pool { nodes, tables, .. } = &self.pool;
        let world = World {
            names: Arc::clone(&nodes.names),
            topologies: Arc::clone(&tables.topologies),
            cpusets: Arc::clone(&tables.cpusets),
            pusets: Arc::clone(&tables.pusets),
            states: Arc::clone(&tables.states),
            before,
            after: nodes.runs.clone(),
            local: nodes.local,
        };
        (world, Arc::clone(&tables.patterns))
    }
}
