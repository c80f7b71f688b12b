//! Where each rank is, for all rank orders: ranges of ranks that are looked up in the same way. The data that a question needs is side by side, in half a cache line.
//!
//! For ranks node by node, a range is a placed run. For ranks round by round, a range is a phase, and the runs of the app are
//! in another table. Listed ranks of an app are one range. So one search finds app and run, or app and phase, whatever the apps
//! are. The explicit table is written from here too: the processor reads ahead in rows that are side by side, but would fetch
//! the tables of each app one after the other.

use super::turns_on_node::{Locals, RoundTurns, RunOrders};
use crate::plan::app::{AppPlan, Order};
use crate::plan::placed::{PlacedRun, row};
use crate::plan::places::Places;
use crate::plan::sorted_index::SortedIndex;
use crate::policy::ObjKind;

/// Where the places of a node's turns are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// In the table of all places: the n-th process has the n-th turn.
    Places,
    /// In the dealt table, beside the process of each turn.
    Dealt,
    /// Nowhere: the pattern and the node's order are asked.
    Asked,
}

/// The first node of a run, and how many processes each of its nodes held before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunNodes {
    pub(crate) first: u32,
    pub(crate) own_before: u32,
    pub(crate) used_before: u32,
}

/// A placed run, for ranks round by round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunTurns {
    pub(crate) nodes: RunNodes,
    /// How many nodes.
    pub(crate) count: u32,
    /// Row of the place that its first turn gets.
    pub(crate) start: u32,
    /// Where its first and second stretch of rounds end. In a stretch, each node has the same number of turns in every round.
    ends: [u32; 2],
    turns: [u16; 2],
    /// Whether there are more stretches, for which the app's [`RunOrders`] are asked.
    more: bool,
    pub(crate) kind: Option<ObjKind>,
    pub(crate) source: Source,
}

/// Successive rounds in which the same nodes take part, each with the same number of turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    pub(crate) app: u32,
    /// The first round, the number of rounds, and the processes of each round.
    pub(crate) round: u32,
    pub(crate) rounds: u32,
    pub(crate) width: u32,
    /// The first row of the app in [`RankRanges::turns`].
    pub(crate) turns: u32,
    /// Row of [`RankRanges::before`].
    pub(crate) before: u32,
    /// A block there has two to this power runs.
    pub(crate) block: u32,
}

/// A range of ranks of one app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(crate) enum RankRange {
    /// A placed run, node by node.
    Run {
        nodes: RunNodes,
        /// Row of the place that its first turn gets.
        start: u32,
        /// Processes on each node.
        procs: u32,
        app: u32,
        /// Row in [`AppPlan::runs`].
        run: u32,
        kind: Option<ObjKind>,
        source: Source,
    },
    Phase(Phase),
    Listed {
        app: u32,
    },
}

const _: () = assert!(size_of::<RankRange>() == 32 && size_of::<RunTurns>() == 36);

/// The ranks of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankRanges {
    /// The first rank of each range. Shape `[ranges]`.
    ranks: SortedIndex,
    /// Shape `[ranges]`.
    pub(crate) all: Vec<RankRange>,
    /// The runs of all apps whose ranks go round by round.
    pub(super) turns: Vec<RunTurns>,
    /// Processes of a round before each block of runs, and all of them at the end. Shape `[phases][blocks + 1]`.
    pub(super) before: Vec<SortedIndex>,
    /// Number of ranks of the plan.
    pub(crate) end: u32,
}

impl RankRanges {
    /// Gives each app its ranges. Cost: the runs, and what [`Self::add_phases`] says.
    pub(crate) fn new(apps: &mut [AppPlan], places: &Places) -> Self {
        let mut ranges = Self::default();
        let mut ranks = Vec::new();
        for (at, app) in (0..).zip(apps) {
            let first = row(ranges.all.len());
            let runs = &app.placed.runs;
            match &app.order {
                Order::Slot | Order::Fill(_) => {
                    let mut rank = app.base.0;
                    for (run, placed) in (0..).zip(runs) {
                        ranks.push(rank);
                        ranges.all.push(range_of_run(at, run, app, places));
                        rank += placed.procs * placed.nodes.count;
                    }
                }
                Order::Rounds(orders) => {
                    let own = ranges.add_phases(at, runs, orders);
                    ranks.extend(own.iter().map(|rank| app.base.0 + rank));
                    let turns = (0..).zip(runs);
                    let turns =
                        turns.map(|(run, placed)| RunTurns::new(run, placed, orders, places));
                    ranges.turns.extend(turns);
                }
                Order::Listed { .. } => {
                    ranks.push(app.base.0);
                    ranges.all.push(RankRange::Listed { app: at });
                }
            }
            app.ranges = first..row(ranges.all.len());
            ranges.end = app.base.0 + app.procs.0;
        }
        ranges.ranks = SortedIndex::new(ranks.into_iter());
        ranges
    }

    /// Which range a rank is in.
    #[inline]
    pub(crate) fn of_rank(&self, rank: u32) -> usize {
        self.ranks.find(rank)
    }

