//! Every process in rank order, without a search for each: for the explicit table, and for those who write a line per rank.
//!
//! Ranks come in *blocks*: neighbouring nodes of one run, each with the same processes in the same order.

use super::placed::row;
use super::places::{KindBits, Packed};
use super::rank::order::Order;
use super::rank::profile::{Dealt, NodeTurns};
use super::rank::spans::{PhaseSpan, RankSpan, RunNodes, Source, source};
use super::{Located, Plan};
use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::AppId;
use std::ops::Range;

/// Turns that are worked out at once, of a node too large for its turns to be kept.
const AT_ONCE: u32 = 1 << 14;

/// Neighbouring ranks: nodes behind each other, each with the same processes of one app.
#[derive(Clone)]
pub(super) struct Block<'p> {
    pub(super) app: u32,
    pub(super) run: u32,
    /// The run's nodes, and what each held before.
    pub(super) nodes: RunNodes,
    pub(super) kind: KindBits,
    /// Processes of each node here, and which they are.
    pub(super) count: u32,
    pub(super) turns: NodeTurns<'p>,
    /// What they get, turn by turn; `None`: the run's pattern is asked.
    pub(super) places: Option<&'p [Packed]>,
    /// The rows that are meant: row n is turn `n % count` of the run's node `n / count`.
    pub(super) rows: Range<u32>,
}

/// The blocks of a plan from a rank on.
pub(super) struct PlanBlocks<'p> {
    pub(super) plan: &'p Plan,
    pub(super) rank: u32,
    /// Row in the plan's stretches.
    pub(super) stretch: usize,
    /// Rows of the next block that are passed over.
    pub(super) skip: u32,
    /// In a phase: the round, the runs that take part, and which of these comes next.
    pub(super) round: u32,
    pub(super) live: Vec<u32>,
    /// Or which listed run comes next.
    pub(super) next: usize,
}

