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

    /// Moves the tables and patterns that a plan needs out of the workspace. `before`: the states in which the job found the
    /// nodes.
    pub(crate) fn take_world(&mut self, before: StateRuns) -> (World, Patterns) {
        let Pool { nodes, tables, .. } = &mut self.pool;
        let world = World {
            names: std::mem::take(&mut nodes.names),
            topologies: Arc::clone(&tables.topologies),
            cpusets: std::mem::take(&mut tables.cpusets),
            pusets: std::mem::take(&mut tables.pusets),
            states: std::mem::take(&mut tables.states),
            before,
            after: std::mem::take(&mut nodes.runs),
            local: nodes.local,
        };
        (world, std::mem::take(&mut tables.patterns))
    }

    /// Moves the tables and patterns of a plan back. Returns the states in which its job found the nodes.
    pub(crate) fn put_back(&mut self, world: World, patterns: Patterns) -> StateRuns {
        let Pool { nodes, tables, .. } = &mut self.pool;
        nodes.names = world.names;
        nodes.runs = world.after;
        tables.cpusets = world.cpusets;
        tables.pusets = world.pusets;
        tables.states = world.states;
        tables.patterns = patterns;
        world.before
    }
}
