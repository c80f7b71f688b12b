//! Where a rank is: a search in the row of all apps' runs and phases.

use super::order::{Order, ProcInRun};
use super::profile::Dealt;
use super::spans::{FoundRank, PhaseSpan, RankSpan, RunNodes, Source};
use crate::plan::Plan;
use crate::plan::placed::row;
use crate::plan::places::Packed;
use crate::plan::steps::at_most;

impl Plan {
    /// Where a rank of the job is, and what it gets. Cost: a search, and for ranks by node and span another one; each, and what
    /// was found, in one to three cache lines.
    #[inline]
    pub(crate) fn find(&self, rank: u32) -> FoundRank {
        let stretches = &self.stretches;
        let at = stretches.ranks.find(0, rank);
        let inside = rank - stretches.ranks.get(0, at);
        match stretches.all[at] {
            RankSpan::Run {
                nodes,
                start,
                procs,
                app,
                run,
                kind,
                source,
            } => {
                let (node, turn) = (inside / procs, inside % procs);
                let got = self.gets(source, start, turn, self.orders.dealt_by_object());
                let (local, packed) = got.unwrap_or_else(|| self.asked(app, run, None, turn));
                let proc = ProcInRun { run, node, local };
                FoundRank {
                    app,
                    proc,
                    nodes,
                    kind,
                    packed,
                }
            }
            RankSpan::Phase(phase) => self.find_turn(phase, inside),
            RankSpan::Listed { app } => self.find_listed(app, inside),
        }
    }

    /// The same, in a phase.
    #[inline]
    fn find_turn(&self, phase: PhaseSpan, inside: u32) -> FoundRank {
        let app = phase.app;
        let round = phase.round + inside / phase.width;
        let (run, place) = self.run_in(phase, round, inside % phase.width);
        let turns = &self.stretches.turns[(phase.turns + run) as usize];
        let (first, count) = turns.in_round(round).unwrap_or_else(|| {
            let own = self.apps[app as usize].own_turns(run, round);
            (own.first, own.count)
        });
        let (node, at) = (place / count, place % count);
        let got = self.gets(
            turns.source,
            turns.start,
            first + at,
            self.orders.dealt_by_round(),
        );
        let (local, packed) = got.unwrap_or_else(|| self.asked(app, run, Some(round), at));
        FoundRank {
            app,
            proc: ProcInRun { run, node, local },
            nodes: turns.nodes,
            kind: turns.kind,
            packed,
        }
    }

    /// On which run of a phase a place in a round is, and which of the run's places.
    #[inline]
    pub(crate) fn run_in(&self, phase: PhaseSpan, round: u32, place: u32) -> (u32, u32) {
        if phase.lines > 0 {
            let near = &self.stretches.near[phase.near as usize..][..phase.lines as usize];
            let found: usize = near.iter().map(|line| at_most(line, place)).sum();
            let run = found - 1;
            return (row(run), place - near.as_flattened()[run]);
        }
        let plan = &self.apps[phase.app as usize];
        let (Order::Node(rounds) | Order::Span(rounds, _)) = &plan.order else {
            unreachable!("only rounds have phases")
        };
        let weight = |run, round| plan.weight(run, round);
        rounds.run(phase.phase as usize, round, place, weight)
    }

    /// Which process has a turn, and what it gets, where that stands written out.
    #[inline]
    pub(crate) fn gets(
        &self,
        source: Source,
        start: u32,
        turn: u32,
        dealt: Dealt<'_>,
    ) -> Option<(u32, Packed)> {
        let row = (start + turn) as usize;
        match source {
            Source::Places => Some((turn, self.places.all()[row])),
            Source::Dealt => Some((dealt.locals[row], dealt.places[row])),
            Source::Asked => None,
        }
    }

    /// Which process of a run has a turn: in a round, or of all.
    #[cold]
    fn asked(&self, app: u32, run: u32, round: Option<u32>, at: u32) -> (u32, Packed) {
        let plan = &self.apps[app as usize];
        let local = match (&plan.order, round) {
            (Order::Fill(profiles) | Order::Span(_, profiles), round) => {
                profiles.local(run, round, at)
            }
            (Order::Node(_), Some(round)) => round,
            (Order::Slot | Order::Node(_) | Order::Listed { .. }, _) => at,
        };
        let pattern = plan.placed.runs[run as usize].pattern;
        (local, self.places.packed(pattern, local, &self.patterns))
    }

    #[inline(never)]
    fn find_listed(&self, app: u32, rank: u32) -> FoundRank {
        let plan = &self.apps[app as usize];
        let proc = plan.listed_proc(rank);
        let run = &plan.placed.runs[proc.run as usize];
        FoundRank {
            app,
            proc,
            nodes: RunNodes::from(run),
            kind: run.kind,
            packed: self.places.packed(run.pattern, proc.local, &self.patterns),
        }
    }
}
