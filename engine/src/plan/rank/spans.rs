//! RankSpans of ranks that are asked alike, and for each what a question needs, side by side: half a cache line.
//!
//! Node by node a stretch is a placed run; round by round it is a phase, and the runs of its app stand apart; what a file listed
//! is one. So one search finds app and run, or app and phase, whatever the apps are. The explicit table is written from here too:
//! what stands side by side is read ahead, where each app's own tables are fetched one after the other.

use super::order::{Order, ProcInRun};
use super::profile::{First, Profiles};
use super::rounds::Rounds;
use crate::plan::app::AppPlan;
use crate::plan::placed::{PlacedRun, row};
use crate::plan::places::{Packed, Places};
use crate::plan::steps::{Steps, WIDE};
use crate::policy::ObjKind;
use crate::table::patterns::PatternId;

/// Runs of a phase that are looked at one and all: a few cache lines side by side.
const NEAR: usize = 4 * WIDE;

/// Where what the turns of a node get stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Among all places: the n-th process has the n-th turn.
    Places,
    /// Among what is dealt, beside the process of each turn.
    Dealt,
    /// Nowhere: patterns and profiles are asked.
    Asked,
}

/// The nodes of a run, and what each of them held before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunNodes {
    pub(crate) first: u32,
    pub(crate) own_before: u32,
    pub(crate) used_before: u32,
}

/// A placed run, round by round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunTurns {
    pub(crate) nodes: RunNodes,
    /// How many nodes.
    pub(crate) count: u32,
    pub(crate) start: u32,
    /// The first round behind its first rounds, in which each node has equally many turns, and behind its second ones.
    ends: [u32; 2],
    counts: [u16; 2],
    pub(crate) kind: Option<ObjKind>,
    pub(crate) source: Source,
}

/// Rounds in which the same nodes have equally many turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseSpan {
    pub(crate) app: u32,
    /// Which of the app's phases.
    pub(crate) phase: u32,
    /// The first round, and processes of each.
    pub(crate) round: u32,
    pub(crate) width: u32,
    /// The first row of the app in [`RankSpans::turns`].
    pub(crate) turns: u32,
    /// Rows of [`RankSpans::near`] that say how many processes of a round come before each run; none: the app is asked.
    pub(crate) near: u32,
    pub(crate) lines: u32,
}

/// Ranks of one app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(crate) enum RankSpan {
    /// A placed run, node by node.
    Run {
        nodes: RunNodes,
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
pub(crate) struct RankSpans {
    /// The first rank of each. Shape `[stretches]`.
    pub(crate) ranks: Steps,
    /// Shape `[stretches]`.
    pub(crate) all: Vec<RankSpan>,
    /// The runs of all apps round by round.
    pub(crate) turns: Vec<RunTurns>,
    /// Processes of a round before each run, for phases of few runs, filled up with the largest number there is.
    pub(crate) near: Vec<[u32; WIDE]>,
    /// Ranks of the plan.
    pub(crate) end: u32,
}

/// Where a process is, and what it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FoundRank {
    pub(crate) app: u32,
    pub(crate) proc: ProcInRun,
    pub(crate) nodes: RunNodes,
    pub(crate) kind: Option<ObjKind>,
    pub(crate) packed: Packed,
}

impl RankSpans {
    /// Cost: the runs.
    pub(crate) fn new(apps: &[AppPlan], places: &Places) -> Self {
        let mut stretches = Self::default();
        let all = apps.iter().map(|app| app.first_ranks().len()).sum();
        stretches.all.reserve_exact(all);
        for (at, app) in (0..).zip(apps) {
            match &app.order {
                Order::Slot => stretches.add_runs(at, app, None, places),
                Order::Fill(profiles) => stretches.add_runs(at, app, Some(profiles), places),
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
    pub(crate) fn of_rank(&self, rank: u32) -> usize {
        self.ranks.find(0, rank)
    }

    /// One of them.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &RankSpan {
        &self.all[at]
    }

    /// The runs of a phase's app, others behind them.
    #[inline]
    pub(crate) fn turns(&self, phase: PhaseSpan) -> &[RunTurns] {
        &self.turns[phase.turns as usize..]
    }

    /// The first rank of each. Shape `[stretches]`.
    pub(crate) fn firsts(&self) -> &[u32] {
        self.ranks.row(0)
    }

    fn add_runs(&mut self, app: u32, plan: &AppPlan, profiles: Option<&Profiles>, places: &Places) {
        let runs = (0..).zip(&plan.placed.runs);
        self.all.extend(runs.map(|(run, placed)| {
            let first = profiles.map(|profiles| profiles.first(run));
            let (source, start) = source(placed.pattern, first, places);
            RankSpan::Run {
                nodes: RunNodes::from(placed),
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
        for (at, phase) in (0..).zip(rounds.phases()) {
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
                phase: at,
                round: phase.rounds.0,
                width: phase.width,
                turns: row(self.turns.len()),
                near,
                lines: row(self.near.len()) - near,
            }));
        }
    }

    fn add_turns(&mut self, plan: &AppPlan, profiles: Option<&Profiles>, places: &Places) {
        let runs = (0..).zip(&plan.placed.runs);
        self.turns
            .extend(runs.map(|(run, placed)| RunTurns::new(run, placed, profiles, places)));
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
pub(crate) fn source(pattern: PatternId, first: Option<&First>, places: &Places) -> (Source, u32) {
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
    fn new(run: u32, placed: &PlacedRun, profiles: Option<&Profiles>, places: &Places) -> Self {
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
            nodes: RunNodes::from(placed),
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
    pub(crate) fn in_round(&self, round: u32) -> Option<(u32, u32)> {
        let [first, second] = self.counts.map(u32::from);
        let behind = round.saturating_sub(self.ends[0]);
        let early = round - behind;
        let count = if round < self.ends[0] { first } else { second };
        (round < self.ends[1]).then_some((early * first + behind * second, count))
    }
}
