//! The nodes of a cluster: their names, how each stands, and its present state.

use super::among::Among;
use super::held::{HeldGpus, visible};
use super::room::{FirstNodes, GpusHeld, Need, Reach, Room, is_final};
use super::rows::Rows;
use super::standing::Standing;
use super::view::{View, named, named_by};
use crate::error::MapError;
use crate::id::Column;
use crate::id::Id as _;
use crate::map::{Components, Machine, Mapped, make_plan};
use crate::plan::kept::{Kept, joined};
use crate::plan::{Derived, Placed};
use crate::policy::Overload;
use crate::stage::alloc::Pool;
use crate::stage::job::JobOutcome;
use crate::stage::job::all_apps::place_apps;
use crate::stage::node::units::Hardware;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::Policy;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::states::{NodeState, Runs, StateId, StateRuns};
use crate::table::topologies::{Topologies, TopologyId};
use roaring::RoaringBitmap;
use std::sync::{Arc, OnceLock};

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
    /// The hardware of each node, with the GPUs that jobs hold.
    pub(super) whole: Runs<TopologyId>,
    /// Topologies of nodes without the GPUs that jobs hold.
    pub(super) held: HeldGpus,
    /// How many states the nodes were in when the tables were last made anew.
    used_rows: usize,
    /// The nodes that are up, once a job needs them.
    open: OnceLock<Arc<View>>,
    /// Those of them with room, once a job needs them.
    room: OnceLock<Arc<Room>>,
    /// Topologies as the inner loops see them, once a job needs them.
    pub(super) hardware: Column<TopologyId, Option<Arc<Hardware>>>,
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
    /// Its hardware: all its GPUs, those that jobs hold too.
    pub hardware: TopologyId,
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
    /// Visible numbers of its GPUs that no job holds, ascending.
    #[must_use]
    pub fn free_gpus(&self) -> Vec<u32> {
        let left = visible(self.topologies, self.state.topology);
        left.into_iter().collect()
    }
}

impl ClusterNodes {
    pub(super) fn node<'c>(&'c self, machine: &'c Machine, row: u32) -> NodeNow<'c> {
        let id = NodeId::from_row(row as usize);
        let state = self.rows.states.get(self.runs.state(id));
        NodeNow {
            row,
            standing: self.standing.state(id),
            state,
            hardware: self.whole.state(id),
            topologies: &machine.topologies,
            nodes: self,
        }
    }

