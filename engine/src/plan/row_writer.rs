//! Writes ranks in order, as rows of the explicit table.
//!
//! Ranks come in *blocks*: neighbouring nodes of one run, each with the same processes in the same order. Of a long block only
//! the first node is written; the other nodes are copies of it.

use super::Plan;
use super::app::Order;
use super::placed::row;
use super::places::{KindBits, Packed};
use super::rank::find::gets;
use super::rank::ranges::{Phase, RankRange, RunNodes, Source, source};
use super::rank::turns_on_node::{Dealt, Locals, RoundTurns, TurnLocals, TurnsBy};
use crate::id::Id as _;
use crate::table::names::{NodeId, NodeRange};
use std::ops::Range;

/// Blocks with up to this many rows are written row by row.
pub(super) const SHORT: u32 = 16;
/// How many rows are copied at once: few enough to stay in the nearest cache.
const COPIED: usize = 1 << 11;
/// How many turns are worked out at once, for a node whose turns are not written out.
const AT_ONCE: u32 = 1 << 14;

/// Columns of the explicit table.
pub(super) const COLUMNS: usize = 5;

/// Some rows of the node, local rank, node rank, object and cpu columns, packed as in [`super::ProcTable`].
pub(super) type Columns<'c> = [&'c mut [u32]; COLUMNS];

/// Some rows of the explicit table, and where the next one goes.
pub(super) struct RowsOut<'c> {
    pub(super) node: &'c mut [u32],
    pub(super) local_rank: &'c mut [u32],
    pub(super) node_rank: &'c mut [u32],
    pub(super) object: &'c mut [u32],
    pub(super) cpus: &'c mut [u32],
    /// The next row to write.
    pub(super) at: usize,
}

/// Consecutive ranks: neighbouring nodes, each with the same processes of one app.
#[derive(Clone, Copy)]
pub(super) struct Block {
    app: u32,
    pub(super) run: u32,
    /// The first node, and how many processes each node held before.
    pub(super) nodes: RunNodes,
    /// How many nodes.
    pub(super) count: u32,
    pub(super) kind: KindBits,
    /// The turns of each node in this block.
    pub(super) turns: RoundTurns,
    /// Which table has the places, and the row of turn 0 in it.
    pub(super) source: Source,
    pub(super) start: u32,
}

impl Block {
    /// How many rows.
    pub(super) const fn rows(&self) -> u32 {
        self.count * self.turns.count
    }
}

impl Plan {
    /// Writes ranks from `rank` on, until the rows or the ranks end.
    ///
    /// Cost: five writes per rank, and a search; for rounds also the runs that have no processes left.
    pub(super) fn write_rows(&self, mut rank: u32, out: &mut RowsOut<'_>) {
        let mut at = self.ranges.of_rank(rank);
        while out.left() > 0 && rank < self.ranges.end {
            while self.ranges.end_of(at) <= rank {
                at += 1;
            }
            let (inside, first) = (rank - self.ranges.first(at), out.at);
            match self.ranges.get(at) {
                RankRange::Run { .. } => self.write_run(at, inside, out),
                RankRange::Phase(phase) => {
                    if !self.write_rounds(at, inside, out) {
                        self.write_part_of_round(phase, inside, out);
                    }
                }
                &RankRange::Listed { app } => self.write_list(app, inside, out),
            }
            rank += row(out.at - first);
        }
    }

    /// Writes a run, node by node.
    fn write_run(&self, at: usize, inside: u32, out: &mut RowsOut<'_>) {
        let &RankRange::Run {
            nodes,
            start,
            procs,
            app,
            run,
            kind,
            source,
        } = self.ranges.get(at)
        else {
            return;
        };
        let block = Block {
            app,
            run,
            nodes,
            count: (self.ranges.end_of(at) - self.ranges.first(at)) / procs,
            kind: KindBits::new(kind),
            turns: RoundTurns::all(procs),
            source,
            start,
        };
        self.write_block(&block, inside, self.orders.dealt(TurnsBy::Object), out);
    }

