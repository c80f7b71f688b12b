//! RankSpans of ranks that are asked alike, and for each what a question needs, side by side: half a cache line.
//!
//! Node by node a stretch is a placed run; round by round it is a band, and the runs of its app stand apart; what a file listed
//! is one. So one search finds app and run, or app and band, whatever the apps are. The explicit table is written from here too:
//! what stands side by side is read ahead, where each app's own tables are fetched one after the other.

use super::app::AppPlan;
use super::order::{Order, ProcInRun};
use super::placed::{PlacedRun, row};
use super::places::{Packed, Places};
use super::profile::{First, Profiles};
use super::rounds::Rounds;
use super::steps::{Steps, WIDE};
use crate::policy::ObjKind;
use crate::table::patterns::PatternId;

/// Runs of a band that are looked at one and all: a few cache lines side by side.
const NEAR: usize = 4 * WIDE;

/// Where what the turns of a node get stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Among all places: the n-th process has the n-th turn.
    Places,
    /// Among what is dealt, beside the process of each turn.
    Dealt,
    /// Nowhere: patterns and profiles are asked.
    Asked,
}

/// The nodes of a run, and what each of them held before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Nodes {
    pub(super) first: u32,
    pub(super) own_before: u32,
    pub(super) used_before: u32,
}

/// A placed run, round by round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RunTurns {
    pub(super) nodes: Nodes,
    /// How many nodes.
    pub(super) count: u32,
    pub(super) start: u32,
    /// The first round behind its first rounds, in which each node has equally many turns, and behind its second ones.
    ends: [u32; 2],
    counts: [u16; 2],
    pub(super) kind: Option<ObjKind>,
    pub(super) source: Source,
}

/// Rounds in which the same nodes have equally many turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PhaseSpan {
    pub(super) app: u32,
    /// Which of the app's bands.
    pub(super) band: u32,
    /// The first round, and processes of each.
    pub(super) round: u32,
    pub(super) width: u32,
    /// The first row of the app in [`RankSpans::turns`].
    pub(super) turns: u32,
    /// Rows of [`RankSpans::near`] that say how many processes of a round come before each run; none: the app is asked.
    pub(super) near: u32,
    pub(super) lines: u32,
}

/// Ranks of one app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(super) enum RankSpan {
    /// A placed run, node by node.
    Run {
        nodes: Nodes,
        /// Where what its first turn gets stands.
        start: u32,
        /// Processes of each node.
        procs: u32,
        app: u32,
        /// Row in [`AppPlan::runs`].
        run: u32,
        kind: Option<ObjKind>,
        source: Source,
    },
    Phase(PhaseSpan),
    Listed {
        app: u32,
    },
}

const _: () = assert!(size_of::<RankSpan>() == 32 && size_of::<RunTurns>() == 36);

/// The ranks of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct RankSpans {
    /// The first rank of each. Shape `[stretches]`.
    pub(super) ranks: Steps,
    /// Shape `[stretches]`.
    pub(super) all: Vec<RankSpan>,
    /// The runs of all apps round by round.
    pub(super) turns: Vec<RunTurns>,
    /// Processes of a round before each run, for bands of few runs, filled up with the largest number there is.
    pub(super) near: Vec<[u32; WIDE]>,
    /// Ranks of the plan.
    pub(super) end: u32,
}

/// Where a process is, and what it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FoundRank {
    pub(super) app: u32,
    pub(super) proc: ProcInRun,
    pub(super) nodes: Nodes,
    pub(super) kind: Option<ObjKind>,
    pub(super) packed: Packed,
}

impl RankSpans {
    /// Cost: the runs.
    pub(super) fn new(apps: &[AppPlan], places: &Places) -> Self {
        let mut stretches = Self::default();
        let all = apps.iter().map(|app| app.first_ranks().len()).sum();
        stretches.all.reserve_exact(all);
        for (at, app) in (0..).zip(apps) {
            match &app.order {
                Order::Slot => stretches.add_runs((at, app), None, places),
                Order::Fill(profiles) => stretches.add_runs((at, app), Some(profiles), places),
                Order::Node(rounds) => {
                    stretches.add_bands(at, rounds);
                    stretches.add_turns(app, None, places);
                }
                Order::Span(rounds, profiles) => {
                    stretches.add_bands(at, rounds);
                    stretches.add_turns(app, Some(profiles), places);
                }
                Order::Listed { .. } => stretches.all.push(RankSpan::Listed { app: at }),
            }
        }
        let ranks = apps.iter().flat_map(|app| {
            let firsts = app.first_ranks().iter();
            firsts.map(|rank| app.base.0 + rank)
        });
        stretches.ranks = Steps::one(all, ranks);
        stretches.end = apps.last().map_or(0, |app| app.base.0 + app.procs.0);
        stretches
    }