impl<'p> PlanBlocks<'p> {
    pub(super) fn new(plan: &'p Plan, rank: u32) -> Self {
        let stretch = plan.stretches.of_rank(rank);
        let mut blocks = Self {
            plan,
            rank,
            stretch,
            skip: 0,
            round: 0,
            live: Vec::new(),
            next: 0,
        };
        if rank >= plan.stretches.end {
            return blocks;
        }
        let inside = rank - plan.stretches.firsts()[stretch];
        match *plan.stretches.get(stretch) {
            RankSpan::Run { .. } => blocks.skip = inside,
            RankSpan::Phase(phase) => {
                blocks.enter(phase);
                blocks.round += inside / phase.width;
                let (run, place) = plan.run_in(phase, blocks.round, inside % phase.width);
                blocks.next = blocks.live.partition_point(|&other| other < run);
                blocks.skip = place;
            }
            RankSpan::Listed { app } => {
                let listed = plan.apps[app as usize].listed();
                blocks.next = listed.partition_point(|entry| entry.rank <= inside) - 1;
                blocks.skip = inside - listed[blocks.next].rank;
            }
        }
        blocks
    }
    /// Begins a phase: of the runs of the one before, if that was the app's, those that have processes left.
    fn enter(&mut self, phase: PhaseSpan) {
        let app = &self.plan.apps[phase.app as usize];
        if phase.round == 0 || self.live.is_empty() {
            self.live.clear();
            self.live.extend(0..row(app.runs().len()));
        }
        self.live.retain(|&run| app.pairs(run, phase.round) > 0);
        (self.round, self.next) = (phase.round, 0);
    }
    /// A block whose turns, `first` and those behind it, stand among the places of all patterns, or among what was dealt.
    #[inline]
    fn known(
        &self,
        block: Block<'p>,
        source: Source,
        start: u32,
        dealt: Dealt<'p>,
    ) -> Option<Block<'p>> {
        let NodeTurns::From(first, count) = block.turns else {
            return None;
        };
        let at = (start + first) as usize;
        let (turns, places) = match source {
            Source::Places => (block.turns, &self.plan.places.all()[at..]),
            Source::Dealt => {
                let own = &dealt.locals[at..][..count as usize];
                (NodeTurns::Listed(own), &dealt.places[at..])
            }
            Source::Asked => return None,
        };
        Some(Block {
            turns,
            places: Some(places),
            ..block
        })
    }
    /// The same where they do not.
    #[cold]
    fn asked(&self, block: Block<'p>, round: Option<u32>) -> Block<'p> {
        let plan = &self.plan.apps[block.app as usize];
        let placed = &plan.placed.runs[block.run as usize];
        let turns = match (&plan.order, round) {
            (Order::Fill(profiles) | Order::Span(_, profiles), _) => {
                profiles.turns(block.run, round)
            }
            (Order::Node(_), Some(round)) => NodeTurns::From(round, 1),
            (Order::Slot | Order::Node(_) | Order::Listed { .. }, _) => {
                NodeTurns::From(0, placed.procs)
            }
        };
        let count = round.map_or(placed.procs, |round| plan.pairs(block.run, round));
        let rows = 0..count * placed.nodes.count;
        Block {
            turns,
            count,
            rows,
            ..block
        }
    }

    /// A run, node by node.
    pub(super) fn of_run(&self, app: u32, run: u32) -> Block<'p> {
        let plan = &self.plan.apps[app as usize];
        let placed = &plan.placed.runs[run as usize];
        let block = Block {
            app,
            run,
            nodes: RunNodes::from(placed),
            kind: KindBits::new(placed.kind),
            count: placed.procs,
            turns: NodeTurns::From(0, placed.procs),
            places: None,
            rows: 0..placed.procs * placed.nodes.count,
        };
        let first = match &plan.order {
            Order::Fill(profiles) => Some(profiles.first(run)),
            Order::Slot | Order::Node(_) | Order::Span(..) | Order::Listed { .. } => None,
        };
        let (source, start) = source(placed.pattern, first, &self.plan.places);
        let dealt = self.plan.orders.dealt_by_object();
        let known = self.known(block.clone(), source, start, dealt);
        known.unwrap_or_else(|| self.asked(block, None))
    }

    /// The next run of a phase.
    #[inline]
    pub(super) fn run(&mut self, phase: PhaseSpan) -> u32 {
        if self.rank == self.plan.stretches.firsts()[self.stretch] && self.skip == 0 {
            self.enter(phase);
        }
        if self.next == self.live.len() {
            self.round += 1;
            self.next = 0;
        }
        self.live[self.next]
    }

    /// Goes on behind some ranks of the stretch.
    #[inline]
    pub(super) fn pass(&mut self, ranks: u32) {
        self.rank += ranks;
        let next = self.plan.stretches.firsts().get(self.stretch + 1);
        if next.is_some_and(|&next| next == self.rank) {
            (self.stretch, self.next) = (self.stretch + 1, 0);
        }
    }

    /// The next block of a phase.
    #[inline]
    fn in_phase(&mut self, phase: PhaseSpan) -> Block<'p> {
        let run = self.run(phase);
        self.next += 1;
        let turns = &self.plan.stretches.turns(phase)[run as usize];
        let (first, count) = turns.in_round(self.round).unwrap_or((0, 0));
        let block = Block {
            app: phase.app,
            run,
            nodes: turns.nodes,
            kind: KindBits::new(turns.kind),
            count,
            turns: NodeTurns::From(first, count),
            places: None,
            rows: 0..count * turns.count,
        };
        let known = (count > 0).then(|| {
            let dealt = self.plan.orders.dealt_by_round();
            self.known(block.clone(), turns.source, turns.start, dealt)
        });
        known
            .flatten()
            .unwrap_or_else(|| self.asked(block, Some(self.round)))
    }

    /// The next listed run.
    fn listed(&mut self, app: u32) -> Block<'p> {
        let plan = &self.plan.apps[app as usize];
        let listed = plan.listed();
        let entry = listed[self.next];
        let first = entry.rank;
        self.next += 1;
        let behind = listed.get(self.next).map_or(plan.procs.0, |next| next.rank);
        let proc = plan.proc_of(entry, first);
        let mut block = self.of_run(app, proc.run);
        let from = proc.node * block.count + proc.local;
        block.rows = from..from + (behind - first);
        block
    }
}

impl<'p> Iterator for PlanBlocks<'p> {
    type Item = Block<'p>;

    #[inline]
    fn next(&mut self) -> Option<Block<'p>> {
        if self.rank >= self.plan.stretches.end {
            return None;
        }
        let mut block = match *self.plan.stretches.get(self.stretch) {
            RankSpan::Run { app, run, .. } => self.of_run(app, run),
            RankSpan::Phase(phase) => self.in_phase(phase),
            RankSpan::Listed { app } => self.listed(app),
        };
        block.rows.start += std::mem::take(&mut self.skip);
        self.pass(block.rows.end - block.rows.start);
        Some(block)
    }
}

/// Every process in rank order: see [`Plan::rows`].
pub struct Rows<'p> {
    blocks: PlanBlocks<'p>,
    block: Option<Block<'p>>,
    rank: u32,
    /// The turns from `asked.0` on of a node whose turns stand nowhere.
    asked: (u32, Vec<u32>),
}

