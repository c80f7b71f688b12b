//! The order of the processes on one node: which process has which turn, for ranks by fill, node and span. The turns are
//! dealt in `deal.rs`. The order of nodes is in `ranges.rs` and `rounds_of_nodes.rs`.
//!
//! Nodes with the same number of processes of one pattern share an order. For nodes of realistic size the order is written out,
//! so that a turn is found by index. If this would take much more memory than the patterns themselves, an index by object is
//! asked instead. The apps of a plan share these orders, and a plan that is made again reuses those of the last plan.

use super::deal::{Deal, EqualRounds, Tally};
use super::object_index::ObjectIndex;
use crate::plan::placed::{Placed, PlacedRun, RankOrder, row};
use crate::plan::places::{Packed, Places};
use crate::table::interner::{Guess, KeyRows};
use crate::table::patterns::{Pattern, PatternId, Patterns};
use std::ops::Range;
use std::sync::Arc;

/// How many turns are written out in any case, and how many more for each run of a pattern.
const ALWAYS: usize = 1 << 18;
const PER_RUN: usize = 8;

/// What decides the turns of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TurnsBy {
    /// Their number: one turn per round.
    Process,
    /// Their objects: all processes of the first object, then all of the next. There are no rounds.
    Object,
    /// Rounds over objects: the first process of each object, then the second of each.
    Round,
}

/// Which process has the n-th turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Locals {
    /// The n-th process.
    Same,
    /// The process that [`TurnOrders::locals`] has in this row plus n.
    At(u32),
    /// The process that the index by object in this row of [`TurnOrders::indexes`] gives.
    Asked(u32),
}

/// The order of the first processes of a pattern.
#[derive(Clone, Debug)]
struct TurnOrder {
    procs: u32,
    locals: Locals,
    /// Its rows in [`TurnOrders::rounds`]; none if there are no rounds.
    rounds: Range<u32>,
}

/// The processes of a node that have some consecutive turns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TurnLocals<'p> {
    /// Consecutive processes, from this one on.
    From(u32),
    /// These processes.
    Listed(&'p [u32]),
}

/// The turns of a node in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RoundTurns {
    /// The first turn, by its number among all turns of the node, and how many there are.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The first round behind those with the same number of turns.
    pub(crate) until: u32,
}

impl RoundTurns {
    /// All `count` turns, in the only round.
    pub(crate) const fn all(count: u32) -> Self {
        Self {
            first: 0,
            count,
            until: 1,
        }
    }
}

/// The process of each turn, and what it gets, for orders in which turns differ from process numbers. Shapes `[turns]`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dealt<'p> {
    pub(crate) locals: &'p [u32],
    pub(crate) places: &'p [Packed],
}

/// A pattern, if the order depends on it, and how many processes of it a node has.
type OrderKey = (Option<PatternId>, u32);

/// The node orders of all apps of a plan, for one [`TurnsBy`].
#[derive(Clone, Debug)]
pub(crate) struct TurnOrders {
    by: TurnsBy,
    /// The known orders. Shape `[orders]`.
    known: KeyRows<OrderKey>,
    /// Shape `[orders]`, without the orders met since [`Self::work_out`] was last called.
    rows: Vec<TurnOrder>,
    rounds: Vec<EqualRounds>,
    /// Written out: the process of each turn, what it gets, and the turn of each process.
    locals: Vec<u32>,
    dealt: Vec<Packed>,
    turns: Vec<u32>,
    indexes: Vec<ObjectIndex>,
    /// Turns that may still be written out.
    room: usize,
}

impl TurnOrders {
    fn new(by: TurnsBy) -> Self {
        Self {
            by,
            known: KeyRows::default(),
            rows: Vec::new(),
            rounds: Vec::new(),
            locals: Vec::new(),
            dealt: Vec::new(),
            turns: Vec::new(),
            indexes: Vec::new(),
            room: ALWAYS,
        }
    }

    fn key(&self, run: &PlacedRun) -> OrderKey {
        (
            (self.by != TurnsBy::Process).then_some(run.pattern),
            run.procs,
        )
    }

    /// The order of each run, if all are known. Shape `[runs]`.
    fn find(&self, runs: &[PlacedRun]) -> Option<Vec<u32>> {
        let mut guess = Guess::default();
        let find = |run| self.known.find(self.key(run), &mut guess).map(row);
        runs.iter().map(find).collect()
    }

    /// The order of each run, known or new; [`Self::work_out`] works out the new ones. Shape `[runs]`.
    fn meet(&mut self, runs: &[PlacedRun]) -> Vec<u32> {
        let mut guess = Guess::default();
        let meet = |run: &PlacedRun| {
            let key = self.key(run);
            let found = self.known.find(key, &mut guess);
            row(found.unwrap_or_else(|| self.known.push(key)))
        };
        runs.iter().map(meet).collect()
    }

    fn has_new(&self) -> bool {
        self.rows.len() < self.known.keys().len()
    }

