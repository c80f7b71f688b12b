//! Ways through the runs of a map: what they cost, and their blocks, kept so that ways share what they have in common.

use super::blocks::{Block, Blocks};
use crate::id::row_to_key;
use std::num::NonZeroU32;

/// Runs next to each other with equal counts on ascending nodes: one run, or a stretch whose inside needs no cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) first: u32,
    /// Runs, from 1.
    pub(super) len: u32,
    /// Tasks of each.
    pub(super) count: u32,
    pub(super) kind: ItemKind,
}

/// How an item follows the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    /// On any other node than the next.
    Start,
    /// On the next node.
    Step,
    /// It stands for many equal segments, which only super-ramps pass.
    Passed,
}

/// Blocks, then characters; ordered as they are to be preferred. Characters are a tie-break and stop at 2^32 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cost(u64);

impl Cost {
    pub(super) const NONE: Self = Self(0);
    /// There is no way.
    pub(super) const NEVER: Self = Self(u64::MAX);

    /// With one block more.
    pub(super) fn plus(self, block: Block) -> Self {
        if self == Self::NEVER {
            return self;
        }
        let digits = |value: u32| u64::from(value.checked_ilog10().unwrap_or(0) + 1);
        let Block {
            first,
            nodes,
            ppn,
            repeat,
        } = block;
        let chars = digits(first) + digits(nodes) + digits(ppn) + digits(repeat) + 6;
        let chars = ((self.0 & u64::from(u32::MAX)) + chars).min(u64::from(u32::MAX));
        Self((((self.0 >> 32) + 1) << 32) | chars)
    }

    pub(super) const fn blocks(self) -> u64 {
        self.0 >> 32
    }
}

/// A way to a cut: what it costs, and its last piece in the arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) cost: Cost,
    pub(super) last: StepId,
}

impl Way {
    pub(super) const START: Self = Self {
        cost: Cost::NONE,
        last: None,
    };
    pub(super) const NEVER: Self = Self {
        cost: Cost::NEVER,
        last: None,
    };
}

/// A row of the arena, or none: the way has no piece yet.
pub(super) type StepId = Option<NonZeroU32>;

/// A piece of a way, and the one before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    piece: Piece,
    before: StepId,
}

/// A block, or many that follow from each other and need not be kept one by one.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Block(Block),
    Chain(Chain),
}

/// Blocks of two nodes, from an inner cut of item `from` to one of item `to`, behind which `rest` tasks are left at first.
///
/// Each takes what is left of its first run, as many of its second, and the next one takes what that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) rest: u32,
}

impl Chain {
    fn write(self, items: &[Item], out: &mut Blocks) {
        let mut rest = self.rest;
        for pair in items[self.from as usize..=self.to as usize].windows(2) {
            out.push(Block {
                first: pair[0].first,
                nodes: 2,
                ppn: rest,
                repeat: 1,
            });
            rest = pair[1].count - rest;
        }
    }
}

/// Pieces of all ways that may still be gone on with.
#[derive(Debug, Default)]
pub(super) struct Arena {
    steps: Vec<Step>,
    /// It is swept when it gets longer than this.
    sweep_at: usize,
}

/// Shortest arena that is worth sweeping.
const SWEEP_LEAST: usize = 1 << 12;

impl Arena {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.sweep_at = SWEEP_LEAST;
    }

    /// The way, one block longer.
    pub(super) fn extend(&mut self, way: Way, block: Block) -> Way {
        if way.cost == Cost::NEVER {
            return Way::NEVER;
        }
        Way {
            cost: way.cost.plus(block),
            last: self.push(Piece::Block(block), way.last),
        }
    }

    /// The way that goes on behind `origin` with a chain; `cost` is that of all.
    pub(super) fn chain(&mut self, origin: StepId, chain: Chain, cost: Cost) -> Way {
        if chain.from == chain.to {
            return Way { cost, last: origin };
        }
        Way {
            cost,
            last: self.push(Piece::Chain(chain), origin),
        }
    }

    fn push(&mut self, piece: Piece, before: StepId) -> StepId {
        self.steps.push(Step { piece, before });
        Some(row_to_key(self.steps.len() - 1))
    }

    /// Appends the blocks of a way.
    pub(super) fn write(&self, way: Way, items: &[Item], out: &mut Blocks) {
        let start = out.len();
        let mut at = way.last;
        while let Some(Step { piece, before }) = at.map(|at| self.steps[row(at)]) {
            match piece {
                Piece::Block(block) => out.push(block),
                Piece::Chain(chain) => {
                    let from = out.len();
                    chain.write(items, out);
                    out.reverse_from(from);
                }
            }
            at = before;
        }
        out.reverse_from(start);
    }

    /// Is it time to sweep?
    pub(super) const fn is_full(&self) -> bool {
        self.steps.len() > self.sweep_at
    }

    /// Drops the pieces that are on none of these ways. Each sweep pays for itself by what was added since the last.
    pub(super) fn sweep(&mut self, alive: &mut [&mut StepId]) {
        let mut kept = vec![false; self.steps.len()];
        for last in alive.iter().filter_map(|last| **last) {
            kept[row(last)] = true;
        }
        for at in (0..self.steps.len()).rev() {
            if kept[at]
                && let Some(before) = self.steps[at].before
            {
                kept[row(before)] = true;
            }
        }
        let mut moved: Vec<StepId> = Vec::with_capacity(self.steps.len());
        let mut len = 0;
        for (at, &kept) in kept.iter().enumerate() {
            moved.push(kept.then(|| row_to_key(len)));
            if kept {
                let Step { piece, before } = self.steps[at];
                let before = before.and_then(|before| moved[row(before)]);
                self.steps[len] = Step { piece, before };
                len += 1;
            }
        }
        for last in alive {
            **last = last.and_then(|last| moved[row(last)]);
        }
        self.steps.truncate(len);
        self.sweep_at = (2 * len).max(SWEEP_LEAST);
    }
}

/// The row of the arena that a key stands for.
const fn row(key: NonZeroU32) -> usize {
    key.get() as usize - 1
}
