//! Where a rank is, and which rank a process has: searches over the runs and phases of all apps.

use super::ranges::{Phase, RankRange, RunNodes, Source};
use super::turns_on_node::{Dealt, TurnLocals, TurnsBy};
use crate::plan::Plan;
use crate::plan::app::{Order, ProcInRun};
use crate::plan::places::Packed;
use crate::policy::ObjKind;

/// Where a process is, and what it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FoundRank {
    pub(crate) app: u32,
    pub(crate) proc: ProcInRun,
    pub(crate) nodes: RunNodes,
    pub(crate) kind: Option<ObjKind>,
    pub(crate) packed: Packed,
}

impl Plan {
    /// Where a rank of the job is, and what it gets. Cost: a search, and another one for ranks by node and span. Each search,
    /// with the row that it finds, takes one to three cache lines. Always inlined: the caller reads the result from registers.
    /// Otherwise it would read memory that was just written in other parts, and wait for it.
    #[inline(always)]
    pub(crate) fn find(&self, rank: u32) -> Option<FoundRank> {
        if rank >= self.ranges.end {
            return None;
        }
        let at = self.ranges.of_rank(rank);
        let inside = rank - self.ranges.first(at);
        Some(match *self.ranges.get(at) {
            RankRange::Run {
                nodes,
                start,
                procs,
                app,
                run,
                kind,
                source,
            } => {
                let (node, turn) = (inside / procs, inside % procs);
                let got = gets(source, start + turn, turn, self.places.all(), || {
                    self.orders.dealt(TurnsBy::Object)
                });
                let (local, packed) = got.unwrap_or_else(|| self.asked(app, run, turn));
                FoundRank {
                    app,
                    proc: ProcInRun { run, node, local },
                    nodes,
                    kind,
                    packed,
                }
            }
            RankRange::Phase(phase) => self.find_turn(&phase, inside),
            RankRange::Listed { app } => self.find_listed(app, inside),
        })
    }

    /// The same for a rank in a phase.
    #[inline]
    fn find_turn(&self, phase: &Phase, inside: u32) -> FoundRank {
        let app = phase.app;
        let round = phase.round + inside / phase.width;
        let (run, place) = self.run_in(phase, round, inside % phase.width);
        let turns = &self.ranges.turns(phase)[run as usize];
        let own = turns
            .in_round(round)
            .unwrap_or_else(|| self.apps[app as usize].in_round(run, round));
        let (node, turn) = (place / own.count, own.first + place % own.count);
        let got = gets(
            turns.source,
            turns.start + turn,
            turn,
            self.places.all(),
            || self.orders.dealt(TurnsBy::Round),
        );
        let (local, packed) = got.unwrap_or_else(|| self.asked(app, run, turn));
        FoundRank {
            app,
            proc: ProcInRun { run, node, local },
            nodes: turns.nodes,
            kind: turns.kind,
            packed,
        }
    }

    /// The run of a phase that holds a place of a round, and the number of the place within the run.
    #[inline]
    pub(crate) fn run_in(&self, phase: &Phase, round: u32, place: u32) -> (u32, u32) {
        let plan = &self.apps[phase.app as usize];
        let weight = |run| plan.weight(run, round);
        self.ranges.run_at(phase, place, weight)
    }

    /// The first place of a run in a round of a phase.
    pub(crate) fn place_of(&self, phase: &Phase, run: u32, round: u32) -> u32 {
        let plan = &self.apps[phase.app as usize];
        self.ranges
            .place_of(phase, run, |run| plan.weight(run, round))
    }

    /// Which process of a run has a turn, and what it gets, if turns are not written out.
    #[cold]
    fn asked(&self, app: u32, run: u32, turn: u32) -> (u32, Packed) {
        let plan = &self.apps[app as usize];
        let local = match &plan.order {
            Order::Fill(orders) | Order::Rounds(orders) => {
                match orders.some(run, turn..turn + 1, &mut Vec::new()) {
                    TurnLocals::From(local) => local,
                    TurnLocals::Listed(locals) => locals[0],
                }
            }
            Order::Slot | Order::Listed { .. } => turn,
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

    /// The rank of a process of an app: the inverse of [`Self::find`].
    pub(crate) fn rank_of_proc(&self, app: usize, proc: ProcInRun) -> u32 {
        let plan = &self.apps[app];
        let run = &plan.placed.runs[proc.run as usize];
        let object = || {
            let place = self.patterns.get(run.pattern).place(proc.local);
            place
                .object
                .expect("fill and span need an object map (resolve refuses the rest)")
        };
        let turn = match &plan.order {
            Order::Slot => proc.local,
            Order::Fill(orders) | Order::Rounds(orders) => {
                orders.turn(proc.run, proc.local, object)
            }
            Order::Listed { .. } => {
                let node = run.nodes.first + proc.node;
                return plan.base.0 + plan.listed_rank(node, proc.local);
            }
        };
        let Order::Rounds(orders) = &plan.order else {
            let first = self.ranges.first((plan.ranges.start + proc.run) as usize);
            return first + proc.node * run.procs + turn;
        };
        let (round, turn) = orders.round_of(proc.run, turn);
        let (at, phase) = self.ranges.phase(plan, round);
        let before = self.place_of(&phase, proc.run, round);
        let own = plan.in_round(proc.run, round);
        let rounds = round - phase.round;
        self.ranges.first(at) + rounds * phase.width + before + proc.node * own.count + turn
    }
}

/// Which process has a turn, and what it gets; `None`: it is not written out.
#[inline]
pub(crate) fn gets<'p>(
    source: Source,
    row: u32,
    turn: u32,
    places: &[Packed],
    dealt: impl FnOnce() -> Dealt<'p>,
) -> Option<(u32, Packed)> {
    let row = row as usize;
    match source {
        Source::Places => Some((turn, places[row])),
        Source::Dealt => {
            let dealt = dealt();
            Some((dealt.locals[row], dealt.places[row]))
        }
        Source::Asked => None,
    }
}
