//! The cpus of the ranks of a node, in rank order, as launchers count the ranks of a node.

use crate::launchers::nodes::RankNodes;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, OnNode, Plan, RankOrder};
use stowplan_engine::table::cpusets::{CpusetId, Cpusets};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::states::StateId;

/// The most bound ranks that one node may have.
pub const NODE_RANKS_MAX: u64 = 1 << 20;

/// What a launcher cannot express: a sentence with the first node or rank concerned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unsaid(pub String);

/// Neighbours in a list that have the same cpus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Same {
    /// The number of ranks, at least 1.
    pub count: u32,
    /// The cpus of each; for unbound ranks, all cpus of the node.
    pub cpus: CpusetId,
    /// Whether the plan binds them.
    pub is_bound: bool,
}

/// The cpus of a node's ranks, by rank.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CpuList {
    /// Runs of neighbours with the same cpus.
    pub runs: Vec<Same>,
    /// The number of ranks.
    pub len: u32,
}

/// Neighbouring nodes with equal lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeGroup {
    /// The first node, by its number among nodes with ranks.
    pub first: u32,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of ranks on each node.
    pub ranks: u32,
    /// The row of their list; `None`: no rank is bound.
    pub list: Option<usize>,
}

/// What ranks are bound to, node by node.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Distinct lists; empty: no rank is bound.
    pub rows: Vec<CpuList>,
    /// All nodes, in their order.
    pub groups: Vec<NodeGroup>,
    /// The cpu sets of the plan, and for unbound ranks the sets of all cpus of their nodes.
    pub sets: Cpusets,
    /// The first node with an unbound rank, if other ranks are bound.
    pub unbound_on: Option<u32>,
}

/// A node with more bound ranks than [`NODE_RANKS_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany {
    /// The node, by its number.
    pub node: u32,
    /// Its ranks.
    pub ranks: u64,
}

impl CpuList {
    pub fn push(&mut self, run: Same) {
        self.len += run.count;
        match self.runs.last_mut() {
            Some(last) if (last.cpus, last.is_bound) == (run.cpus, run.is_bound) => {
                last.count += run.count;
            }
            Some(_) | None => self.runs.push(run),
        }
    }
    /// The cpus of each rank.
    pub fn iter(&self) -> impl Iterator<Item = CpusetId> + '_ {
        let runs = self.runs.iter();
        runs.flat_map(|run| std::iter::repeat_n(run.cpus, run.count as usize))
    }
    /// Whether the other list begins with this one.
    #[must_use]
    pub fn begins(&self, other: &Self) -> bool {
        self.len <= other.len
            && self
                .iter()
                .zip(other.iter())
                .all(|(own, other)| own == other)
    }
    /// The shortest list whose repetition begins with this list. Cost: linear.
    #[must_use]
    pub fn period(&self) -> Vec<CpusetId> {
        let mut all: Vec<CpusetId> = self.iter().collect();
        // For each prefix: the length of its longest proper prefix that is also its end.
        let mut border = vec![0_usize; all.len()];
        for at in 1..all.len() {
            let mut length = border[at - 1];
            while length > 0 && all[at] != all[length] {
                length = border[length - 1];
            }
            border[at] = length + usize::from(all[at] == all[length]);
        }
        let repeated = border.last().copied().unwrap_or(0);
        all.truncate(all.len() - repeated);
        all
    }
}

impl Lists {
    /// The lists of a plan.
    ///
    /// # Errors
    /// A node with more ranks than a list may have.
    ///
    /// Cost: placed runs; if ranks are bound, also the ranks of one node for each stretch of equal nodes.
    pub fn of(plan: &Plan, nodes: &RankNodes<'_>) -> Result<Self, TooMany> {
        let mut maker = Maker {
            plan,
            nodes,
            bound: if is_bound(plan) {
                Bound::Some
            } else {
                Bound::Nobody
            },
            lists: Self::default(),
            known: HashMap::new(),
            whole: HashMap::new(),
        };
        if maker.bound == Bound::Some {
            maker.lists.sets = Cpusets::clone(&plan.world().cpusets);
        }
        for (first, end) in stretches(plan, maker.bound) {
            maker.stretch(first, end)?;
        }
        Ok(maker.lists)
    }

    /// The longest list, if the list of every node is a beginning of it.
    ///
    /// # Errors
    /// The first node whose list is not, by its number.
    pub fn common(&self) -> Result<&CpuList, u32> {
        let rows = self.rows.iter().enumerate();
        let longest = rows.max_by_key(|(row, list)| (list.len, usize::MAX - row));
        let Some((longest, list)) = longest else {
            return Err(0);
        };
        let begins: Vec<bool> = self.rows.iter().map(|own| own.begins(list)).collect();
        let differs = |group: &&NodeGroup| group.list.is_some_and(|row| !begins[row]);
        match self.groups.iter().find(differs) {
            None => Ok(&self.rows[longest]),
            Some(group) => Err(group.first),
        }
    }
    /// The group of a node.
    #[must_use]
    pub fn group(&self, number: u32) -> &NodeGroup {
        let at = self.groups.partition_point(|group| group.first <= number);
        &self.groups[at.saturating_sub(1)]
    }
}

/// Whether ranks are bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// No rank is bound.
    Nobody,
    /// Some ranks are bound.
    Some,
}