    pub(super) fn set_standing(&mut self, nodes: &[NodeRange], standing: Standing) {
        for &range in nodes {
            self.standing.change(&mut [(range, standing)]);
        }
        self.changed();
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
            self.whole.remove(node);
            self.runs.remove(node);
            self.local = match self.local {
                Some(local) if local == node => None,
                Some(local) if local > node => Some(NodeId::from_row(local.row() - 1)),
                local => local,
            };
        }
        self.changed();
        self.tidy();
    }

    /// The nodes that are up.
    pub(super) fn open(&self) -> &Arc<View> {
        let open = || Arc::new(View::open(&self.names, self.local, &self.standing));
        self.open.get_or_init(open)
    }

    /// Forgets what follows from names and standing, after these changed.
    pub(super) fn changed(&mut self) {
        self.open.take();
        self.room.take();
    }

    /// Gives nodes other states.
    pub(super) fn change(&mut self, changes: &mut [(NodeRange, StateId)]) {
        self.runs.change(changes);
        if let Some(room) = self.room.get_mut() {
            let room = Arc::make_mut(room);
            for &(nodes, state) in &*changes {
                room.change(&self.standing, nodes, self.rows.states.get(state));
            }
        }
        self.tidy();
    }

    /// Places a job. Nothing changes when it is refused.
    pub(super) fn place(
        &mut self,
        machine: &Machine,
        resolved: Resolved,
        among: &Among,
    ) -> Result<Mapped, MapError> {
        let (names, local, standing) = (&self.names, self.local, &self.standing);
        let candidates = among.candidates.as_ref().or(machine.candidates.as_ref());
        let view = match candidates {
            Some(candidates) => Arc::new(View::of_candidates(names, local, standing, candidates)),
            None => Arc::clone(self.open()),
        };
        view.check(&self.names, &self.standing, &resolved, candidates)?;
        let components = &among.components;
        if candidates.is_none()
            && let Some((view, tried)) = self.on_first(machine, &resolved, components)
        {
            return self.enter(&view, tried);
        }
        let tried = self.tried(machine, &view, resolved, components)?;
        self.enter(&view, tried)
    }

    /// Places a job on the first nodes with room, if it would be placed alike on all. `None`: it may not be.
    fn on_first(
        &mut self,
        machine: &Machine,
        resolved: &Resolved,
        components: &Components,
    ) -> Option<(View, Tried)> {
        let held = match self.held.is_empty() {
            true => GpusHeld::None,
            false => GpusHeld::Some,
        };
        let mut need = Need::of(resolved, components, held)?;
        loop {
            let room = || Arc::new(Room::of(&self.standing, &self.runs, &self.rows.states));
            let room = self.room.get_or_init(room);
            let FirstNodes { mut nodes, reach } =
                room.first(need, &self.runs, &self.rows.states)?;
            if let Some(local) = self.local.map(|local| local.number())
                && self.standing.state(NodeId::from_row(local as usize)) == Standing::Up
                && !nodes.iter().any(|part| part.holds(local))
            {
                nodes.push(NodeRange::one(local));
            }
            if nodes.is_empty() {
                return None;
            }
            let view = View::new(&self.names, self.local, nodes);
            let tried = self.tried(machine, &view, resolved.clone(), components);
            let tried = tried.ok().filter(|tried| {
                reach == Reach::All || is_final(&tried.outcome.placed, &tried.resolved)
            });
            match (tried, reach) {
                (Some(tried), _) => return Some((view, tried)),
                (None, Reach::Some) => need = need.more(),
                (None, Reach::All) => return None,
            }
        }
    }

    /// Where a job goes on some nodes. Nothing changes yet.
    fn tried(
        &mut self,
        machine: &Machine,
        view: &View,
        mut resolved: Resolved,
        components: &Components,
    ) -> Result<Tried, MapError> {
        let held = self.held_gpus(machine, view);
        let before = view.gather(&self.runs);
        let mut work = Workspace::new(self.pool(machine, view, before.clone()));
        work.pool.nodes.held = held;
        let mut outcome = JobOutcome::default();
        let placed = place_apps(&mut work, &mut resolved, components, &mut outcome);
        let after = std::mem::take(&mut work.pool.nodes.runs);
        let tables = &mut work.pool.tables;
        self.rows.states = std::mem::take(&mut tables.states);
        self.rows.pusets = std::mem::take(&mut tables.pusets);
        self.hardware = std::mem::take(&mut tables.hardware);
        placed?;
        Ok(Tried {
            work,
            resolved,
            outcome,
            states: [before, after],
        })
    }

    /// Makes the plan of a job, and gives its nodes the states that it leaves.
    fn enter(&mut self, view: &View, tried: Tried) -> Result<Mapped, MapError> {
        let Tried {
            mut work,
            resolved,
            mut outcome,
            states: [before, after],
        } = tried;
        // The plan has its own nodes, the rows that these are in, and no others.
        let hosts = named_by(&resolved.hosts).flat_map(|range| view.names().find(range).0);
        let kept = own_nodes(&outcome.placed, [&before, &after], hosts);
        let [was, left] = [&before, &after].map(|runs| kept.states(runs));
        let (mut own, [was, left]) = self.rows.own([&was, &left]);
        let local = view.local().and_then(|local| kept.number(local.number()));
        work.pool.nodes.local = local.map(|local| NodeId::from_row(local as usize));
        if kept.count() < view.names().len() {
            work.pool.nodes.names = Arc::new(named(view.names(), kept.ranges()));
            outcome.placed.iter_mut().for_each(|app| kept.placed(app));
        }
        let tables = &mut work.pool.tables;
        if !self.held.is_empty() {
            let topologies =
                own.own_topologies(&tables.topologies, Arc::make_mut(&mut tables.cpusets));
            tables.topologies = Arc::new(topologies);
        }
        (tables.states, tables.pusets) = (own.states, own.pusets);
        work.pool.nodes.runs = left;
        let derived = &mut Derived::default();
        let mapped = make_plan(&work, resolved.apps, was, derived, &mut outcome)?;
        let overloads = |policy: &Policy| policy.overload == Overload::Allowed;
        let mut policies = mapped.plan.resolved_apps().policies.values().iter();
        let keeps = match policies.any(overloads) {
            true => Keeps::WhatItFound,
            false => Keeps::All,
        };
        self.leave(view, [&before, &after], keeps);
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
                        let pusets = Arc::make_mut(&mut self.rows.pusets);
                        let mut free = pusets.get(row.free).to_bitvec();
                        free &= pusets.get(self.rows.states.get(was).free);
                        pusets.intern(&free)
                    }
                };
                let own = 0;
                let state = self.rows.intern(NodeState { free, own, ..row });
                changes.extend(view.rows(part).map(|rows| (rows, state)));
            }
        }
        self.change(&mut changes);
    }

    /// Makes the tables anew if most of their rows are of states that no node is in.
    pub(super) fn tidy(&mut self) {
        let (states, sets) = self.rows.len();
        if states.max(sets) > 2 * self.used_rows + ROWS_SPARE {
            let (own, [runs]) = self.rows.own([&self.runs]);
            (self.rows, self.runs) = (own, runs);
            let (states, sets) = self.rows.len();
            self.used_rows = states.max(sets);
        }
    }
}

/// A job whose place is known, and the states of the nodes that it was shown, before and after it.
struct Tried {
    work: Workspace,
    resolved: Resolved,
    outcome: JobOutcome,
    states: [StateRuns; 2],
}

/// Which cpus a job keeps. When no cpu of a node is left, a job that may overload deals the node's cpus again. The cpus that it did
/// not find free stay with the jobs that hold them. So the cpus that each job took are its own, whichever job ends first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    All,
    WhatItFound,
}

/// The nodes of a job: those with its processes, those that it names, and those that it left in another state than it found them in.
fn own_nodes(
    placed: &[Placed],
    [before, after]: [&StateRuns; 2],
    named: impl Iterator<Item = NodeRange>,
) -> Kept {
    let runs = placed.iter().flat_map(|app| &app.runs);
    let mut own: Vec<NodeRange> = runs.map(|run| run.nodes).collect();
    own.extend(named);
    for (found, was) in before.iter() {
        let parts = after.within(found).filter(|&(_, left)| left != was);
        own.extend(parts.map(|(part, _)| part));
    }
    Kept::new(joined(own))
}
