//! The nodes of a cluster: their names, how each stands, and its present state.

use super::Among;
use super::rows::Rows;
use super::view::View;
use crate::error::MapError;
use crate::id::{Column, Id as _};
use crate::map::{Machine, Mapped, make_plan, place_apps};
use crate::plan::Derived;
use crate::policy::Overload;
use crate::stage::alloc::Pool;
use crate::stage::job::JobOutcome;
use crate::stage::node::units::Hardware;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::Policy;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::states::{NodeState, Runs, StateRuns};
use crate::table::topologies::{Topologies, TopologyId};
use roaring::RoaringBitmap;
use std::sync::{Arc, OnceLock};

/// How a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Standing {
    /// Jobs start on it.
    #[default]
    Up,
    /// No job starts on it; those that run go on.
    Drained,
    /// It failed: no job starts on it.
    Down,
}

/// The tables may have this many rows that no node is in, and as many again as nodes are in, before they are made anew.
const ROWS_SPARE: usize = 256;

/// The nodes of a cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterNodes {
    pub(super) names: Arc<Names>,
    /// The node that the launcher runs on, if the cluster has it.
    pub(super) local: Option<NodeId>,
    pub(super) standing: Runs<Standing>,
    /// The present state of each node. No process is of the next job, so `own` is 0.
    pub(super) runs: StateRuns,
    pub(super) rows: Rows,
    /// How many states the nodes were in when the tables were last made anew.
    used_rows: usize,
    /// The nodes that are up, once a job needs them.
    open: OnceLock<Arc<View>>,
    /// Topologies as the inner loops see them, once a job needs them.
    hardware: Column<TopologyId, Option<Arc<Hardware>>>,
}

/// A node as it is now.
#[derive(Clone, Copy, Debug)]
pub struct NodeNow<'c> {
    /// Its place in the order of first mention.
    pub row: u32,
    /// How it stands.
    pub standing: Standing,
    /// Its slots, processes and hardware.
    pub state: &'c NodeState,
    topologies: &'c Arc<Topologies>,
    nodes: &'c ClusterNodes,
}

impl<'c> NodeNow<'c> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> String {
        self.nodes.names.name(NodeId::from_row(self.row as usize))
    }
    /// The table that has its topology.
    #[must_use]
    pub const fn topologies(&self) -> &'c Arc<Topologies> {
        self.topologies
    }
    /// Its cpus by OS number that no process took.
    #[must_use]
    pub fn free_cpus(&self) -> RoaringBitmap {
        let os = self.topologies.pus_os(self.state.topology);
        let free = self.nodes.rows.pusets.get(self.state.free);
        free.iter_ones().map(|pu| os[pu]).collect()
    }
}

impl ClusterNodes {
    pub(super) fn node<'c>(&'c self, machine: &'c Machine, row: u32) -> NodeNow<'c> {
        let id = NodeId::from_row(row as usize);
        NodeNow {
            row,
            standing: self.standing.state(id),
            state: self.rows.states.get(self.runs.state(id)),
            topologies: &machine.topologies,
            nodes: self,
        }
    }

    pub(super) fn set_standing(&mut self, nodes: &[NodeRange], standing: Standing) {
        for &range in nodes {
            self.standing.change(&mut [(range, standing)]);
        }
        self.open.take();
    }

    pub(super) fn remove(&mut self, nodes: &[NodeRange]) {
        let mut rows: Vec<u32> = nodes
            .iter()
            .flat_map(|range| range.first..range.end())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        for row in rows.into_iter().rev() {
            let node = NodeId::from_row(row as usize);
            Arc::make_mut(&mut self.names).remove(node);
            self.standing.remove(node);
            self.runs.remove(node);
            self.local = match self.local {
                Some(local) if local == node => None,
                Some(local) if local > node => Some(NodeId::from_row(local.row() - 1)),
                local => local,
            };
        }
        self.tidy();
    }

    /// The nodes that are up.
    pub(super) fn open(&self) -> &Arc<View> {
        self.open.get_or_init(|| Arc::new(View::open(self)))
    }

    /// Forgets what follows from names and standing, after these changed.
    pub(super) fn changed(&mut self) {
        self.open.take();
    }

