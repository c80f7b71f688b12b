//! What placing the apps of a job works on, one after the other: nodes, which change; tables, which grow; what may be dropped
//! without changing an answer.

use crate::plan::{Derived, Placed, PlacedRun, Plan, World};
use crate::stage::alloc::Pool;
use crate::stage::place::cache::Cache;
use crate::stage::place::commit::commit;
use crate::stage::place::outcome::Outcome;
use crate::stage::place::placement::On;
use crate::stage::place::scratch::Scratch;
use crate::table::apps::AppTable;
use crate::table::patterns::Patterns;
use crate::table::states::StateRuns;
use std::sync::Arc;

/// The pool of a job, and what placing keeps beside it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// Nodes and tables.
    pub(crate) pool: Pool,
    /// What policies made of node states: a cache.
    pub(crate) cache: Cache,
    /// Scratch.
    pub(crate) scratch: Scratch,
}

impl Site {
    /// Nothing worked out yet.
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            pool,
            cache: Cache::default(),
            scratch: Scratch::default(),
        }
    }

    /// A copy for apps that compete with no others; see `job/branch.rs`.
    pub(crate) fn branch(&self) -> Self {
        Self::new(self.pool.branch())
    }

    /// What an app is placed on.
    pub(crate) fn on(&mut self) -> On<'_> {
        On {
            nodes: &self.pool.nodes,
            tables: &mut self.pool.tables,
            cache: &mut self.cache,
            scratch: &mut self.scratch,
        }
    }

    /// Gives the nodes what an app comes to.
    pub(crate) fn commit(&mut self, outcome: Outcome) -> Placed {
        commit(&mut self.pool.nodes, &mut self.scratch, outcome)
    }

    /// What the plan keeps, and the patterns. The tables are the plan's then: see [`Self::take_back`].
    pub(crate) fn lend(&mut self, before: StateRuns) -> (World, Patterns, Derived) {
        let world = World {
            names: Arc::unwrap_or_clone(std::mem::take(&mut self.pool.nodes.names)),
            topologies: Arc::clone(&self.pool.tables.topologies),
            cpusets: std::mem::take(&mut self.pool.tables.cpusets),
            pusets: std::mem::take(&mut self.pool.tables.pusets),
            states: std::mem::take(&mut self.pool.tables.states),
            before,
            after: std::mem::take(&mut self.pool.nodes.runs),
            local: self.pool.nodes.local,
        };
        let derived = std::mem::take(&mut self.scratch.derived);
        (
            world,
            std::mem::take(&mut self.pool.tables.patterns),
            derived,
        )
    }

    /// Vectors of placed runs to fill again, those of the first app first.
    pub(crate) fn keep_room(&mut self, runs: impl Iterator<Item = Vec<PlacedRun>>) {
        let kept = &mut self.scratch.placed;
        kept.clear();
        kept.extend(runs.filter(|runs| runs.capacity() > 0));
        // They are taken from the end.
        kept.reverse();
    }

    /// Room for placing so many apps again.
    pub(crate) fn even_out(&mut self, apps: usize) {
        self.scratch.placed.reserve(apps);
        self.scratch
            .roots
            .resize(self.pool.tables.states.len(), None);
    }

    /// As the job finds the nodes, for a plan.
    pub(crate) fn found_again(&mut self, found: &StateRuns) -> StateRuns {
        let mut before = std::mem::take(&mut self.scratch.before);
        before.copy(found);
        before
    }

    /// The tables that a plan had are the site's again; gives that of its apps.
    pub(crate) fn take_back(&mut self, plan: Plan) -> AppTable {
        let (world, table, patterns, derived, placed) = plan.into_tables();
        self.scratch.derived = derived;
        self.keep_room(placed);
        self.scratch.before = world.before;
        self.pool.nodes.names = Arc::new(world.names);
        self.pool.tables.cpusets = world.cpusets;
        self.pool.tables.pusets = world.pusets;
        self.pool.tables.states = world.states;
        self.pool.nodes.runs = world.after;
        self.pool.tables.patterns = patterns;
        table
    }
}