    /// Which stretch a rank is in.
    #[inline]
    pub(super) fn of_rank(&self, rank: u32) -> usize {
        self.ranks.find(0, rank)
    }

    /// One of them.
    #[inline]
    pub(super) fn get(&self, at: usize) -> &RankSpan {
        &self.all[at]
    }

    /// The runs of a band's app, others behind them.
    #[inline]
    pub(super) fn turns(&self, band: PhaseSpan) -> &[RunTurns] {
        &self.turns[band.turns as usize..]
    }

    /// The first rank of each. Shape `[stretches]`.
    pub(super) fn firsts(&self) -> &[u32] {
        self.ranks.row(0)
    }

    fn add_runs(
        &mut self,
        (app, plan): (u32, &AppPlan),
        profiles: Option<&Profiles>,
        places: &Places,
    ) {
        let runs = (0..).zip(&plan.placed.runs);
        self.all.extend(runs.map(|(run, placed)| {
            let first = profiles.map(|profiles| profiles.first(run));
            let (source, start) = source(placed.pattern, first, places);
            RankSpan::Run {
                nodes: Nodes::from(placed),
                start,
                procs: placed.procs,
                app,
                run,
                kind: placed.kind,
                source,
            }
        }));
    }

    fn add_bands(&mut self, app: u32, rounds: &Rounds) {
        for (at, band) in (0..).zip(rounds.bands()) {
            let near = row(self.near.len());
            if let Some(before) = rounds.before_runs(at as usize)
                && before.len() <= NEAR
            {
                self.near.extend(before.chunks(WIDE).map(|before| {
                    let mut line = [u32::MAX; WIDE];
                    line[..before.len()].copy_from_slice(before);
                    line
                }));
            }
            self.all.push(RankSpan::Phase(PhaseSpan {
                app,
                band: at,
                round: band.rounds.0,
                width: band.width,
                turns: row(self.turns.len()),
                near,
                lines: row(self.near.len()) - near,
            }));
        }
    }

    fn add_turns(&mut self, plan: &AppPlan, profiles: Option<&Profiles>, places: &Places) {
        let runs = (0..).zip(&plan.placed.runs);
        self.turns
            .extend(runs.map(|run| RunTurns::new(run, profiles, places)));
    }
}

impl AppPlan {
    /// The first app rank of each of its stretches.
    fn first_ranks(&self) -> &[u32] {
        match &self.order {
            Order::Slot | Order::Fill(_) => &self.before.row(0)[..self.placed.runs.len()],
            Order::Node(rounds) | Order::Span(rounds, _) => rounds.first_ranks(),
            Order::Listed { .. } => &[0],
        }
    }
}

/// Where what the turns of a run's nodes get stands, and from which row on.
#[inline]
pub(super) fn source(pattern: PatternId, first: Option<&First>, places: &Places) -> (Source, u32) {
    let dealt = first.and_then(First::dealt);
    match (
        dealt,
        first.is_some_and(First::is_asked),
        places.of(pattern),
    ) {
        (Some(start), _, _) => (Source::Dealt, start),
        (None, false, Some(_)) => (Source::Places, places.start(pattern)),
        (None, true, _) | (None, false, None) => (Source::Asked, 0),
    }
}

impl From<&PlacedRun> for Nodes {
    fn from(run: &PlacedRun) -> Self {
        Self {
            first: run.nodes.first,
            own_before: run.own_before,
            used_before: run.used_before,
        }
    }
}

impl RunTurns {
    fn new((run, placed): (u32, &PlacedRun), profiles: Option<&Profiles>, places: &Places) -> Self {
        let first = profiles.map(|profiles| profiles.first(run));
        let (source, start) = source(placed.pattern, first, places);
        let mut ends = [placed.procs; 2];
        let mut counts = [1; 2];
        if let Some(profiles) = profiles {
            (ends, counts) = ([0; 2], [0; 2]);
            for (at, step) in profiles.steps_of(run).iter().take(2).enumerate() {
                // What does not fit is asked for: there are no such rounds here.
                let Ok(count) = u16::try_from(step.pairs) else {
                    break;
                };
                (ends[at], counts[at]) = (step.end, count);
            }
            ends[1] = ends[1].max(ends[0]);
        }
        Self {
            nodes: Nodes::from(placed),
            count: placed.nodes.count,
            start,
            ends,
            counts,
            kind: placed.kind,
            source,
        }
    }

    /// The first turn of a node in a round, and how many it has there; `None`: that does not stand here.
    #[inline]
    pub(super) fn in_round(&self, round: u32) -> Option<(u32, u32)> {
        let [first, second] = self.counts.map(u32::from);
        let behind = round.saturating_sub(self.ends[0]);
        let early = round - behind;
        let count = if round < self.ends[0] { first } else { second };
        (round < self.ends[1]).then_some((early * first + behind * second, count))
    }
}