    /// One range.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &RankRange {
        &self.all[at]
    }

    /// The first rank of a range.
    #[inline]
    pub(crate) fn first(&self, at: usize) -> u32 {
        self.ranks.numbers()[at]
    }

    /// The first rank behind a range.
    #[inline]
    pub(crate) fn end_of(&self, at: usize) -> u32 {
        let next = self.ranks.numbers().get(at + 1);
        next.copied().unwrap_or(self.end)
    }

    /// The ranges of an app.
    pub(crate) fn of_app(&self, app: &AppPlan) -> &[RankRange] {
        &self.all[app.ranges.start as usize..app.ranges.end as usize]
    }

    /// The row of the phase that has a round of an app, and the phase.
    pub(crate) fn phase(&self, app: &AppPlan, round: u32) -> (usize, Phase) {
        let own = self.of_app(app);
        let before = |range: &RankRange| match range {
            RankRange::Phase(phase) => phase.round <= round,
            RankRange::Run { .. } | RankRange::Listed { .. } => false,
        };
        let at = own.partition_point(before) - 1;
        match own[at] {
            RankRange::Phase(phase) => (app.ranges.start as usize + at, phase),
            RankRange::Run { .. } | RankRange::Listed { .. } => {
                unreachable!("the first round is one of a phase")
            }
        }
    }

    /// The runs of a phase's app; runs of other apps follow.
    #[inline]
    pub(crate) fn turns(&self, phase: &Phase) -> &[RunTurns] {
        &self.turns[phase.turns as usize..]
    }

    /// The run of a phase that holds a place of a round, and the number of the place within the run. `weight`: processes of a
    /// run in the round.
    #[inline]
    pub(crate) fn run_at(
        &self,
        phase: &Phase,
        place: u32,
        weight: impl Fn(u32) -> u32,
    ) -> (u32, u32) {
        let before = &self.before[phase.before as usize];
        let block = before.find(place);
        let mut run = row(block << phase.block);
        let mut place = place - before.numbers()[block];
        if phase.block > 0 {
            loop {
                let own = weight(run);
                if place < own {
                    break;
                }
                place -= own;
                run += 1;
            }
        }
        (run, place)
    }

    /// Processes of a round of a phase before the block of a run.
    #[inline]
    pub(crate) fn before(&self, phase: &Phase, run: u32) -> u32 {
        let before = &self.before[phase.before as usize];
        before.numbers()[(run >> phase.block) as usize]
    }

    /// The first place of a run in a round of a phase: the inverse of [`Self::run_at`].
    pub(crate) fn place_of(&self, phase: &Phase, run: u32, weight: impl Fn(u32) -> u32) -> u32 {
        let others = run >> phase.block << phase.block..run;
        others.map(weight).sum::<u32>() + self.before(phase, run)
    }
}

fn range_of_run(at: u32, run: u32, app: &AppPlan, places: &Places) -> RankRange {
    let placed = &app.placed.runs[run as usize];
    let orders = match &app.order {
        Order::Fill(orders) => Some(orders),
        Order::Slot | Order::Rounds(_) | Order::Listed { .. } => None,
    };
    let locals = orders.map_or(Locals::Same, |orders| orders.locals(run));
    let (source, start) = source(placed, locals, places);
    RankRange::Run {
        nodes: RunNodes::from(placed),
        start,
        procs: placed.procs,
        app: at,
        run,
        kind: placed.kind,
        source,
    }
}

/// Where the places of the turns of a run's nodes are written, and from which row on.
pub(crate) fn source(placed: &PlacedRun, locals: Locals, places: &Places) -> (Source, u32) {
    match (locals, places.start(placed.pattern)) {
        (Locals::At(start), _) => (Source::Dealt, start),
        (Locals::Same, Some(start)) => (Source::Places, start),
        (Locals::Asked(_), _) | (Locals::Same, None) => (Source::Asked, 0),
    }
}

impl From<&PlacedRun> for RunNodes {
    fn from(run: &PlacedRun) -> Self {
        Self {
            first: run.nodes.first,
            own_before: run.own_before,
            used_before: run.used_before,
        }
    }
}

impl RunTurns {
    fn new(run: u32, placed: &PlacedRun, orders: &RunOrders, places: &Places) -> Self {
        let (source, start) = source(placed, orders.locals(run), places);
        let (mut ends, mut turns) = ([0; 2], [0; 2]);
        let rounds = orders.rounds(run);
        let mut more = rounds.len() > 2;
        for (at, equal) in rounds.iter().take(2).enumerate() {
            let Ok(count) = u16::try_from(equal.turns) else {
                more = true;
                break;
            };
            (ends[at], turns[at]) = (equal.end, count);
        }
        ends[1] = ends[1].max(ends[0]);
        Self {
            nodes: RunNodes::from(placed),
            count: placed.nodes.count,
            start,
            ends,
            turns,
            more,
            kind: placed.kind,
            source,
        }
    }

    /// The turns of a node in a round; `None`: they are not written here.
    #[inline]
    pub(crate) fn in_round(&self, round: u32) -> Option<RoundTurns> {
        let [first, second] = self.turns.map(u32::from);
        let behind = round.saturating_sub(self.ends[0]);
        let early = round - behind;
        let (count, until) = match round {
            _ if round < self.ends[0] => (first, self.ends[0]),
            _ if round < self.ends[1] => (second, self.ends[1]),
            _ if self.more => return None,
            _ => (0, u32::MAX),
        };
        Some(RoundTurns {
            first: early * first + behind * second,
            count,
            until,
        })
    }
}
