//! Compares two plans: which ranks moved, and the one word that moved them.

// The option in which two requests differ.
pub mod cause;
// GPUs and network cards of processes.
mod devices;
// How many ranks moved, and how.
mod moved;
// Threads of processes.
mod threads;
// What differs, in words.
pub mod words;

use cause::Cause;
pub(crate) use devices::OtherGpus;
use devices::OtherNics;
pub use moved::Moved;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan, ProcTable};
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use threads::OtherThreads;

/// The most groups of ranks that are listed one by one.
const GROUPS_MAX: usize = 16;
/// The most runs kept for a group; beyond them, ranks are only counted.
const RUNS_KEPT: usize = 64;

/// What happened to a rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// It is on another node.
    Node,
    /// It is on the same node, but bound to other cpus.
    Cpus,
    /// Only its local rank differs.
    LocalRank,
    /// Only the GPUs that it is given differ.
    Gpus,
    /// Only the network cards that it is mapped to differ.
    Nics,
    /// Only the cpus of its threads differ.
    Threads,
    /// The second plan has no such rank.
    Gone,
    /// The first plan has no such rank.
    New,
}

impl Change {
    /// The word of the column `change`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Cpus => "cpus",
            Self::LocalRank => "local_rank",
            Self::Gpus => "gpus",
            Self::Nics => "nics",
            Self::Threads => "threads",
            Self::Gone => "gone",
            Self::New => "new",
        }
    }
}

/// The differences between two plans, counted by rank; as JSON it is the answer of `diff --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diff {
    /// Ranks with the same node, local rank, cpus, GPUs, network cards and threads in both.
    pub same: u32,
    /// Ranks that have another place.
    pub moved: Moved,
    /// Whether both plans have the same places, with other ranks on them.
    pub reordered: bool,
    /// Ranks that the second plan does not have.
    pub gone: u32,
    /// Ranks that the first plan does not have.
    pub new: u32,
    /// The one option in which the requests differ, if there is one.
    pub cause: Option<Cause>,
    /// The changes of a launcher's rules that moved ranks between two of its versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    #[serde(skip)]
    groups: Vec<Group>,
    /// Whether there were too many groups to list one by one.
    #[serde(skip)]
    coarse: bool,
}

/// Ranks with the same kind of change; while there are few groups, also with the same nodes before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Group {
    change: Change,
    nodes: Option<(u32, u32)>,
    ranks: u32,
    runs: Vec<(u32, u32)>,
}

impl Diff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.moved == Moved::default() && self.gone == 0 && self.new == 0
    }

    fn count(&mut self, change: Change, ranks: u32) {
        let counter = match change {
            Change::Node => &mut self.moved.node,
            Change::Cpus => &mut self.moved.cpus,
            Change::LocalRank => &mut self.moved.local_rank,
            Change::Gpus => &mut self.moved.gpus,
            Change::Nics => &mut self.moved.nics,
            Change::Threads => &mut self.moved.threads,
            Change::Gone => &mut self.gone,
            Change::New => &mut self.new,
        };
        *counter += ranks;
    }

    /// Counts neighbouring ranks that have the same change.
    fn add(&mut self, change: Change, nodes: (u32, u32), first: u32, last: u32) {
        let ranks = last - first + 1;
        self.count(change, ranks);
        let detail = (!self.coarse).then_some(nodes);
        let known = self.groups.iter_mut().rev();
        let mut known = known.filter(|group| group.change == change && group.nodes == detail);
        if let Some(group) = known.next() {
            group.ranks += ranks;
            let kept = group.runs.len();
            match group.runs.last_mut() {
                Some((_, end)) if *end + 1 == first => *end = last,
                _ if kept <= RUNS_KEPT => group.runs.push((first, last)),
                _ => {}
            }
            return;
        }
        self.groups.push(Group {
            change,
            nodes: detail,
            ranks,
            runs: vec![(first, last)],
        });
        if self.groups.len() > GROUPS_MAX && !self.coarse {
            self.coarsen();
        }
    }

    /// Merges the groups: from now on there is one for each kind of change.
    fn coarsen(&mut self) {
        self.coarse = true;
        let mut merged: Vec<Group> = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            match merged.iter_mut().find(|known| known.change == group.change) {
                Some(known) => {
                    known.ranks += group.ranks;
                    known.runs.extend(group.runs);
                }
                None => merged.push(Group {
                    nodes: None,
                    ..group
                }),
            }
        }
        for group in &mut merged {
            group.runs.sort_unstable();
            let mut joined: Vec<(u32, u32)> = Vec::new();
            for &(first, last) in &group.runs {
                match joined.last_mut() {
                    Some((_, end)) if *end + 1 == first => *end = last,
                    _ => joined.push((first, last)),
                }
            }
            joined.truncate(RUNS_KEPT + 1);
            group.runs = joined;
        }
        self.groups = merged;
    }
}

