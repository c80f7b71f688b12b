//! One app of a plan: its runs, its ranks.

use super::placed::{ListedRun, PassRun, Placed, PlacedRun, RankOrder, listed_by_node, row};
use super::rank::order::{Met, Order, ProcInRun, Shared};
use super::rank::profile::OwnTurns;
use super::rank::rounds::{RoundScratch, Rounds, Turn};
use super::steps::Steps;
use crate::count::{ProcCount, Rank};
use crate::id::Id as _;
use crate::table::apps::PolicyId;
use crate::table::names::NodeId;
use crate::table::patterns::Patterns;

/// One app of a plan.
#[derive(Clone, Debug)]
pub struct AppPlan {
    pub(crate) placed: Placed,
    /// The first rank of the app.
    pub(crate) base: Rank,
    /// Its processes.
    pub(crate) procs: ProcCount,
    /// Processes before each run, in run order, and all of them at the end. Shape `[runs + 1]`.
    pub(super) before: Steps,
    /// The first node of each run, ascending.
    firsts: Steps,
    /// Runs by ascending node; empty when they stand so already.
    by_node: Vec<u32>,
    pub(super) order: Order,
}

impl AppPlan {
    pub(super) fn new(
        placed: Placed,
        base: Rank,
        met: Met,
        shared: &Shared,
        scratch: &mut RoundScratch,
    ) -> Self {
        let runs = &placed.runs;
        let sums = runs.iter().scan(0_u32, |sum, run| {
            *sum += run.procs * run.nodes.count;
            Some(*sum)
        });
        let before = Steps::one(runs.len() + 1, std::iter::once(0).chain(sums));
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
        let firsts = Steps::one(runs.len(), (0..runs.len()).map(first));
        let order = Order::new(&placed, met, shared, scratch);
        Self {
            procs: ProcCount(before.get(0, runs.len())),
            placed,
            base,
            before,
            firsts,
            by_node,
            order,
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
    /// Where passes over its nodes ended; `None` where that was not told.
    #[must_use]
    pub fn passes(&self) -> Option<&[PassRun]> {
        self.placed.passes.as_deref()
    }
    /// Its first rank.
    #[must_use]
    pub const fn base(&self) -> Rank {
        self.base
    }
    /// Its processes.
    #[must_use]
    pub const fn procs(&self) -> ProcCount {
        self.procs
    }
    /// The run that holds a node.
    #[must_use]
    pub fn run_of(&self, node: NodeId) -> Option<usize> {
        let node = row(node.row());
        let lowest = self.firsts.row(0).first();
        lowest.filter(|&&first| first <= node)?;
        let at = self.firsts.find(0, node);
        let found = self.by_node.get(at).map_or(at, |&run| run as usize);
        (node < self.placed.runs[found].nodes.end()).then_some(found)
    }
}

impl AppPlan {
    /// Processes of a run in a round of its app.
    pub(super) fn weight(&self, run: u32, round: u32) -> u32 {
        let placed = &self.placed.runs[run as usize];
        self.pairs(run, round) * placed.nodes.count
    }

    /// Processes of each node of a run in a round.
    pub(super) fn pairs(&self, run: u32, round: u32) -> u32 {
        self.own_turns(run, round).count
    }

    /// The turns of each node of a run in a round of its app.
    #[inline]
    pub(super) fn own_turns(&self, run: u32, round: u32) -> OwnTurns {
        match &self.order {
            Order::Span(_, profiles) => profiles.own_turns(run, round),
            Order::Slot | Order::Fill(_) | Order::Node(_) | Order::Listed { .. } => {
                let procs = self.placed.runs[run as usize].procs;
                OwnTurns {
                    first: round,
                    count: u32::from(procs > round),
                }
            }
        }
    }

    /// Where a listed app rank is. Cost: two searches.
    pub(super) fn listed_proc(&self, rank: u32) -> ProcInRun {
        let Order::Listed { ranks, .. } = &self.order else {
            unreachable!("the app was asked for its listed ranks")
        };
        self.proc_of(self.listed()[ranks.find(0, rank)], rank)
    }

    /// Where a rank of this listed run is.
    pub(super) fn proc_of(&self, entry: ListedRun, rank: u32) -> ProcInRun {
        let node = crate::id::Id::from_row(entry.node as usize);
        let run = self.run_of(node).expect("a listed node holds processes");
        ProcInRun {
            run: row(run),
            node: entry.node - self.placed.runs[run].nodes.first,
            local: entry.local + (rank - entry.rank),
        }
    }

    /// The app rank of a process: the inverse of `Plan::find`.
    pub(super) fn rank_at(&self, proc: ProcInRun, patterns: &Patterns) -> u32 {
        let run = &self.placed.runs[proc.run as usize];
        let first = || self.before.get(0, proc.run as usize) + proc.node * run.procs;
        let object = || {
            let place = patterns.get(run.pattern).place(proc.local);
            place
                .object
                .expect("fill and span need an object map (resolve refuses the rest)")
        };
        let rank = |rounds: &Rounds, round, place| {
            let turn = Turn {
                round,
                run: proc.run,
                place,
            };
            rounds.rank(turn, |run, round| self.weight(run, round))
        };
        match &self.order {
            Order::Slot => first() + proc.local,
            Order::Fill(profiles) => first() + profiles.turn(proc.run, proc.local, object()),
            Order::Node(rounds) => rank(rounds, proc.local, proc.node),
            Order::Span(rounds, profiles) => {
                let (round, turn) = profiles.round(proc.run, proc.local, object());
                let pairs = profiles.pairs(proc.run, round);
                rank(rounds, round, proc.node * pairs + turn)
            }
            Order::Listed { by_node, .. } => {
                let listed = self.listed();
                let by_node = by_node.get_or_init(|| listed_by_node(listed));
                let node = run.nodes.first + proc.node;
                let key = |&at: &u32| (listed[at as usize].node, listed[at as usize].local);
                let at = by_node.partition_point(|row| key(row) <= (node, proc.local)) - 1;
                let entry = listed[by_node[at] as usize];
                entry.rank + (proc.local - entry.local)
            }
        }
    }

    /// The runs of a listed order.
    pub(super) fn listed(&self) -> &[ListedRun] {
        match &self.placed.order {
            RankOrder::Listed(listed) => listed,
            RankOrder::Slot | RankOrder::Fill | RankOrder::Node | RankOrder::Span => &[],
        }
    }
}