    /// Places a job. Nothing changes when it is refused.
    pub(super) fn place(
        &mut self,
        machine: &Machine,
        mut resolved: Resolved,
        among: &Among,
    ) -> Result<Mapped, MapError> {
        let candidates = among.candidates.as_ref().or(machine.candidates.as_ref());
        let view = match candidates {
            Some(candidates) => Arc::new(View::of_candidates(self, candidates)),
            None => Arc::clone(self.open()),
        };
        view.check(self, &resolved, candidates)?;
        let before = view.gather(&self.runs);
        let mut work = Workspace::new(self.pool(machine, &view, before.clone()));
        let mut outcome = JobOutcome::default();
        let placed = place_apps(&mut work, &mut resolved, &among.components, &mut outcome);
        let after = std::mem::take(&mut work.pool.nodes.runs);
        let tables = &mut work.pool.tables;
        self.rows.states = std::mem::take(&mut tables.states);
        self.rows.pusets = std::mem::take(&mut tables.pusets);
        self.hardware = std::mem::take(&mut tables.hardware);
        placed?;
        // The plan has the rows that its own nodes are in, and no others.
        let (own, [was, left]) = self.rows.own([&before, &after]);
        (tables.states, tables.pusets) = (own.states, own.pusets);
        work.pool.nodes.runs = left;
        let derived = Derived::default();
        let mut mapped = make_plan(&mut work, &mut resolved, was, derived, &mut outcome);
        mapped.plan.check_gpus(&mut mapped.notes)?;
        let overloads = |policy: &Policy| policy.overload == Overload::Allowed;
        let mut policies = mapped.plan.resolved_apps().policies.values().iter();
        let keeps = match policies.any(overloads) {
            true => Keeps::WhatItFound,
            false => Keeps::All,
        };
        self.leave(&view, [&before, &after], keeps);
        Ok(mapped)
    }

    fn pool(&mut self, machine: &Machine, view: &View, runs: StateRuns) -> Pool {
        let mut pool = Pool::of_cluster(machine, Arc::clone(view.names()), view.local());
        pool.nodes.runs = runs;
        pool.tables.states = std::mem::take(&mut self.rows.states);
        pool.tables.pusets = std::mem::take(&mut self.rows.pusets);
        let known = std::mem::take(&mut self.hardware);
        for (id, hardware) in known.iter() {
            pool.tables.hardware[id].clone_from(hardware);
        }
        pool
    }

    /// Gives nodes the states that a job leaves.
    fn leave(&mut self, view: &View, [before, after]: [&StateRuns; 2], keeps: Keeps) {
        let mut changes = Vec::new();
        for (found, was) in before.iter() {
            for (part, left) in after.within(found).filter(|&(_, left)| left != was) {
                let row = *self.rows.states.get(left);
                let free = match keeps {
                    Keeps::All => row.free,
                    Keeps::WhatItFound => {
                        let pusets = &mut self.rows.pusets;
                        let mut free = pusets.get(row.free).to_bitvec();
                        free &= pusets.get(self.rows.states.get(was).free);
                        pusets.intern(&free)
                    }
                };
                let own = 0;
                let state = self.rows.states.intern(NodeState { free, own, ..row });
                changes.extend(view.rows(part).map(|rows| (rows, state)));
            }
        }
        self.runs.change(&mut changes);
        self.tidy();
    }

    /// Makes the tables anew if most of their rows are of states that no node is in.
    pub(super) fn tidy(&mut self) {
        self.open_if_changed();
        let (states, sets) = self.rows.len();
        if states.max(sets) > 2 * self.used_rows + ROWS_SPARE {
            let (own, [runs]) = self.rows.own([&self.runs]);
            (self.rows, self.runs) = (own, runs);
            let (states, sets) = self.rows.len();
            self.used_rows = states.max(sets);
        }
    }

    /// Forgets the nodes that are up if there are others now.
    fn open_if_changed(&mut self) {
        let nodes = self.names.len();
        if self.open.get().is_some_and(|view| view.of() != nodes) {
            self.open.take();
        }
    }
}

/// Which cpus a job keeps. When no cpu of a node is left, a job that may overload deals the node's cpus again. The cpus that it did
/// not find free stay with the jobs that hold them. So the cpus that each job took are its own, whichever job ends first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    All,
    WhatItFound,
}