    /// Works out the orders that were met since the last call. Cost: for an order that is written out, its processes; for any
    /// other, the distinct objects or, if fewer, the processes by which it differs from the last order of the same pattern.
    fn work_out(&mut self, patterns: &Patterns, places: &Places) {
        let first = self.rows.len();
        let mut new: Vec<(OrderKey, u32)> = {
            let keys = self.known.keys()[first..].iter().copied();
            keys.zip(row(first)..).collect()
        };
        new.sort_unstable();
        let unknown = TurnOrder {
            procs: 0,
            locals: Locals::Same,
            rounds: 0..0,
        };
        self.rows.resize(first + new.len(), unknown);
        let mut deal = Deal::default();
        for alike in new.chunk_by(|a, b| a.0.0 == b.0.0) {
            match alike[0].0.0 {
                Some(id) => {
                    let places = places.of(id);
                    self.work_out_pattern(alike, patterns.get(id), places, &mut deal);
                }
                None => alike.iter().for_each(|&((_, procs), order)| {
                    self.rounds.push(EqualRounds::of_processes(procs));
                    self.rows[order as usize] = self.row(procs, Locals::Same, 1);
                }),
            }
        }
    }

    /// Works out the orders of one pattern. `alike`: these orders, by ascending number of processes.
    fn work_out_pattern(
        &mut self,
        alike: &[(OrderKey, u32)],
        pattern: &Pattern,
        places: Option<&[Packed]>,
        deal: &mut Deal,
    ) {
        let runs = pattern.segments().iter().map(|segment| segment.runs.len());
        let more = runs.sum::<usize>().saturating_mul(PER_RUN);
        self.room = self.room.saturating_add(more);
        deal.enter(pattern);
        let mut tally: Option<Tally<'_>> = None;
        for &((_, procs), order) in alike {
            let cost = deal.objects().max(procs as usize);
            let written = places.zip(self.room.checked_sub(cost));
            let rounds = self.rounds.len();
            let locals = if let Some((places, left)) = written {
                self.room = left;
                self.write(deal, &places[..procs as usize])
            } else {
                let tally = tally.get_or_insert_with(|| {
                    let index = ObjectIndex::new(pattern);
                    let tally = Tally::new(pattern, &index);
                    self.indexes.push(index);
                    tally
                });
                let index = self.indexes.len() - 1;
                if self.by == TurnsBy::Round {
                    tally.rounds(&self.indexes[index], procs, &mut self.rounds);
                }
                Locals::Asked(row(index))
            };
            self.rows[order as usize] = self.row(procs, locals, self.rounds.len() - rounds);
        }
    }

    /// A row for an order whose rounds were added last.
    fn row(&self, procs: u32, locals: Locals, rounds: usize) -> TurnOrder {
        let end = row(self.rounds.len());
        TurnOrder {
            procs,
            locals,
            rounds: end - row(rounds)..end,
        }
    }

    /// Writes an order out.
    fn write(&mut self, deal: &mut Deal, places: &[Packed]) -> Locals {
        match self.by {
            TurnsBy::Process | TurnsBy::Object => deal.by_object(places),
            TurnsBy::Round => deal.by_round(places, &mut self.rounds),
        }
        if deal.out.iter().copied().eq(0..row(places.len())) {
            return Locals::Same;
        }
        let start = self.locals.len();
        self.locals.extend_from_slice(&deal.out);
        let dealt = deal.out.iter().map(|&local| places[local as usize]);
        self.dealt.extend(dealt);
        self.turns.resize(self.locals.len(), 0);
        for (turn, &local) in (0..).zip(&deal.out) {
            self.turns[start + local as usize] = turn;
        }
        Locals::At(row(start))
    }

    fn dealt(&self) -> Dealt<'_> {
        Dealt {
            locals: &self.locals,
            places: &self.dealt,
        }
    }

    fn rounds(&self, order: u32) -> &[EqualRounds] {
        let rows = &self.rows[order as usize].rounds;
        &self.rounds[rows.start as usize..rows.end as usize]
    }
}

/// The node orders of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanOrders([Option<Arc<TurnOrders>>; 3]);

/// What decides the turns of an app's processes, and the order of each of its runs; `None`: ranks are in placement order, or
/// listed.
pub(crate) type MetOrders = Option<(TurnsBy, Vec<u32>)>;