    /// Writes the rest of a round, as far as it fits.
    fn write_part_of_round(&self, phase: &Phase, inside: u32, out: &mut RowsOut<'_>) {
        let round = phase.round + inside / phase.width;
        let (first, mut from) = self.run_in(phase, round, inside % phase.width);
        let dealt = self.orders.dealt(TurnsBy::Round);
        for run in first..row(self.apps[phase.app as usize].runs().len()) {
            let block = self.block_in_round(phase, run, round);
            self.write_block(&block, std::mem::take(&mut from), dealt, out);
            if out.left() == 0 {
                return;
            }
        }
    }

    /// The block of a run in a round. Always inlined, and its turns copied number by number, so that a part of the rows is
    /// written from registers.
    #[inline(always)]
    pub(super) fn block_in_round(&self, phase: &Phase, run: u32, round: u32) -> Block {
        let of_run = &self.ranges.turns(phase)[run as usize];
        let (first, count, until) = match of_run.in_round(round) {
            Some(RoundTurns {
                first,
                count,
                until,
            }) => (first, count, until),
            None => {
                let asked = self.apps[phase.app as usize].in_round(run, round);
                (asked.first, asked.count, asked.until)
            }
        };
        Block {
            app: phase.app,
            run,
            nodes: of_run.nodes,
            count: of_run.count,
            kind: KindBits::new(of_run.kind),
            turns: RoundTurns {
                first,
                count,
                until,
            },
            source: of_run.source,
            start: of_run.start,
        }
    }

    /// Writes a list. Neighbouring entries are often on nodes of the same run.
    fn write_list(&self, app: u32, inside: u32, out: &mut RowsOut<'_>) {
        let plan = &self.apps[app as usize];
        let listed = plan.listed();
        let first = listed.partition_point(|entry| entry.rank <= inside) - 1;
        let mut from = inside - listed[first].rank;
        let mut on: Option<(NodeRange, Block)> = None;
        for (at, entry) in listed.iter().enumerate().skip(first) {
            if out.left() == 0 {
                return;
            }
            let same = on.filter(|(nodes, _)| nodes.holds(entry.node));
            let (nodes, mut block) = same.unwrap_or_else(|| self.block_of_node(app, entry.node));
            let end = listed.get(at + 1).map_or(plan.procs.0, |next| next.rank);
            block.nodes.first = entry.node;
            block.turns = RoundTurns {
                first: entry.local,
                ..RoundTurns::all(end - entry.rank)
            };
            on = Some((nodes, block));
            self.write_block(&block, std::mem::take(&mut from), Dealt::default(), out);
        }
    }

    /// The block of one node in placement order, and the nodes of its run.
    fn block_of_node(&self, app: u32, node: u32) -> (NodeRange, Block) {
        let plan = &self.apps[app as usize];
        let run = plan.run_of(NodeId::from_row(node as usize));
        let run = run.expect("a listed node holds processes");
        let placed = &plan.placed.runs[run];
        let (source, start) = source(placed, Locals::Same, &self.places);
        let block = Block {
            app,
            run: row(run),
            nodes: RunNodes::from(placed),
            count: 1,
            kind: KindBits::new(placed.kind),
            turns: RoundTurns::all(placed.procs),
            source,
            start,
        };
        (placed.nodes, block)
    }

    /// Writes a block from row `from` on, as far as it fits. `dealt`: the table that [`Source::Dealt`] means.
    #[inline]
    pub(super) fn write_block(
        &self,
        block: &Block,
        from: u32,
        dealt: Dealt<'_>,
        out: &mut RowsOut<'_>,
    ) {
        let rows = block.rows();
        let end = rows.min(from.saturating_add(out.left()));
        if rows > SHORT || block.source == Source::Asked || from > 0 || end < rows {
            return self.write_long(block, from..end, dealt, out);
        }
        let RoundTurns { first, count, .. } = block.turns;
        for node in block.nodes.first..block.nodes.first + block.count {
            for turn in first..first + count {
                let row = block.start + turn;
                let got = gets(block.source, row, turn, self.places.all(), || dealt);
                if let Some(got) = got {
                    out.push(block.nodes, node, block.kind, got);
                }
            }
        }
    }

