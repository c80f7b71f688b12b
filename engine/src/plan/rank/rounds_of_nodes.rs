//! Ranks by node and by span: round by round. In all rounds of a *phase* the same nodes take part, each with the same number of turns. A phase ends
//! when some of them have no processes left, or continue with fewer turns.
//!
//! Each phase stores how many processes of a round come before each *block* of runs. A block is normally one run. It has more
//! runs only if the numbers of an app would take more than 16 MB and more than two numbers for each run; then a question walks
//! the runs of a block. So the memory of a plan is in proportion to its runs, whatever the counts are.

use super::ranges::{Phase, RankRange, RankRanges};
use super::turns_on_node::RunOrders;
use crate::plan::placed::{PlacedRun, row};
use crate::plan::sorted_index::SortedIndex;
use std::ops::Range;

/// How many numbers the phases of an app may hold in any case.
const ALWAYS: usize = 1 << 22;

/// Runs of one order that continue with fewer turns.
struct FewerTurns {
    /// The first round with fewer turns.
    round: u32,
    /// The runs, as rows of the list of runs sorted by order.
    runs: Range<usize>,
    /// How many turns fewer.
    turns: u32,
}

impl RankRanges {
    /// Adds the phases of an app; returns the first app rank of each.
    ///
    /// Cost: for each phase its blocks of runs; for each run a subtraction each time its turns become fewer; sorts of the runs
    /// and of the rounds in which turns become fewer.
    pub(super) fn add_phases(
        &mut self,
        app: u32,
        runs: &[PlacedRun],
        orders: &RunOrders,
    ) -> Vec<u32> {
        // Runs of the same order have the same turns in the same rounds.
        let mut alike: Vec<(u32, u32)> = orders.of_runs().iter().copied().zip(0..).collect();
        alike.sort_unstable();
        let fewer = fewer_turns(&alike, orders);
        let phases = || fewer.chunk_by(|a, b| a.round == b.round);
        let block = block_of(runs.len(), phases().count());
        let nodes = |run: u32| runs[run as usize].nodes.count;
        // Processes of each block in a round.
        let mut weights = vec![0_u32; runs.len().div_ceil(1 << block)];
        for run in 0..row(runs.len()) {
            weights[run as usize >> block] += orders.in_round(run, 0).count * nodes(run);
        }
        let turns = row(self.turns.len());
        let (mut first_ranks, mut rank, mut round) = (Vec::new(), 0, 0);
        for fewer in phases() {
            let mut width = 0;
            let before = weights.iter().map(|weight| {
                width += weight;
                width
            });
            let before = SortedIndex::new(std::iter::once(0).chain(before));
            let rounds = fewer[0].round - round;
            self.all.push(RankRange::Phase(Phase {
                app,
                round,
                rounds,
                width,
                turns,
                before: row(self.before.len()),
                block,
            }));
            self.before.push(before);
            first_ranks.push(rank);
            rank += width * rounds;
            round += rounds;
            for FewerTurns { runs, turns, .. } in fewer {
                for &(_, run) in &alike[runs.clone()] {
                    weights[run as usize >> block] -= turns * nodes(run);
                }
            }
        }
        first_ranks
    }
}

/// The rounds in which turns become fewer, ascending. `alike`: (order, run), sorted.
fn fewer_turns(alike: &[(u32, u32)], orders: &RunOrders) -> Vec<FewerTurns> {
    let mut fewer = Vec::new();
    let mut first = 0;
    for runs in alike.chunk_by(|a, b| a.0 == b.0) {
        let rounds = orders.rounds(runs[0].1);
        for (at, equal) in rounds.iter().enumerate() {
            let next = rounds.get(at + 1).map_or(0, |next| next.turns);
            fewer.push(FewerTurns {
                round: equal.end,
                runs: first..first + runs.len(),
                turns: equal.turns - next,
            });
        }
        first += runs.len();
    }
    fewer.sort_unstable_by_key(|fewer| fewer.round);
    fewer
}

/// How many runs make a block, as a power of two.
fn block_of(runs: usize, phases: usize) -> u32 {
    let room = ALWAYS.max(2 * runs);
    let numbers = |block: u32| runs.div_ceil(1 << block).saturating_mul(phases);
    let mut block = 0;
    while numbers(block) > room {
        block += 1;
    }
    block
}
