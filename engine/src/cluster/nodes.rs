//! The nodes of a cluster: their names, how each stands, and its present state.

use super::among::Among;
use super::held::{HeldGpus, visible};
use super::rows::Rows;
use crate::error::{MapError, PlaceError};
use crate::id::Column;
use crate::id::Id as _;
use crate::map::Candidates;
use crate::map::{Machine, Mapped, make_plan};
use crate::plan::kept::{Kept, joined};
use crate::plan::{Derived, Placed};
use crate::policy::Overload;
use crate::stage::alloc::Pool;
use crate::stage::alloc::build_pool::within_sessions;
use crate::stage::alloc::named::by_number;
use crate::stage::job::JobOutcome;
use crate::stage::job::all_apps::place_apps;
use crate::stage::node::units::Hardware;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::Policy;
use crate::table::names::{NameRange, Names, NodeId, NodeRange, cut_around, push_joined};
use crate::table::states::{NodeState, Runs, StateRuns};
use crate::table::topologies::{Topologies, TopologyId};
use crate::text::host_types::{HostEntry, HostfileWhat, Hosts};
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
    /// The hardware of each node, with the GPUs that jobs hold.
    pub(super) whole: Runs<TopologyId>,
    /// Topologies of nodes without the GPUs that jobs hold.
    pub(super) held: HeldGpus,
    /// How many states the nodes were in when the tables were last made anew.
    used_rows: usize,
    /// The nodes that are up, once a job needs them.
    open: OnceLock<Arc<View>>,
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
            self.whole.remove(node);
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
        let held = self.held_gpus(machine, &view);
        let before = view.gather(&self.runs);
        let mut work = Workspace::new(self.pool(machine, &view, before.clone()));
        work.pool.nodes.held = held;
        let mut outcome = JobOutcome::default();
        let placed = place_apps(&mut work, &mut resolved, &among.components, &mut outcome);
        let after = std::mem::take(&mut work.pool.nodes.runs);
        let tables = &mut work.pool.tables;
        self.rows.states = std::mem::take(&mut tables.states);
        self.rows.pusets = std::mem::take(&mut tables.pusets);
        self.hardware = std::mem::take(&mut tables.hardware);
        placed?;
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

/// Some nodes of a cluster, in the order in which a job sees them.
#[derive(Clone, Debug)]
pub(super) struct View {
    names: Arc<Names>,
    local: Option<NodeId>,
    /// Rows of the cluster, in the order of the view.
    pieces: Vec<NodeRange>,
    /// The first node of each piece in the view. Shape `[pieces]`.
    starts: Vec<u32>,
    /// How many nodes the cluster had.
    of: u32,
}

impl View {
    /// The nodes that are up, the launcher's own first.
    pub(super) fn open(nodes: &ClusterNodes) -> Self {
        let mut pieces = Vec::new();
        for (range, standing) in nodes.standing.iter() {
            if standing == Standing::Up {
                push_joined(&mut pieces, range);
            }
        }
        Self::new(nodes, pieces)
    }

    /// Those that are up and of the candidates, in the order of these.
    pub(super) fn of_candidates(nodes: &ClusterNodes, candidates: &Candidates) -> Self {
        let mut pieces = Vec::new();
        for range in &candidates.nodes {
            for found in nodes.names.find(range).0 {
                let up = nodes.standing.within(found);
                let up = up.filter(|&(_, standing)| standing == Standing::Up);
                up.for_each(|(part, _)| push_joined(&mut pieces, part));
            }
        }
        Self::new(nodes, pieces)
    }

    pub(super) fn new(nodes: &ClusterNodes, mut pieces: Vec<NodeRange>) -> Self {
        let local = nodes.local.map(|local| local.number());
        let local = local.filter(|&local| pieces.iter().any(|piece| piece.holds(local)));
        if let Some(local) = local {
            let rest = pieces.iter().flat_map(|&piece| cut_around(piece, local));
            let rest = rest.filter(|piece| piece.first != local);
            let mut own = vec![NodeRange::one(local)];
            rest.for_each(|piece| push_joined(&mut own, piece));
            pieces = own;
        }
        let mut next = 0;
        let starts = pieces.iter().map(|piece| {
            let start = next;
            next += piece.count;
            start
        });
        let starts = starts.collect();
        let whole = NodeRange::until(0, nodes.names.len());
        let names = match pieces[..] {
            [all] if all == whole => Arc::clone(&nodes.names),
            _ => Arc::new(named(&nodes.names, &pieces)),
        };
        Self {
            names,
            local: local.map(|_| NodeId::from_row(0)),
            pieces,
            starts,
            of: nodes.names.len(),
        }
    }