    /// The same for many rows, for a part of a block, and for turns that are not written out.
    #[inline(never)]
    fn write_long(&self, block: &Block, rows: Range<u32>, dealt: Dealt<'_>, out: &mut RowsOut<'_>) {
        let first = (block.start + block.turns.first) as usize;
        let turns = first..first + block.turns.count as usize;
        match block.source {
            Source::Asked => self.write_asked(block, rows, out),
            Source::Places => {
                let locals = TurnLocals::From(block.turns.first);
                block.write(locals, &self.places.all()[turns], rows, out);
            }
            Source::Dealt => {
                let locals = TurnLocals::Listed(&dealt.locals[turns.clone()]);
                block.write(locals, &dealt.places[turns], rows, out);
            }
        }
    }

    /// The same for turns that are not written out: some turns of a node at a time.
    fn write_asked(&self, block: &Block, rows: Range<u32>, out: &mut RowsOut<'_>) {
        let plan = &self.apps[block.app as usize];
        let pattern = plan.placed.runs[block.run as usize].pattern;
        let mut asked = Vec::new();
        let (mut at, turns) = (rows.start, block.turns.count);
        while at < rows.end {
            let (node, turn) = (at / turns, at % turns);
            let count = (turns - turn).min(rows.end - at).min(AT_ONCE);
            let first = block.turns.first + turn;
            let locals = match &plan.order {
                Order::Fill(orders) | Order::Rounds(orders) => {
                    orders.some(block.run, first..first + count, &mut asked)
                }
                Order::Slot | Order::Listed { .. } => TurnLocals::From(first),
            };
            for turn in 0..count {
                let local = match locals {
                    TurnLocals::From(first) => first + turn,
                    TurnLocals::Listed(locals) => locals[turn as usize],
                };
                let got = self.places.packed(pattern, local, &self.patterns);
                out.push(
                    block.nodes,
                    block.nodes.first + node,
                    block.kind,
                    (local, got),
                );
            }
            at += count;
        }
    }
}

impl Block {
    /// Writes some of the block's rows: row n is turn `n % turns` of node `n / turns`. `locals`: the process that has each turn
    /// of a node. `places`: what it gets.
    fn write(
        &self,
        locals: TurnLocals<'_>,
        places: &[Packed],
        rows: Range<u32>,
        out: &mut RowsOut<'_>,
    ) {
        if let (TurnLocals::From(local), [place]) = (locals, places) {
            // One process on each node: the rows differ only in their node.
            let out = out.take(rows.len());
            count_up(out.node, self.nodes.first + rows.start);
            out.local_rank.fill(self.nodes.own_before + local);
            out.node_rank.fill(self.nodes.used_before + local);
            out.object.fill(self.kind.object(*place));
            out.cpus.fill(place.cpus);
            return;
        }
        let (mut node, turn) = (rows.start / self.turns.count, rows.start % self.turns.count);
        let mut left = (rows.end - rows.start) as usize;
        let count = self.turns.count as usize;
        if turn > 0 {
            let turns = turn as usize..count.min(turn as usize + left);
            left -= turns.len();
            self.of_node(node, locals, places, turns, out);
            node += 1;
        }
        let one = count.min(left);
        let all = out.at..out.at + left;
        self.of_node(node, locals, places, 0..one, out);
        if left > one {
            each_again(&mut out.node[all.clone()], self.nodes.first + node, count);
            for column in [
                &mut *out.local_rank,
                &mut *out.node_rank,
                &mut *out.object,
                &mut *out.cpus,
            ] {
                again(&mut column[all.clone()], one);
            }
            out.at = all.end;
        }
    }