/// Translates the nodes and cpu sets of the second plan to the numbers of the first.
struct Translated {
    nodes: Option<Vec<u32>>,
    /// Shape `[cpu sets + 1]`; 0 is unbound.
    cpus: Vec<u32>,
}

impl Translated {
    /// Cost: the cpu sets; if the nodes differ, also the nodes.
    fn new(a: &Plan, b: &Plan) -> Self {
        let mut known: HashMap<String, u32> = HashMap::new();
        for (id, set) in a.world().cpusets.iter() {
            known.insert(list_form(set), number(Some(id)));
        }
        let mut beyond = u32::MAX;
        let mut cpus = vec![0];
        for (_, set) in b.world().cpusets.iter() {
            let found = known.get(&list_form(set)).copied();
            beyond -= u32::from(found.is_none());
            cpus.push(found.unwrap_or(beyond));
        }
        Self {
            nodes: translated_nodes(a, b),
            cpus,
        }
    }

    fn node(&self, node: u32) -> u32 {
        let nodes = self.nodes.as_ref();
        nodes.map_or(node, |nodes| nodes[node as usize])
    }
}

/// For each node of the second plan, its number in the first. A node that the first does not have gets a number of its own,
/// counted down from the largest. `None`: both plans have the same nodes.
fn translated_nodes(a: &Plan, b: &Plan) -> Option<Vec<u32>> {
    let (ours, theirs) = (&a.world().names, &b.world().names);
    if ours.ranges().eq(theirs.ranges()) {
        return None;
    }
    let mut nodes = Vec::with_capacity(theirs.len() as usize);
    let mut beyond = u32::MAX;
    for (_, range) in theirs.ranges() {
        let (found, missing) = ours.find(&range);
        if missing.is_none() {
            nodes.extend(found.iter().flat_map(|nodes| nodes.first..nodes.end()));
            continue;
        }
        for _ in 0..range.count {
            let name = theirs.name(stowplan_engine::table::names::NodeId::from_row(nodes.len()));
            let found = ours.find_name(&name).map(|node| node.row());
            beyond -= u32::from(found.is_none());
            nodes.push(
                found
                    .and_then(|row| u32::try_from(row).ok())
                    .unwrap_or(beyond),
            );
        }
    }
    Some(nodes)
}

/// A cpu set as a number; 0 for no set.
fn number(set: Option<CpusetId>) -> u32 {
    set.map_or(0, |set| u32::try_from(set.row() + 1).unwrap_or(u32::MAX))
}

/// Ranks whose rows are compared at once: the rows of both plans stay in a near cache.
const TOGETHER: u32 = 1 << 14;
/// The least number of ranks compared at once for each run of an app: starting in the middle of a plan has a cost.
const TOGETHER_PER_RUN: usize = 16;

/// All ranks, as ranges that are compared one after the other.
fn some_at_a_time(plans: [&Plan; 2], ranks: u32) -> impl Iterator<Item = Range<u32>> {
    let apps = plans.into_iter().flat_map(Plan::apps);
    let runs = apps.map(|app| app.runs().len()).max().unwrap_or(0);
    let step = u32::try_from(runs * TOGETHER_PER_RUN).unwrap_or(u32::MAX);
    let step = step.max(TOGETHER);
    let starts = (0..ranks).step_by(step as usize);
    starts.map(move |first| first..ranks.min(first.saturating_add(step)))
}