impl PlanOrders {
    /// The process of each turn, and what it gets.
    #[inline]
    pub(crate) fn dealt(&self, by: TurnsBy) -> Dealt<'_> {
        let all = self.0[by as usize].as_ref();
        all.map(|all| all.dealt()).unwrap_or_default()
    }

    /// The orders of every app. Works out those that no earlier plan of the same patterns worked out. Shape `[apps]`.
    ///
    /// Cost: the runs of apps by fill, node and span; for new orders, see [`TurnOrders::work_out`].
    pub(crate) fn meet(
        &mut self,
        placed: &[Placed],
        patterns: &Patterns,
        places: &Places,
    ) -> Vec<MetOrders> {
        let met = placed.iter().map(|app| {
            let by = turns_by(app, patterns)?;
            let orders = self.0[by as usize].get_or_insert_with(|| Arc::new(TurnOrders::new(by)));
            // An earlier plan may still exist and use these orders.
            let known = orders.find(&app.runs);
            let met = known.unwrap_or_else(|| Arc::make_mut(orders).meet(&app.runs));
            Some((by, met))
        });
        let met = met.collect();
        for orders in self.0.iter_mut().flatten() {
            if orders.has_new() {
                Arc::make_mut(orders).work_out(patterns, places);
            }
        }
        met
    }

    /// The orders of an app, as they were met. Cost: none.
    pub(crate) fn of_app(&self, by: TurnsBy, of_run: Vec<u32>) -> RunOrders {
        let orders = self.0[by as usize].as_ref();
        RunOrders {
            orders: Arc::clone(orders.expect("they were met")),
            of_run,
        }
    }
}

/// What decides the turns of an app's processes.
fn turns_by(app: &Placed, patterns: &Patterns) -> Option<TurnsBy> {
    let mut runs = app.runs.iter();
    match app.order {
        RankOrder::Slot | RankOrder::Listed(_) => None,
        RankOrder::Node => Some(TurnsBy::Process),
        // The processes already are in the order of their objects.
        RankOrder::Fill if runs.all(|run| patterns.get(run.pattern).ascends()) => None,
        RankOrder::Fill => Some(TurnsBy::Object),
        RankOrder::Span => Some(TurnsBy::Round),
    }
}

/// The orders of the nodes of one app.
#[derive(Clone, Debug)]
pub(crate) struct RunOrders {
    orders: Arc<TurnOrders>,
    /// The order of each run. Shape `[runs]`.
    of_run: Vec<u32>,
}

impl RunOrders {
    fn of(&self, run: u32) -> &TurnOrder {
        &self.orders.rows[self.of_run[run as usize] as usize]
    }

    /// The order of each run, by number. Runs with the same number have the same turns in the same rounds. Shape `[runs]`.
    pub(crate) fn of_runs(&self) -> &[u32] {
        &self.of_run
    }

    /// Which process of a run has the n-th turn.
    pub(crate) fn locals(&self, run: u32) -> Locals {
        self.of(run).locals
    }

    /// The rounds of a run.
    pub(crate) fn rounds(&self, run: u32) -> &[EqualRounds] {
        self.orders.rounds(self.of_run[run as usize])
    }

    /// The turns of each node of a run in a round.
    pub(crate) fn in_round(&self, run: u32, round: u32) -> RoundTurns {
        let rounds = self.rounds(run);
        let equal = rounds.get(rounds.partition_point(|equal| equal.end <= round));
        let none = RoundTurns {
            first: 0,
            count: 0,
            until: u32::MAX,
        };
        equal.map_or(none, |equal| RoundTurns {
            first: equal.first_turn(round),
            count: equal.turns,
            until: equal.end,
        })
    }

    /// The round of a turn, and the turn's number in it. Without rounds, all turns are in one.
    pub(crate) fn round_of(&self, run: u32, turn: u32) -> (u32, u32) {
        let rounds = self.rounds(run);
        let at = rounds.partition_point(|equal| equal.before <= turn);
        let Some(equal) = at.checked_sub(1).map(|at| &rounds[at]) else {
            return (0, turn);
        };
        let inside = turn - equal.before;
        (equal.start + inside / equal.turns, inside % equal.turns)
    }

    /// The turn of a process. `object`: the object that it is on.
    pub(crate) fn turn(&self, run: u32, local: u32, object: impl FnOnce() -> u32) -> u32 {
        let order = self.of(run);
        match order.locals {
            Locals::Same => local,
            Locals::At(start) => self.orders.turns[(start + local) as usize],
            Locals::Asked(index) => {
                let index = &self.orders.indexes[index as usize];
                if self.orders.by == TurnsBy::Object {
                    return index.turn_by_object(order.procs, local, object());
                }
                let (round, turn) = index.turn_by_round(order.procs, local, object());
                self.in_round(run, round).first + turn
            }
        }
    }

    /// The processes that have some consecutive turns, of one round if there are rounds. `scratch`: receives the processes if
    /// they are not written out.
    pub(crate) fn some<'s>(
        &'s self,
        run: u32,
        turns: Range<u32>,
        scratch: &'s mut Vec<u32>,
    ) -> TurnLocals<'s> {
        let order = self.of(run);
        match order.locals {
            Locals::Same => TurnLocals::From(turns.start),
            Locals::At(_) => unreachable!("turns that are written out are not asked for"),
            Locals::Asked(index) => {
                let (round, at) = self.round_of(run, turns.start);
                let round = (self.orders.by == TurnsBy::Round).then_some(round);
                scratch.clear();
                let index = &self.orders.indexes[index as usize];
                index.turns(
                    order.procs,
                    round,
                    at..at + (turns.end - turns.start),
                    scratch,
                );
                TurnLocals::Listed(scratch)
            }
        }
    }
}
