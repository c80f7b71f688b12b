//! One app of a plan: its runs, its ranks.

use super::claimed::Claimed;
use super::placed::{ListedRun, PassRun, Placed, PlacedRun, RankOrder, listed_by_node, row};
use super::rank::turns_on_node::{RoundTurns, RunOrders};
use super::sorted_index::SortedIndex;
use crate::count::{ProcCount, Rank};
use crate::id::Id as _;
use crate::table::apps::PolicyId;
use crate::table::names::NodeId;
use std::ops::Range;
use std::sync::OnceLock;

/// The order of an app's ranks, with data derived from it to answer questions quickly.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// Node by node, in placement order.
    Slot,
    /// Node by node, by the turns of each node.
    Fill(RunOrders),
    /// Round by round over nodes, by the turns of each node.
    Rounds(RunOrders),
    /// In the order of a list.
    Listed {
        /// The first app rank of each listed run.
        ranks: SortedIndex,
        /// Rows of the listed runs by ascending (node, local). Filled by the first question that needs them.
        by_node: OnceLock<Vec<u32>>,
    },
}

impl Order {
    /// `orders`: the orders of the nodes, if ranks go by turns.
    pub(super) fn new(order: &RankOrder, orders: Option<RunOrders>) -> Self {
        match (order, orders) {
            (RankOrder::Listed(listed), _) => Self::Listed {
                ranks: SortedIndex::new(listed.iter().map(|run| run.rank)),
                by_node: OnceLock::new(),
            },
            (RankOrder::Node | RankOrder::Span, Some(orders)) => Self::Rounds(orders),
            (RankOrder::Fill, Some(orders)) => Self::Fill(orders),
            (RankOrder::Slot | RankOrder::Fill | RankOrder::Node | RankOrder::Span, _) => {
                Self::Slot
            }
        }
    }
}

/// One process of an app: its run, its node within the run, and its number on that node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcInRun {
    pub(crate) run: u32,
    pub(crate) node: u32,
    pub(crate) local: u32,
}

/// One app of a plan.
#[derive(Clone, Debug)]
pub struct AppPlan {
    pub(crate) placed: Placed,
    /// The first rank of the app.
    pub(crate) base: Rank,
    /// Number of processes.
    pub(crate) procs: ProcCount,
    /// The first node of each run, ascending.
    firsts: SortedIndex,
    /// Rows of the runs by ascending node; empty if the runs already have that order.
    by_node: Vec<u32>,
    pub(super) order: Order,
    /// Its rows in the plan's rank ranges.
    pub(super) ranges: Range<u32>,
    /// The ranks of the same app of the line in earlier rows.
    pub(super) earlier: u32,
}

impl AppPlan {
    pub(super) fn new(placed: Placed, base: Rank, orders: Option<RunOrders>) -> Self {
        let runs = &placed.runs;
        let procs = runs.iter().map(|run| run.procs * run.nodes.count).sum();
        let by_node = if runs.is_sorted_by_key(|run| run.nodes.first) {
            Vec::new()
        } else {
            let mut rows: Vec<u32> = (0..row(runs.len())).collect();
            rows.sort_by_key(|&row| runs[row as usize].nodes.first);
            rows
        };
        let first = |at: usize| {
            let run = by_node.get(at).map_or(at, |&run| run as usize);
            runs[run].nodes.first
        };
        Self {
            procs: ProcCount(procs),
            firsts: SortedIndex::new((0..runs.len()).map(first)),
            order: Order::new(&placed.order, orders),
            placed,
            base,
            by_node,
            ranges: 0..0,
            earlier: 0,
        }
    }