/// The node, local rank and cpu set of a row.
fn place(table: &ProcTable, row: Rank) -> (u32, u32, u32) {
    let node = u32::try_from(table.node(row).row()).unwrap_or(u32::MAX);
    (node, table.local_rank(row), number(table.cpus(row)))
}

/// A comparison in progress.
struct Comparing {
    diff: Diff,
    /// The current change, its nodes, and its first rank.
    open: Option<(Change, (u32, u32), u32)>,
}

impl Comparing {
    /// Adds the next rank, which is on these nodes.
    fn next(&mut self, at: u32, change: Option<Change>, nodes: (u32, u32)) {
        self.diff.same += u32::from(change.is_none());
        let now = change.map(|change| (change, nodes));
        if self.open.map(|(change, nodes, _)| (change, nodes)) == now {
            return;
        }
        self.close(at);
        self.open = now.map(|(change, nodes)| (change, nodes, at));
    }

    /// Ends the current change before this rank.
    fn close(&mut self, end: u32) {
        if let Some((change, nodes, first)) = self.open.take() {
            self.diff.add(change, nodes, first, end - 1);
        }
    }
}

/// Compares two plans rank by rank.
///
/// Cost: the runs if both plans are the same run by run, else a comparison per rank, with two searches where words for threads differ. Memory: some rows of both, and four bytes
/// a rank if both plans have the same number of ranks.
#[must_use]
pub fn diff(a: &Plan, b: &Plan) -> Diff {
    let mut diff = Diff {
        same: 0,
        moved: Moved::default(),
        reordered: false,
        gone: 0,
        new: 0,
        cause: cause::of_plans(a, b),
        changes: Vec::new(),
        groups: Vec::new(),
        coarse: false,
    };
    let translated = Translated::new(a, b);
    let gpus = OtherGpus::of(a, b);
    let nics = OtherNics::of(a, b);
    let mut threads = OtherThreads::of(a, b);
    let others = gpus.is_some() || threads.is_some() || a.nics() != b.nics();
    if !others && alike(a, b, &translated) {
        diff.same = a.ranks();
        return diff;
    }
    let mut comparing = Comparing { diff, open: None };
    let (mut ours, mut theirs) = (ProcTable::default(), ProcTable::default());
    let both = a.ranks().min(b.ranks());
    for ranks in some_at_a_time([a, b], both) {
        a.expand_rows(ranks.clone(), &mut ours);
        b.expand_rows(ranks.clone(), &mut theirs);
        for (row, at) in (0..).map(Rank).zip(ranks) {
            let (node, local, cpus) = place(&ours, row);
            let (their_node, their_local, their_cpus) = place(&theirs, row);
            let change = if node != translated.node(their_node) {
                Some(Change::Node)
            } else if cpus != translated.cpus[their_cpus as usize] {
                Some(Change::Cpus)
            } else if local != their_local {
                Some(Change::LocalRank)
            } else if gpus
                .as_ref()
                .is_some_and(|gpus| gpus.differ((node, local), their_node))
            {
                Some(Change::Gpus)
            } else if nics.as_ref().is_some_and(|own| own.differ(Rank(at))) {
                Some(Change::Nics)
            } else if threads.as_mut().is_some_and(|own| own.differ(Rank(at))) {
                Some(Change::Threads)
            } else {
                None
            };
            comparing.next(at, change, (node, their_node));
        }
    }
    comparing.close(both);
    let mut diff = comparing.diff;
    if a.ranks() > both {
        diff.add(Change::Gone, (0, 0), both, a.ranks() - 1);
    }
    if b.ranks() > both {
        diff.add(Change::New, (0, 0), both, b.ranks() - 1);
    }
    diff.reordered = a.ranks() == b.ranks()
        && [diff.moved.gpus, diff.moved.nics, diff.moved.threads] == [0; 3]
        && !diff.is_same()
        && (same_runs(a, b, &translated) || same_places([a, b], &translated));
    diff
}