impl Iterator for Rows<'_> {
    type Item = (Rank, Located);

    fn next(&mut self) -> Option<Self::Item> {
        if self
            .block
            .as_ref()
            .is_none_or(|block| block.rows.is_empty())
        {
            self.block = Some(self.blocks.next()?);
            self.asked.1.clear();
        }
        let block = self.block.as_mut()?;
        let at = block.rows.next()?;
        let (node, turn) = (at / block.count, at % block.count);
        let local = match block.turns {
            NodeTurns::From(first, _) => first + turn,
            NodeTurns::Listed(locals) => locals[turn as usize],
            NodeTurns::Asked { .. } => {
                let (from, locals) = &mut self.asked;
                if turn < *from || turn - *from >= row(locals.len()) {
                    *from = turn;
                    let end = block.count.min(turn.saturating_add(AT_ONCE));
                    block.turns.some(turn..end, locals);
                }
                locals[(turn - *from) as usize]
            }
        };
        let rank = Rank(self.rank);
        self.rank += 1;
        let located = Located {
            app: AppId::from_row(block.app as usize),
            run: block.run,
            node,
            local,
        };
        Some((rank, located))
    }
}

impl Plan {
    /// Every process in rank order, without a search for each.
    ///
    /// Cost: a few additions per rank; for listed ranks a search per run of the list. Memory: for rank by node and span a
    /// number for each run; for nodes of very many processes by fill and span also 2^14 numbers.
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// assert_eq!(Plan::default().rows().next(), None, "an empty plan has no ranks");
    /// ```
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            blocks: PlanBlocks::new(self, 0),
            block: None,
            rank: 0,
            asked: (0, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ListedRun, Placed, PlacedRun, RankOrder, World};
    use super::*;
    use crate::policy::ObjKind;
    use crate::table::apps::AppTable;
    use crate::table::names::NodeRange;
    use crate::table::patterns::{Patterns, Place, PlaceRun, Segment};

    /// Two apps over five nodes, the second in the order given; walked and asked rank by rank.
    fn agrees(order: RankOrder) {
        let mut patterns = Patterns::default();
        let turns = |objects: u32| {
            let place = |object| Place {
                object: Some(object),
                cpus: None,
            };
            let runs = (0..objects).map(|object| PlaceRun {
                count: 1,
                place: place(object),
            });
            vec![Segment {
                procs: u32::MAX,
                runs: runs.collect(),
                cycle: Some(0),
                shares: Vec::new(),
            }]
        };
        let (two, three) = (patterns.intern(turns(2)), patterns.intern(turns(3)));
        let run = |first, count, procs, pattern| PlacedRun {
            nodes: NodeRange { first, count },
            procs,
            pattern,
            kind: Some(ObjKind::Package),
            own_before: 0,
            used_before: 0,
        };
        let placed = |order| Placed {
            runs: vec![run(0, 2, 5, two), run(2, 1, 7, three), run(4, 1, 1, two)],
            order,
            ..Placed::default()
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed(RankOrder::Slot), placed(order)],
        );
        let mut seen = 0;
        for (rank, at) in plan.rows() {
            assert_eq!(rank, Rank(seen), "ranks come in order");
            assert_eq!(plan.locate(rank), Some(at));
            assert_eq!(plan.rank_of(at), rank);
            seen += 1;
        }
        assert_eq!(seen, plan.ranks());
        let tasks = plan.task_map(crate::taskmap::Limits::default()).unwrap();
        for rank in (0..plan.ranks()).map(Rank) {
            let node = plan.place(rank).unwrap().node.row();
            assert_eq!(tasks.node_of(rank).unwrap().0 as usize, node);
        }
    }

    #[test]
    fn rows_and_questions_agree() {
        let listed = [(0, 2, 0), (3, 4, 0), (4, 0, 0), (9, 2, 3), (13, 1, 0)];
        let listed = listed.map(|(rank, node, local)| ListedRun { rank, node, local });
        for order in [
            RankOrder::Slot,
            RankOrder::Fill,
            RankOrder::Node,
            RankOrder::Span,
            RankOrder::Listed(listed.to_vec()),
        ] {
            agrees(order);
        }
    }

    #[test]
    fn a_node_of_thousands_of_millions_is_begun_at_once() {
        let mut patterns = Patterns::default();
        let place = Place::from(Packed::default());
        let pattern = patterns.intern(vec![Segment {
            procs: u32::MAX,
            runs: vec![PlaceRun { count: 1, place }],
            cycle: Some(0),
            shares: Vec::new(),
        }]);
        let run = PlacedRun {
            nodes: NodeRange { first: 0, count: 1 },
            procs: 4_000_000_000,
            pattern,
            kind: None,
            own_before: 0,
            used_before: 0,
        };
        let placed = Placed {
            policy: None,
            runs: vec![run],
            order: RankOrder::Node,
            passes: None,
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed],
        );
        assert_eq!(plan.rows().nth(3).unwrap().0, Rank(3));
    }
}