/// Whether any rank is bound. Cost: the distinct patterns.
fn is_bound(plan: &Plan) -> bool {
    let any = |(_, pattern): (_, &stowplan_engine::table::patterns::Pattern)| {
        let runs = pattern.segments().iter().flat_map(|segment| &segment.runs);
        runs.into_iter().any(|run| run.place.cpus.is_some())
    };
    if !plan.patterns().iter().any(any) {
        return false;
    }
    let runs = plan.apps().iter().flat_map(|app| app.runs());
    runs.into_iter().any(|run| {
        let mut places = plan.patterns().get(run.pattern).runs(run.procs);
        // Unbound ranks may repeat for many rounds; a bound rank appears within the first round.
        places.any(|place| place.place.cpus.is_some())
    })
}

/// Stretches of nodes within which placed runs and node states stay the same: first and end, by the job's numbers.
pub(crate) fn stretches(plan: &Plan, bound: Bound) -> Vec<(u32, u32)> {
    let mut places: Vec<u32> = Vec::new();
    let mut listed: Vec<(u32, u32)> = Vec::new();
    for app in plan.apps() {
        for run in app.runs() {
            places.push(run.nodes.first);
            places.push(run.nodes.end());
            if matches!(app.order(), RankOrder::Listed(_)) && bound == Bound::Some {
                listed.push((run.nodes.first, run.nodes.end()));
            }
        }
    }
    if bound == Bound::Some {
        for (nodes, _) in plan.world().before.iter() {
            places.push(nodes.first);
            places.push(nodes.end());
        }
    }
    for (first, end) in listed {
        for node in first..end {
            places.push(node);
            places.push(node + 1);
        }
    }
    places.sort_unstable();
    places.dedup();
    let stretch = |two: &[u32]| (two[0], two[1]);
    places.windows(2).map(stretch).collect()
}

struct Maker<'p> {
    plan: &'p Plan,
    nodes: &'p RankNodes<'p>,
    bound: Bound,
    lists: Lists,
    known: HashMap<CpuList, usize>,
    whole: HashMap<StateId, CpusetId>,
}

impl Maker<'_> {
    fn stretch(&mut self, first: u32, end: u32) -> Result<(), TooMany> {
        let node = NodeId::from_row(first as usize);
        let on: Vec<OnNode<'_>> = self.plan.on_node(node).collect();
        let ranks: u64 = on.iter().map(|on| u64::from(on.run.procs)).sum();
        if ranks == 0 {
            return Ok(());
        }
        let number = self.nodes.number(first);
        let too_many = TooMany {
            node: number,
            ranks,
        };
        if self.bound == Bound::Some && ranks > NODE_RANKS_MAX {
            return Err(too_many);
        }
        let list = match self.bound {
            Bound::Some => Some(self.list(node, number, &on)),
            Bound::Nobody => None,
        };
        let group = NodeGroup {
            first: number,
            nodes: end - first,
            ranks: u32::try_from(ranks).map_err(|_| too_many)?,
            list,
        };
        match self.lists.groups.last_mut() {
            Some(last) if (last.ranks, last.list) == (group.ranks, group.list) => {
                last.nodes += group.nodes;
            }
            Some(_) | None => self.lists.groups.push(group),
        }
        Ok(())
    }

    /// The row of a node's list.
    fn list(&mut self, node: NodeId, number: u32, on: &[OnNode<'_>]) -> usize {
        let mut list = CpuList::default();
        for on in on {
            let pattern = self.plan.patterns().get(on.run.pattern);
            match self.plan.app(on.app).order() {
                RankOrder::Slot | RankOrder::Node => {
                    for run in pattern.runs(on.run.procs) {
                        let same = self.same(node, number, run.place.cpus, run.count);
                        list.push(same);
                    }
                }
                RankOrder::Fill | RankOrder::Span | RankOrder::Listed(_) => {
                    let mut locals: Vec<(Rank, u32)> = (0..on.run.procs)
                        .map(|local| (self.plan.rank_of(located(on, local)), local))
                        .collect();
                    locals.sort_unstable();
                    for (_, local) in locals {
                        let same = self.same(node, number, pattern.place(local).cpus, 1);
                        list.push(same);
                    }
                }
            }
        }
        let rows = &mut self.lists.rows;
        *self.known.entry(list).or_insert_with_key(|list| {
            rows.push(list.clone());
            rows.len() - 1
        })
    }

    fn same(&mut self, node: NodeId, number: u32, cpus: Option<CpusetId>, count: u32) -> Same {
        let is_bound = cpus.is_some();
        let cpus = cpus.unwrap_or_else(|| {
            self.lists.unbound_on.get_or_insert(number);
            self.whole(node)
        });
        Same {
            count,
            cpus,
            is_bound,
        }
    }

    /// All cpus of a node that may be used, as a set of the lists.
    fn whole(&mut self, node: NodeId) -> CpusetId {
        let world = self.plan.world();
        let state = world.before.state(node);
        let sets = &mut self.lists.sets;
        *self
            .whole
            .entry(state)
            .or_insert_with(|| sets.intern(allowed(self.plan, node)))
    }
}

/// All cpus of a node that may be used, by OS number.
#[must_use]
pub fn allowed(plan: &Plan, node: NodeId) -> roaring::RoaringBitmap {
    let world = plan.world();
    let state = world.states.get(world.before.state(node));
    let os = world.topologies.pus_os(state.topology);
    let bits = world.pusets.get(state.allowed);
    bits.iter_ones().map(|pu| os[pu]).collect()
}

/// A process of an app on a node.
#[must_use]
pub const fn located(on: &OnNode<'_>, local: u32) -> Located {
    Located {
        app: on.app,
        run: on.row,
        node: on.node,
        local,
    }
}
