//! Which run a place of a round is on, searched: each phase has the processes of a round before each *block* of runs. A block is
//! one run, and more only where that would take more than 16 MB and two numbers for each run: the runs of a block are looked
//! through. So a plan of whatever counts takes memory in proportion to its runs.

use crate::plan::placed::row;
use crate::plan::steps::Steps;

/// Numbers that the phases may hold in any case.
const ALWAYS: usize = 1 << 22;

/// Processes of a round before each block of runs.
#[derive(Clone, Debug)]
pub(crate) struct RunBlocks {
    /// By phase, and all of them at the end. Shape `[phases][blocks + 1]`.
    before: Steps,
    /// Runs of a block: two to this power.
    block: u32,
}

impl RunBlocks {
    /// No phases yet. `weights` becomes the processes of each block in the first round, of `turns`, those of each run.
    pub(crate) fn begin(
        runs: usize,
        phases: usize,
        turns: impl Iterator<Item = u32>,
        weights: &mut Vec<u32>,
    ) -> Self {
        let block = block_of(runs, phases);
        weights.clear();
        weights.resize(runs.div_ceil(1 << block), 0);
        for (run, turns) in turns.enumerate() {
            weights[run >> block] += turns;
        }
        Self {
            before: Steps::of_length(weights.len() + 1),
            block,
        }
    }

    /// Adds a phase. Cost: the blocks.
    pub(crate) fn push(&mut self, weights: &[u32]) {
        let sums = weights.iter().scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        self.before.push(std::iter::once(0).chain(sums));
    }

    /// The block of a run.
    pub(crate) const fn of(&self, run: u32) -> usize {
        run as usize >> self.block
    }

    /// Processes of a round before each run; `None`: that is known of blocks of runs.
    pub(crate) fn before_runs(&self, phase: usize) -> Option<&[u32]> {
        let (_, before) = self.before.row(phase).split_last()?;
        (self.block == 0).then_some(before)
    }

    /// On which run of a phase a place is, and which of the run's places. `weight`: processes of a run in the round.
    #[inline]
    pub(crate) fn run(&self, phase: usize, place: u32, weight: impl Fn(u32) -> u32) -> (u32, u32) {
        let block = self.before.find(phase, place);
        let mut run = row(block << self.block);
        let mut place = place - self.before.get(phase, block);
        if self.block > 0 {
            loop {
                let own = weight(run);
                if place < own {
                    break;
                }
                place -= own;
                run += 1;
            }
        }
        (run, place)
    }

    /// The first place of a run: the inverse of [`Self::run`].
    pub(crate) fn place(&self, phase: usize, run: u32, weight: impl Fn(u32) -> u32) -> u32 {
        let block = run >> self.block;
        let others = block << self.block..run;
        let before: u32 = others.map(weight).sum();
        before + self.before.get(phase, block as usize)
    }
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