    /// The policy, with its binding settled; `None` for a hole.
    #[must_use]
    pub const fn policy(&self) -> Option<PolicyId> {
        self.placed.policy
    }
    /// Where its processes are, in the job's node order.
    #[must_use]
    pub fn runs(&self) -> &[PlacedRun] {
        &self.placed.runs
    }
    /// The order of its ranks.
    #[must_use]
    pub const fn order(&self) -> &RankOrder {
        &self.placed.order
    }
    /// Where passes over its nodes ended; `None`: not recorded, or the policy has no passes that begin again.
    #[must_use]
    pub fn passes(&self) -> Option<&[PassRun]> {
        self.placed.passes.as_deref()
    }
    /// What it claimed of the nodes.
    #[must_use]
    pub const fn claimed(&self) -> &Claimed {
        &self.placed.claimed
    }
    /// Its first rank.
    #[must_use]
    pub const fn base(&self) -> Rank {
        self.base
    }
    /// The rank within its app of its first process: 0, unless it is a later part of an app whose ranks are mixed with others.
    #[must_use]
    pub const fn first_app_rank(&self) -> u32 {
        self.earlier
    }
    /// Its number of processes.
    #[must_use]
    pub const fn procs(&self) -> ProcCount {
        self.procs
    }
    /// Processes of the app on each node, as runs in the job's node order.
    pub fn counts(&self) -> impl Iterator<Item = (crate::table::names::NodeRange, u32)> + '_ {
        self.placed.runs.iter().map(|run| (run.nodes, run.procs))
    }
    /// The run that holds a node.
    #[must_use]
    pub fn run_of(&self, node: NodeId) -> Option<usize> {
        let node = row(node.row());
        let lowest = self.firsts.numbers().first();
        lowest.filter(|&&first| first <= node)?;
        let at = self.firsts.find(node);
        let found = self.by_node.get(at).map_or(at, |&run| run as usize);
        (node < self.placed.runs[found].nodes.end()).then_some(found)
    }

    /// How many processes of a run are in a round of its app.
    pub(super) fn weight(&self, run: u32, round: u32) -> u32 {
        let nodes = self.placed.runs[run as usize].nodes.count;
        self.in_round(run, round).count * nodes
    }

    /// The turns of each node of a run in a round of its app.
    pub(super) fn in_round(&self, run: u32, round: u32) -> RoundTurns {
        match &self.order {
            Order::Rounds(orders) => orders.in_round(run, round),
            Order::Slot | Order::Fill(_) | Order::Listed { .. } => {
                unreachable!("only ranks by node and span go in rounds")
            }
        }
    }

    /// Where an app rank of a list is. Cost: two searches.
    pub(super) fn listed_proc(&self, rank: u32) -> ProcInRun {
        let Order::Listed { ranks, .. } = &self.order else {
            unreachable!("the app was asked for its listed ranks")
        };
        let entry = self.listed()[ranks.find(rank)];
        let node = crate::id::Id::from_row(entry.node as usize);
        let run = self.run_of(node).expect("a listed node holds processes");
        ProcInRun {
            run: row(run),
            node: entry.node - self.placed.runs[run].nodes.first,
            local: entry.local + (rank - entry.rank),
        }
    }

    /// The app rank of a listed process: the inverse of [`Self::listed_proc`].
    pub(super) fn listed_rank(&self, node: u32, local: u32) -> u32 {
        let Order::Listed { by_node, .. } = &self.order else {
            unreachable!("the app was asked for its listed ranks")
        };
        let listed = self.listed();
        let by_node = by_node.get_or_init(|| listed_by_node(listed));
        let key = |&at: &u32| (listed[at as usize].node, listed[at as usize].local);
        let at = by_node.partition_point(|row| key(row) <= (node, local)) - 1;
        let entry = listed[by_node[at] as usize];
        entry.rank + (local - entry.local)
    }

    /// The runs of a listed order.
    pub(super) fn listed(&self) -> &[ListedRun] {
        match &self.placed.order {
            RankOrder::Listed(listed) => listed,
            RankOrder::Slot | RankOrder::Fill | RankOrder::Node | RankOrder::Span => &[],
        }
    }
}