    /// Writes neighbouring turns of one node.
    #[inline]
    fn of_node(
        &self,
        node: u32,
        locals: TurnLocals<'_>,
        places: &[Packed],
        turns: Range<usize>,
        out: &mut RowsOut<'_>,
    ) {
        let out = out.take(turns.len());
        out.node.fill(self.nodes.first + node);
        let (own, used) = (self.nodes.own_before, self.nodes.used_before);
        let ranks = out.local_rank.iter_mut().zip(out.node_rank);
        match locals {
            TurnLocals::From(first) => {
                for ((local_rank, node_rank), local) in ranks.zip(first + row(turns.start)..) {
                    (*local_rank, *node_rank) = (own + local, used + local);
                }
            }
            TurnLocals::Listed(locals) => {
                for ((local_rank, node_rank), &local) in ranks.zip(&locals[turns.clone()]) {
                    (*local_rank, *node_rank) = (own + local, used + local);
                }
            }
        }
        let columns = out.object.iter_mut().zip(out.cpus);
        for ((object, cpus), &place) in columns.zip(&places[turns]) {
            (*object, *cpus) = (self.kind.object(place), place.cpus);
        }
    }
}

impl<'c> RowsOut<'c> {
    pub(super) fn new([node, local_rank, node_rank, object, cpus]: Columns<'c>) -> Self {
        Self {
            node,
            local_rank,
            node_rank,
            object,
            cpus,
            at: 0,
        }
    }

    pub(super) fn left(&self) -> u32 {
        row(self.node.len() - self.at)
    }

    /// The next rows, for the caller to fill.
    pub(super) fn take(&mut self, rows: usize) -> RowsOut<'_> {
        RowsOut::new(self.take_columns(rows))
    }

    /// The same, as columns.
    pub(super) fn take_columns(&mut self, rows: usize) -> Columns<'_> {
        let own = self.at..self.at + rows;
        self.at = own.end;
        [
            &mut self.node[own.clone()],
            &mut self.local_rank[own.clone()],
            &mut self.node_rank[own.clone()],
            &mut self.object[own.clone()],
            &mut self.cpus[own],
        ]
    }

    /// Writes a row: a process of a node, and what it gets.
    #[inline]
    fn push(&mut self, nodes: RunNodes, node: u32, kind: KindBits, (local, place): (u32, Packed)) {
        let at = self.at;
        self.node[at] = node;
        self.local_rank[at] = nodes.own_before + local;
        self.node_rank[at] = nodes.used_before + local;
        self.object[at] = kind.object(place);
        self.cpus[at] = place.cpus;
        self.at += 1;
    }
}

/// Repeats the first `count` values up to the end of the column.
fn again(column: &mut [u32], count: usize) {
    let mut done = count;
    while done < column.len() {
        // Copies whole rounds, so that the next copy begins with a round.
        let round = if done >= COPIED {
            COPIED.div_ceil(count) * count
        } else {
            done
        };
        let rows = done.min(round).min(column.len() - done);
        column.copy_within(..rows, done);
        done += rows;
    }
}

fn count_up(column: &mut [u32], first: u32) {
    for (value, number) in column.iter_mut().zip(first..) {
        *value = number;
    }
}

/// Writes each number from `first` on `count` times.
fn each_again(column: &mut [u32], first: u32, count: usize) {
    // Few rows per node: the first nodes, then copies of them with greater numbers.
    let nodes = COPIED.div_ceil(count);
    let (done, rest) = column.split_at_mut((nodes * count).min(column.len()));
    for (rows, node) in done.chunks_mut(count).zip(first..) {
        rows.fill(node);
    }
    for (rows, more) in rest
        .chunks_mut(nodes * count)
        .zip((row(nodes)..).step_by(nodes))
    {
        for (value, &node) in rows.iter_mut().zip(&*done) {
            *value = node + more;
        }
    }
}
