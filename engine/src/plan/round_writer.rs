//! Writes rounds of many different nodes side by side.
//!
//! In rank order, the rows of a node in one round are far from its rows in the next round. So some rounds of some nodes are
//! first drafted node by node, in the order in which the places of a node are stored, and then written round by round.

use super::Plan;
use super::placed::row;
use super::places::Packed;
use super::rank::ranges::{Phase, RankRange, Source};
use super::rank::turns_on_node::TurnsBy;
use super::row_writer::{Block, COLUMNS, RowsOut, SHORT};

/// How many rounds are drafted at once, and how many rows of each.
const ROUNDS: usize = 64;
const ROWS: usize = 256;
/// Apps with fewer runs than this are not drafted.
const MANY: usize = 16;

/// A round of a phase, and the next of its rows to write.
struct WholeRound<'p> {
    phase: &'p Phase,
    round: u32,
    row: usize,
}

/// Neighbouring rows of a round. The columns of a row are side by side, so that a row is written in one or two cache lines. The
/// size is an odd number of cache lines, so that neighbouring rounds do not fall into the same sets of the cache.
#[repr(align(64))]
struct Draft {
    row: [[u32; COLUMNS]; ROWS],
    rows: usize,
}

const _: () = assert!(size_of::<Draft>() / 64 % 2 == 1);

impl Plan {
    /// Writes the rounds of an app that begin at a rank of a phase, as many as fit whole. Returns false, and writes nothing, if
    /// there is no such round or the app has few runs.
    pub(super) fn write_rounds(&self, at: usize, inside: u32, out: &mut RowsOut<'_>) -> bool {
        let RankRange::Phase(phase) = self.ranges.get(at) else {
            return false;
        };
        let runs = self.apps[phase.app as usize].runs().len();
        if runs < MANY {
            return false;
        }
        let mut rounds = self.whole_rounds(at, inside, out);
        let (Some(first), Some(last)) = (rounds.first(), rounds.last()) else {
            return false;
        };
        let round = first.round;
        let end = last.row + last.phase.width as usize;
        let mut drafts: Vec<Draft> = rounds.iter().map(|_| Draft::new()).collect();
        let (mut run, runs) = (0, row(runs));
        while run < runs {
            let first = run;
            let mut room = ROWS;
            drafts.iter_mut().for_each(|draft| draft.rows = 0);
            while run < runs {
                let block = self.block_in_round(phase, run, round);
                let rows = block.rows() as usize;
                if rows > room.min(SHORT as usize) || block.source == Source::Asked {
                    break;
                }
                // In later rounds the run has no more rows than in this one.
                room -= rows;
                self.draft_run(phase, block, round, &mut drafts);
                run += 1;
            }
            for (WholeRound { phase, round, row }, draft) in rounds.iter_mut().zip(&drafts) {
                out.at = *row;
                if run > first {
                    draft.write(out);
                } else {
                    let block = self.block_in_round(phase, first, *round);
                    self.write_block(&block, 0, self.orders.dealt(TurnsBy::Round), out);
                }
                *row = out.at;
            }
            run = run.max(first + 1);
        }
        out.at = end;
        true
    }

    fn whole_rounds(&self, at: usize, inside: u32, out: &RowsOut<'_>) -> Vec<WholeRound<'_>> {
        let (mut at, mut inside, mut end) = (at, inside, out.at);
        let mut rounds: Vec<WholeRound<'_>> = Vec::new();
        while let Some(RankRange::Phase(phase)) = self.ranges.all.get(at)
            && rounds
                .first()
                .is_none_or(|first| first.phase.app == phase.app)
            && rounds.len() < ROUNDS
            && inside % phase.width == 0
            && end + phase.width as usize <= out.node.len()
        {
            let passed = inside / phase.width;
            rounds.push(WholeRound {
                phase,
                round: phase.round + passed,
                row: end,
            });
            end += phase.width as usize;
            inside += phase.width;
            if passed + 1 == phase.rounds {
                (at, inside) = (at + 1, 0);
            }
        }
        rounds
    }

    /// Adds the rows of a run in some rounds to their drafts. `first`: the first of these rounds. `block`: the rows of the run
    /// in it.
    fn draft_run(&self, phase: &Phase, mut block: Block, first: u32, drafts: &mut [Draft]) {
        let end = first + row(drafts.len());
        let mut round = first;
        while block.turns.count > 0 {
            let until = block.turns.until.min(end);
            let drafts = &mut drafts[(round - first) as usize..(until - first) as usize];
            for node in block.nodes.first..block.nodes.first + block.count {
                self.draft_node(&block, node, drafts);
            }
            if until == end {
                return;
            }
            round = until;
            block.turns = self.block_in_round(phase, block.run, round).turns;
        }
    }

    /// Adds the rows of a node in rounds in which it has the same number of turns.
    fn draft_node(&self, block: &Block, node: u32, drafts: &mut [Draft]) {
        let count = block.turns.count as usize;
        let first = (block.start + block.turns.first) as usize;
        let rows = first..first + count * drafts.len();
        if block.source == Source::Dealt {
            let dealt = self.orders.dealt(TurnsBy::Round);
            let locals = &dealt.locals[rows.clone()];
            block.draft(node, |turn| locals[turn], &dealt.places[rows], drafts);
        } else {
            let first = block.turns.first;
            block.draft(
                node,
                |turn| first + row(turn),
                &self.places.all()[rows],
                drafts,
            );
        }
    }
}

impl Block {
    /// Drafts the rows of a node in some rounds. `local`: the process that has each turn. `places`: the place of each turn.
    #[inline]
    fn draft(
        &self,
        node: u32,
        local: impl Fn(usize) -> u32,
        places: &[Packed],
        drafts: &mut [Draft],
    ) {
        let count = self.turns.count as usize;
        // The first turn of every round, then the second: the inner loop is over the rounds, because a round has few turns.
        for first in 0..count {
            let mut turn = first;
            for draft in &mut *drafts {
                let (local, place) = (local(turn), places[turn]);
                turn += count;
                // No round has more rows than the first. `min` says this without a branch.
                let at = draft.rows.min(ROWS - 1);
                draft.rows = at + 1;
                draft.row[at] = [
                    node,
                    self.nodes.own_before + local,
                    self.nodes.used_before + local,
                    self.kind.object(place),
                    place.cpus,
                ];
            }
        }
    }
}

impl Draft {
    const fn new() -> Self {
        Self {
            row: [[0; COLUMNS]; ROWS],
            rows: 0,
        }
    }

    /// Writes the rows, column by column.
    fn write(&self, out: &mut RowsOut<'_>) {
        let rows = &self.row[..self.rows];
        let columns = out.take_columns(self.rows);
        for (column, number) in columns.into_iter().zip(0..) {
            for (value, row) in column.iter_mut().zip(rows) {
                *value = row[number];
            }
        }
    }
}