/// Whether two plans have every rank on the same node, local rank and cpus.
///
/// Cost: that of [`diff`], up to the first ranks that differ.
#[must_use]
pub fn is_same(a: &Plan, b: &Plan) -> bool {
    let translated = Translated::new(a, b);
    if a.ranks() != b.ranks() {
        return false;
    }
    let (mut ours, mut theirs) = (ProcTable::default(), ProcTable::default());
    alike(a, b, &translated)
        || some_at_a_time([a, b], a.ranks()).all(|ranks| {
            a.expand_rows(ranks.clone(), &mut ours);
            b.expand_rows(ranks.clone(), &mut theirs);
            (0..row_count(&ranks)).map(Rank).all(|row| {
                let (node, local, cpus) = place(&theirs, row);
                let cpus = translated.cpus[cpus as usize];
                place(&ours, row) == (translated.node(node), local, cpus)
            })
        })
}

/// Whether both plans have the same apps with the same order of ranks, run by run. Cost: the runs, and the patterns of each.
fn alike(a: &Plan, b: &Plan, translated: &Translated) -> bool {
    let mut apps = a.apps().iter().zip(b.apps());
    a.bases() == b.bases()
        && apps.all(|(ours, theirs)| ours.order() == theirs.order())
        && same_runs(a, b, translated)
}

/// Whether both plans have the same runs of nodes app by app, in any order of ranks. Cost: the runs, and the patterns of each.
fn same_runs(a: &Plan, b: &Plan, translated: &Translated) -> bool {
    let same_run = |(ours, theirs): (&PlacedRun, &PlacedRun)| {
        let sizes = ours.nodes == theirs.nodes
            && ours.procs == theirs.procs
            && ours.own_before == theirs.own_before;
        let ours = a.patterns().get(ours.pattern).runs(ours.procs);
        let theirs = b.patterns().get(theirs.pattern).runs(theirs.procs);
        let mut theirs = theirs.map(|run| {
            let cpus = translated.cpus[number(run.place.cpus) as usize];
            (run.count, run.place.object, cpus)
        });
        let mut ours = ours.map(|run| (run.count, run.place.object, number(run.place.cpus)));
        sizes && ours.by_ref().eq(theirs.by_ref())
    };
    translated.nodes.is_none()
        && a.apps().len() == b.apps().len()
        && a.apps().iter().zip(b.apps()).all(|(ours, theirs)| {
            ours.runs().len() == theirs.runs().len()
                && ours.runs().iter().zip(theirs.runs()).all(same_run)
        })
}

/// For each node, the number of places on the nodes before it; then the number of all places. Shape `[nodes + 1]`.
fn starts(plan: &Plan) -> Vec<usize> {
    let mut starts = vec![0_usize; plan.world().names.len() as usize + 1];
    for run in plan.apps().iter().flat_map(|app| app.runs()) {
        for node in run.nodes.first..run.nodes.end() {
            starts[node as usize + 1] += run.procs as usize;
        }
    }
    for node in 1..starts.len() {
        starts[node] += starts[node - 1];
    }
    starts
}

/// Whether both plans have the same places: the same number of processes on each node, with the same cpus by local rank.
fn same_places([a, b]: [&Plan; 2], to: &Translated) -> bool {
    let starts = starts(a);
    // The number of each place's cpu set plus one; 0: no process has this place.
    let mut cpus = vec![0_u32; a.ranks() as usize];
    let mut table = ProcTable::default();
    for ranks in some_at_a_time([a, b], a.ranks()) {
        a.expand_rows(ranks.clone(), &mut table);
        for row in (0..row_count(&ranks)).map(Rank) {
            let (node, local, set) = place(&table, row);
            if let Some(place) = cpus.get_mut(starts[node as usize] + local as usize) {
                *place = set.saturating_add(1);
            }
        }
    }
    some_at_a_time([a, b], b.ranks()).all(|ranks| {
        b.expand_rows(ranks.clone(), &mut table);
        (0..row_count(&ranks)).map(Rank).all(|row| {
            let (node, local, set) = place(&table, row);
            let node = to.node(node) as usize;
            let Some(&end) = starts.get(node.saturating_add(1)) else {
                return false;
            };
            let at = starts[node] + local as usize;
            let there = to.cpus[set as usize].saturating_add(1);
            at < end && cpus.get(at) == Some(&there)
        })
    })
}

const fn row_count(ranks: &Range<u32>) -> u32 {
    ranks.end - ranks.start
}