    pub(super) const fn names(&self) -> &Arc<Names> {
        &self.names
    }
    /// Rows of the cluster, in the order of the view, and the first node of each piece in the view.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (NodeRange, u32)> + '_ {
        let starts = self.starts.iter().copied();
        self.pieces.iter().copied().zip(starts)
    }
    pub(super) const fn local(&self) -> Option<NodeId> {
        self.local
    }
    /// How many nodes the cluster had when the view was made.
    pub(super) const fn of(&self) -> u32 {
        self.of
    }

    /// What the nodes of the cluster have, for those of the view.
    pub(super) fn gather(&self, runs: &StateRuns) -> StateRuns {
        let mut gathered = StateRuns::default();
        for &piece in &self.pieces {
            for (part, state) in runs.within(piece) {
                gathered.push(part.count, state);
            }
        }
        gathered
    }

    /// The rows that some nodes of the view are in the cluster.
    pub(super) fn rows(&self, nodes: NodeRange) -> impl Iterator<Item = NodeRange> + '_ {
        let from = self.starts.partition_point(|&start| start <= nodes.first) - 1;
        let pieces = self.pieces[from..].iter().zip(&self.starts[from..]);
        pieces.map_while(move |(piece, &start)| {
            let here = NodeRange::until(start, start + piece.count).overlap(nodes)?;
            Some(NodeRange {
                first: piece.first + (here.first - start),
                count: here.count,
            })
        })
    }

    /// Checks that there are nodes, that the job names none that is closed, and none outside its sessions.
    pub(super) fn check(
        &self,
        nodes: &ClusterNodes,
        resolved: &Resolved,
        candidates: Option<&Candidates>,
    ) -> Result<(), MapError> {
        if let Some(candidates) = candidates {
            within_sessions(resolved, candidates, &self.names)?;
        }
        let closed = |standing: Standing| standing != Standing::Up;
        let mut standings = nodes.standing.iter();
        let Some((first, standing)) = standings.find(|&(_, standing)| closed(standing)) else {
            return Ok(());
        };
        for range in named_by(&resolved.hosts) {
            let found = match by_number(&nodes.names, range) {
                Some(node) => [NodeRange::one(node.number())].as_slice().into(),
                None => nodes.names.find(range).0,
            };
            let mut parts = found
                .into_iter()
                .flat_map(|found| nodes.standing.within(found).collect::<Vec<_>>());
            if let Some((part, standing)) = parts.find(|&(_, standing)| closed(standing)) {
                return Err(refused(nodes, part, standing));
            }
        }
        if self.names.is_empty() {
            return Err(refused(nodes, first, standing));
        }
        Ok(())
    }
}

fn refused(nodes: &ClusterNodes, part: NodeRange, standing: Standing) -> MapError {
    PlaceError::NodeClosed {
        node: nodes.names.name(NodeId::from_row(part.first as usize)),
        why: match standing {
            Standing::Up => "up",
            Standing::Drained => "drained",
            Standing::Down => "down",
        },
    }
    .into()
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

/// The names of some nodes, in their order.
fn named(names: &Names, pieces: &[NodeRange]) -> Names {
    let mut all = Names::apart(names.shared_labels());
    for &piece in pieces {
        for range in names.ranges_within(piece) {
            let added = all.add(&range);
            added.expect("there are as many nodes as before");
        }
    }
    all
}

/// The ranges of names that host lists and hostfiles name.
pub(super) fn named_by(hosts: &Hosts) -> impl Iterator<Item = &NameRange> {
    let lists = hosts.lists.values().iter().flatten();
    let listed = lists
        .chain(&hosts.lsf_pool)
        .filter_map(|entry| match entry {
            HostEntry::Names(range, _) => Some(range),
            HostEntry::Nth(_) | HostEntry::Empty(_) => None,
        });
    let lines = hosts.hostfiles.values().iter().flat_map(|file| &file.lines);
    let in_files = lines.filter_map(|line| match &line.what {
        HostfileWhat::Name(range) | HostfileWhat::Ranked(range) => Some(range),
        HostfileWhat::Exclude(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => None,
    });
    listed.chain(in_files)
}
