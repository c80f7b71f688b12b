//! Rounds of many different nodes, written side by side.
//!
//! In the order of ranks, what a node gets in one round stands far from what it gets in the next. So some rounds of some nodes are
//! drafted node by node, as what these get stands, and copied round by round.

use super::Plan;
use super::placed::row;
use super::places::Packed;
use super::rank::node_order::TurnsBy;
use super::rank::ranges::{Phase, RankRange, Source};
use super::row_writer::{Block, RowsOut};

/// Rounds that are drafted at once, and rows of each.
const ROUNDS: usize = 64;
const ROWS: usize = 256;
/// Runs from which on they are many.
const MANY: usize = 16;

/// A round of a phase, and its first row.
struct WholeRound<'p> {
    phase: &'p Phase,
    round: u32,
    row: usize,
}

/// Neighbouring rows of a round, by column. An odd number of cache lines: neighbouring rounds do not meet in the same sets of
/// the cache.
#[repr(align(64))]
struct Draft {
    node: [u32; ROWS],
    local_rank: [u32; ROWS],
    node_rank: [u32; ROWS],
    object: [u32; ROWS],
    cpus: [u32; ROWS],
    rows: usize,
}

const _: () = assert!(size_of::<Draft>() / 64 % 2 == 1);

impl Plan {
    /// Writes the rounds of an app that begin at a rank of a phase, as far as there is room for all of each; whether there are
    /// some, and many runs.
    pub(super) fn write_rounds(&self, at: usize, inside: u32, out: &mut RowsOut<'_>) -> bool {
        let rounds = self.whole_rounds(at, inside, out);
        let (Some(first), Some(last)) = (rounds.first(), rounds.last()) else {
            return false;
        };
        let (phase, round) = (first.phase, first.round);
        let runs = self.apps[phase.app as usize].runs().len();
        if runs < MANY {
            return false;
        }
        let mut drafts: Vec<Draft> = rounds.iter().map(|_| Draft::new()).collect();
        let (mut run, runs) = (0, row(runs));
        while run < runs {
            let first = run;
            let mut room = ROWS;
            drafts.iter_mut().for_each(|draft| draft.rows = 0);
            while run < runs {
                let block = self.block_in_round(phase, run, round);
                let rows = block.rows() as usize;
                if rows > room || block.source == Source::Asked {
                    break;
                }
                // Later rounds have no more.
                room -= rows;
                self.draft_run(phase, block, round, &mut drafts);
                run += 1;
            }
            for (WholeRound { phase, round, row }, draft) in rounds.iter().zip(&drafts) {
                out.at = row + self.place_of(phase, first, *round) as usize;
                if run > first {
                    draft.copy(out);
                } else {
                    let block = self.block_in_round(phase, first, *round);
                    self.write_block(&block, 0, self.orders.dealt(TurnsBy::Round), out);
                }
            }
            run = run.max(first + 1);
        }
        out.at = last.row + last.phase.width as usize;
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

    /// Adds what a run has in some rounds, from one on. `block`: what it has there.
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

    /// Adds what a node has in rounds of equally many turns.
    fn draft_node(&self, block: &Block, node: u32, drafts: &mut [Draft]) {
        let count = block.turns.count as usize;
        let first = (block.start + block.turns.first) as usize;
        let rows = first..first + count * drafts.len();
        if block.source == Source::Dealt {
            let dealt = self.orders.dealt(TurnsBy::Round);
            let locals = dealt.locals[rows.clone()].iter().copied();
            block.draft(node, locals.zip(&dealt.places[rows]), drafts);
        } else {
            block.draft(
                node,
                (block.turns.first..).zip(&self.places.all()[rows]),
                drafts,
            );
        }
    }
}

impl Block {
    /// Puts down what a node gets in some rounds, turn by turn: each process, and what it gets.
    #[inline]
    fn draft<'p>(
        &self,
        node: u32,
        mut turns: impl Iterator<Item = (u32, &'p Packed)>,
        drafts: &mut [Draft],
    ) {
        for draft in drafts {
            for (local, &place) in turns.by_ref().take(self.turns.count as usize) {
                // No round has more rows than the first: this says so without a branch.
                let at = draft.rows.min(ROWS - 1);
                draft.node[at] = node;
                draft.local_rank[at] = self.nodes.own_before + local;
                draft.node_rank[at] = self.nodes.used_before + local;
                draft.object[at] = self.kind.object(place);
                draft.cpus[at] = place.cpus;
                draft.rows = at + 1;
            }
        }
    }
}

impl Draft {
    const fn new() -> Self {
        Self {
            node: [0; ROWS],
            local_rank: [0; ROWS],
            node_rank: [0; ROWS],
            object: [0; ROWS],
            cpus: [0; ROWS],
            rows: 0,
        }
    }

    /// Copies the rows.
    fn copy(&self, out: &mut RowsOut<'_>) {
        let rows = self.rows;
        let out = out.take(rows);
        out.node.copy_from_slice(&self.node[..rows]);
        out.local_rank.copy_from_slice(&self.local_rank[..rows]);
        out.node_rank.copy_from_slice(&self.node_rank[..rows]);
        out.object.copy_from_slice(&self.object[..rows]);
        out.cpus.copy_from_slice(&self.cpus[..rows]);
    }
}
