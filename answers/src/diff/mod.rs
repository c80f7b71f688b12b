//! Two plans beside each other: which ranks moved, and the one word that moved them.

// The option in which two requests differ.
pub mod cause;
// What differs, in words.
pub mod words;

use cause::Cause;
use serde::Serialize;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan, ProcTable};
use stowplan_engine::table::cpusets::{CpusetId, list_form};

/// Groups of ranks that are told one by one.
const GROUPS_MAX: usize = 16;
/// Runs of a group that are kept; behind them ranks are counted.
const RUNS_KEPT: usize = 64;

/// What happened to a rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// It is on another node.
    Node,
    /// On the same node, bound to other cpus.
    Cpus,
    /// Its local rank alone is another.
    LocalRank,
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
            Self::Gone => "gone",
            Self::New => "new",
        }
    }
}

/// Ranks that moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Moved {
    /// To another node.
    pub node: u32,
    /// To other cpus of the same node.
    pub cpus: u32,
    /// To another local rank alone.
    pub local_rank: u32,
}

/// What differs between two plans, counted by rank; as JSON it is the answer of `diff --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diff {
    /// Ranks with the same node, local rank and cpus in both.
    pub same: u32,
    /// Ranks that are elsewhere.
    pub moved: Moved,
    /// Whether both have the same places, with other ranks on them.
    pub reordered: bool,
    /// Ranks that the second plan does not have.
    pub gone: u32,
    /// Ranks that the first plan does not have.
    pub new: u32,
    /// The one option in which the requests differ, if there is one.
    pub cause: Option<Cause>,
    #[serde(skip)]
    groups: Vec<Group>,
    /// Whether there were more kinds of change than are told one by one.
    #[serde(skip)]
    coarse: bool,
}

/// Ranks with the same change, where there are few kinds of it also from and to the same node.
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
            Change::Gone => &mut self.gone,
            Change::New => &mut self.new,
        };
        *counter += ranks;
    }

    /// Counts neighbouring ranks with one change.
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

    /// From now on one group for each kind of change.
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

/// Node and cpu set of the second plan in the numbers of the first.
struct Translated {
    nodes: Option<Vec<u32>>,
    /// Shape `[cpu sets + 1]`; 0 is unbound.
    cpus: Vec<u32>,
}

impl Translated {
    /// Cost: the cpu sets; where the nodes are not the same, the nodes.
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

/// The number of each node of the second plan in the first; numbers from the end for what that does not have. `None`: the
/// nodes of both are the same.
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

/// A cpu set as a number, 0 for none.
fn number(set: Option<CpusetId>) -> u32 {
    set.map_or(0, |set| u32::try_from(set.row() + 1).unwrap_or(u32::MAX))
}

/// Compares two plans rank by rank.
///
/// Cost: the runs where both are the same run by run; else a comparison per rank. Memory: forty bytes a rank.
#[must_use]
pub fn diff(a: &Plan, b: &Plan) -> Diff {
    let mut diff = Diff {
        same: 0,
        moved: Moved::default(),
        reordered: false,
        gone: 0,
        new: 0,
        cause: cause::of_plans(a, b),
        groups: Vec::new(),
        coarse: false,
    };
    let translated = Translated::new(a, b);
    if alike(a, b, &translated) {
        diff.same = a.ranks();
        return diff;
    }
    let (ours, theirs) = (a.expand(), b.expand());
    let both = a.ranks().min(b.ranks());
    let mut open: Option<(Change, (u32, u32), u32)> = None;
    let place = |table: &ProcTable, rank| {
        let node = u32::try_from(table.node(rank).row()).unwrap_or(u32::MAX);
        (node, table.local_rank(rank), number(table.cpus(rank)))
    };
    for at in 0..both {
        let rank = Rank(at);
        let (node, local, cpus) = place(&ours, rank);
        let (their_node, their_local, their_cpus) = place(&theirs, rank);
        let there = (
            translated.node(their_node),
            their_local,
            translated.cpus[their_cpus as usize],
        );
        let change = if node != there.0 {
            Some(Change::Node)
        } else if cpus != there.2 {
            Some(Change::Cpus)
        } else if local != there.1 {
            Some(Change::LocalRank)
        } else {
            diff.same += 1;
            None
        };
        let now = change.map(|change| (change, (node, their_node)));
        if let Some((change, nodes, first)) = open
            && now != Some((change, nodes))
        {
            diff.add(change, nodes, first, at - 1);
            open = None;
        }
        if let (None, Some((change, nodes))) = (open, now) {
            open = Some((change, nodes, at));
        }
    }
    if let Some((change, nodes, first)) = open {
        diff.add(change, nodes, first, both - 1);
    }
    if a.ranks() > both {
        diff.add(Change::Gone, (0, 0), both, a.ranks() - 1);
    }
    if b.ranks() > both {
        diff.add(Change::New, (0, 0), both, b.ranks() - 1);
    }
    diff.reordered =
        a.ranks() == b.ranks() && !diff.is_same() && same_places(a, (&ours, &theirs), &translated);
    diff
}

/// Whether both place the same apps in the same order run by run. Cost: the runs, and the patterns of each.
fn alike(a: &Plan, b: &Plan, translated: &Translated) -> bool {
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
        && a.bases() == b.bases()
        && a.apps().iter().zip(b.apps()).all(|(ours, theirs)| {
            ours.order() == theirs.order()
                && ours.runs().len() == theirs.runs().len()
                && ours.runs().iter().zip(theirs.runs()).all(same_run)
        })
}

/// Whether both have the same places: as many processes on each node, with the same cpus by local rank.
fn same_places(a: &Plan, (ours, theirs): (&ProcTable, &ProcTable), to: &Translated) -> bool {
    let nodes = a.world().names.len() as usize;
    let ranks = a.ranks() as usize;
    let mut starts = vec![0_usize; nodes + 1];
    for run in a.apps().iter().flat_map(|app| app.runs()) {
        for node in run.nodes.first..run.nodes.end() {
            starts[node as usize + 1] += run.procs as usize;
        }
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut cpus: Vec<Option<u32>> = vec![None; ranks];
    for rank in (0..a.ranks()).map(Rank) {
        let at = starts[ours.node(rank).row()] + ours.local_rank(rank) as usize;
        if let Some(place) = cpus.get_mut(at) {
            *place = Some(number(ours.cpus(rank)));
        }
    }
    (0..a.ranks()).map(Rank).all(|rank| {
        let node = u32::try_from(theirs.node(rank).row()).unwrap_or(u32::MAX);
        let node = to.node(node) as usize;
        let Some(&end) = starts.get(node + 1) else {
            return false;
        };
        let at = starts[node] + theirs.local_rank(rank) as usize;
        let there = to.cpus[number(theirs.cpus(rank)) as usize];
        at < end && cpus.get(at) == Some(&Some(there))
    })
}
