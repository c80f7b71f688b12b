//! Ways through the runs of a map: their costs and their blocks. Ways share the blocks that they have in common.

use super::blocks::Block;
use crate::id::row_to_key;
use std::num::NonZeroU32;

/// Blocks, then characters; the smaller cost is preferred. Characters only break ties, and stop at 2^32 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Cost {
    pub(super) blocks: u32,
    chars: u32,
}

impl Cost {
    /// The cost with one more block.
    pub(super) fn plus(self, block: Block) -> Self {
        Self {
            blocks: self.blocks + 1,
            chars: self.chars.saturating_add(block.chars()),
        }
    }
}

/// A way to a cut: its cost and its blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    pub(super) cost: Cost,
    /// Its last step in the arena; `None` at the start.
    last: Option<NonZeroU32>,
    /// The chain behind that step.
    chain: Chain,
}

/// A way, and a block behind it that may still grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) from: Way,
    pub(super) block: Block,
    /// The cost of both.
    pub(super) cost: Cost,
}

/// Blocks of two nodes that lead from an inner cut of the run `from` to an inner cut of the run `to`. They need not be
/// kept one by one.
///
/// Each block takes the tasks left of its first run, and as many tasks of its second run. The next block takes the
/// tasks that are then left of that second run.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    from: u32,
    to: u32,
    /// Tasks left of the run `from`.
    rest: u32,
}

impl Way {
    /// The way with one more block.
    pub(super) fn plus(self, block: Block) -> Open {
        let cost = self.cost.plus(block);
        Open {
            from: self,
            block,
            cost,
        }
    }

    /// The way, which ends inside this run, prepared to continue with a chain from there.
    pub(super) const fn chain_from(self, run: u32, rest: u32) -> Self {
        Self {
            chain: Chain {
                from: run,
                to: run,
                rest,
            },
            ..self
        }
    }

    /// The way with the next block of its chain.
    pub(super) fn chained(self, block: Block) -> Self {
        Self {
            cost: self.cost.plus(block),
            chain: Chain {
                to: self.chain.to + 1,
                ..self.chain
            },
            ..self
        }
    }
}

/// A chain, which may be empty, and the block behind it.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: Option<NonZeroU32>,
    chain: Chain,
    block: Block,
}

/// The steps of all ways, each kept once.
#[derive(Debug, Default)]
pub(super) struct Arena(Vec<Step>);

impl Arena {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Ends a block, which grows no more. Returns the way to its end.
    pub(super) fn close(&mut self, Open { from, block, cost }: Open) -> Way {
        self.0.push(Step {
            before: from.last,
            chain: from.chain,
            block,
        });
        Way {
            cost,
            last: Some(row_to_key(self.0.len() - 1)),
            chain: Chain::default(),
        }
    }

    /// Appends the blocks of a way that ends with a block. `runs`: the runs that its chains refer to.
    pub(super) fn write(&self, way: Way, runs: &[Block], out: &mut Vec<Block>) {
        let mut steps = Vec::new();
        let mut at = way.last;
        while let Some(key) = at {
            let step = self.0[key.get() as usize - 1];
            steps.push(step);
            at = step.before;
        }
        for Step { chain, block, .. } in steps.into_iter().rev() {
            let mut rest = chain.rest;
            for pair in runs[chain.from as usize..=chain.to as usize].windows(2) {
                out.push(Block::ramp(pair[0].first, 2, rest));
                rest = pair[1].ppn - rest;
            }
            out.push(block);
        }
    }
}
