//! The fewest blocks of a piece of a map, in one pass over its runs (taskmap 4.4).
//!
//! A *cut* lies before a run, or inside one. A *ramp* is a block without repeat, so it covers nodes that ascend by one; a
//! *super-ramp* has two or more nodes and two or more repeats. Which super-ramps are worth trying is found out before
//! (`shorten.rs`); here they are edges from one run to a later one, beside the ramps, and the cheapest path is wanted.
//!
//! What is kept at run `i`: the best way to the cut before it; one *open* ramp that covers the run before it whole and
//! may go on; and the *inner cuts* of the run, each with the tasks still to be covered and the best way there. An inner
//! cut that takes more blocks than the cut before its run is dropped: one more block leads from there to any inner cut.

use super::{Block, Blocks};
use crate::limit::TASKMAP_CUTS_MAX;

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

/// A block that goes round more than once: it starts in the item `start` and ends in the item `end`, both one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuperRamp {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) block: Block,
}

/// Blocks, then characters; ordered as they are to be preferred. Characters are a tie-break and stop at 2^32 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost(u64);

impl Cost {
    const NONE: Self = Self(0);
    /// There is no way.
    const NEVER: Self = Self(u64::MAX);

    fn plus(self, block: Block) -> Self {
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

    fn blocks(self) -> u64 {
        self.0 >> 32
    }
}

/// A way to a cut: what it costs, and its last block in the arena.
#[derive(Clone, Copy, Debug)]
struct Way {
    cost: Cost,
    last: StepId,
}

/// A block on a way, and the one before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    block: Block,
    before: StepId,
}

/// A row of the arena, or none: the way has no block yet.
type StepId = Option<std::num::NonZeroU32>;

/// A ramp that covers the last run whole and may go on.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The ramp so far.
    block: Block,
    /// The way to its start.
    from: Way,
}

/// A cut inside a run.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Tasks of the run still to be covered: not all of them, and not none.
    rest: u32,
    way: Way,
}

/// The way of a super-ramp, waiting for the item in which it ends.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    end: usize,
    ppn: u32,
    way: Way,
}

/// Scratch of [`Search::solve`], kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Search {
    arena: Vec<Step>,
    /// The arena is swept when it gets longer than this.
    sweep_at: usize,
    cuts: Vec<Cut>,
    cuts_before: Vec<Cut>,
    arrivals: Vec<Arrival>,
    path: Vec<Block>,
}

/// Shortest arena that is worth sweeping.
const SWEEP_LEAST: usize = 1 << 12;

const fn ramp(first: u32, nodes: u32, ppn: u32) -> Block {
    Block {
        first,
        nodes,
        ppn,
        repeat: 1,
    }
}

impl Search {
    /// Appends the fewest blocks for these items to `out`. `supers`: by `start`.
    ///
    /// Cost: one pass; memory by the blocks of the ways that are still alive.
    pub(super) fn solve(&mut self, items: &[Item], supers: &[SuperRamp], out: &mut Blocks) {
        self.arena.clear();
        self.cuts.clear();
        self.arrivals.clear();
        self.sweep_at = SWEEP_LEAST;
        let mut supers = supers.iter().peekable();
        let mut best = Way {
            cost: Cost::NONE,
            last: None,
        };
        let mut open: Option<Open> = None;
        for (at, item) in items.iter().enumerate() {
            std::mem::swap(&mut self.cuts, &mut self.cuts_before);
            self.cuts.clear();
            let whole = self.arrive(at, item);
            let carried = if item.kind == ItemKind::Step {
                self.step(item, open)
            } else {
                None
            };
            self.prune(best);
            while let Some(&&start) = supers.peek().filter(|next| next.start == at) {
                supers.next();
                self.depart(&start, item, best);
            }
            if item.kind == ItemKind::Passed {
                (best, open) = (
                    Way {
                        cost: Cost::NEVER,
                        last: None,
                    },
                    None,
                );
                continue;
            }
            let fresh = Open {
                block: ramp(item.first, item.len, item.count),
                from: best,
            };
            let carries =
                carried.filter(|carried| carried.from.cost.blocks() <= fresh.from.cost.blocks());
            best = self.close(item, carried, fresh, whole);
            open = Some(carries.unwrap_or(fresh));
            if self.arena.len() > self.sweep_at {
                self.sweep(&mut best, &mut open);
            }
        }
        self.path.clear();
        let mut at = best.last;
        while let Some(Step { block, before }) = self.step_at(at) {
            self.path.push(block);
            at = before;
        }
        out.extend(self.path.iter().rev().copied());
    }

    /// Super-ramps that end here: the best that covers the item whole; the others are inner cuts.
    fn arrive(&mut self, at: usize, item: &Item) -> Option<Way> {
        let mut whole: Option<Way> = None;
        let mut next = 0;
        while let Some(&Arrival { end, ppn, way }) = self.arrivals.get(next) {
            if end != at {
                next += 1;
                continue;
            }
            self.arrivals.remove(next);
            if ppn < item.count {
                self.cut(Cut {
                    rest: item.count - ppn,
                    way,
                });
            } else if whole.is_none_or(|best| way.cost < best.cost) {
                whole = Some(way);
            }
        }
        whole
    }

    /// Goes on to the next node: the open ramp over the whole item or over a part of its run, and ramps of two nodes
    /// from the inner cuts of the run before. Gives the better of the ramps that cover the item whole.
    fn step(&mut self, item: &Item, open: Option<Open>) -> Option<Open> {
        let mut carried = None;
        if let Some(Open { block, from }) = open {
            if block.ppn == item.count {
                carried = Some(Open {
                    block: Block {
                        nodes: block.nodes + item.len,
                        ..block
                    },
                    from,
                });
            } else if block.ppn < item.count && item.len == 1 {
                let way = self.extend(
                    from,
                    Block {
                        nodes: block.nodes + 1,
                        ..block
                    },
                );
                self.cut(Cut {
                    rest: item.count - block.ppn,
                    way,
                });
            }
        }
        for before in 0..self.cuts_before.len() {
            let Cut { rest, way } = self.cuts_before[before];
            if rest == item.count {
                let other = Open {
                    block: ramp(item.first - 1, 1 + item.len, rest),
                    from: way,
                };
                let cost = |open: Open| open.from.cost.plus(open.block);
                carried = carried
                    .filter(|&carried| cost(carried) <= cost(other))
                    .or(Some(other));
            } else if rest < item.count && item.len == 1 {
                // Inside a longer item no chain is worth keeping: it loses one block a step.
                let way = self.extend(way, ramp(item.first - 1, 2, rest));
                self.cut(Cut {
                    rest: item.count - rest,
                    way,
                });
            }
        }
        carried
    }

    /// Drops the inner cuts that take more blocks than the cut before the run.
    fn prune(&mut self, best: Way) {
        self.cuts
            .retain(|cut| cut.way.cost.blocks() <= best.cost.blocks());
        while self.cuts.len() > TASKMAP_CUTS_MAX {
            let worst = self
                .cuts
                .iter()
                .enumerate()
                .max_by_key(|(at, cut)| (cut.way.cost, *at));
            let worst = worst.map_or(0, |(at, _)| at);
            self.cuts.remove(worst);
        }
    }

    /// Starts a super-ramp in the run of `item`: from the cut before it or an inner one, after a block of what is too much.
    fn depart(&mut self, start: &SuperRamp, item: &Item, best: Way) {
        let SuperRamp { end, block, .. } = *start;
        let before = |way: Way, rest: u32| {
            let extra = rest - block.ppn;
            let extra = (extra > 0).then(|| ramp(item.first, 1, extra));
            (
                extra.map_or(way.cost, |extra| way.cost.plus(extra)),
                way,
                extra,
            )
        };
        let mut entry = before(best, item.count);
        for cut in self.cuts.iter().filter(|cut| cut.rest >= block.ppn) {
            let other = before(cut.way, cut.rest);
            if other.0 < entry.0 {
                entry = other;
            }
        }
        let (_, way, extra) = entry;
        let way = extra.map_or(way, |extra| self.extend(way, extra));
        let way = self.extend(way, block);
        self.arrivals.push(Arrival {
            end,
            ppn: block.ppn,
            way,
        });
    }

    /// The best way to the cut behind the item.
    fn close(
        &mut self,
        item: &Item,
        carried: Option<Open>,
        fresh: Open,
        whole: Option<Way>,
    ) -> Way {
        let mut best = (fresh.from.cost.plus(fresh.block), fresh.from, fresh.block);
        if let Some(Open { block, from }) = carried {
            let cost = from.cost.plus(block);
            if cost <= best.0 {
                best = (cost, from, block);
            }
        }
        for &Cut { rest, way } in &self.cuts {
            let block = ramp(item.first, 1, rest);
            let cost = way.cost.plus(block);
            if cost < best.0 {
                best = (cost, way, block);
            }
        }
        match whole {
            Some(way) if way.cost < best.0 => way,
            Some(_) | None => self.extend(best.1, best.2),
        }
    }

    /// Adds an inner cut of the present run; of two at the same place the cheaper stays.
    fn cut(&mut self, new: Cut) {
        match self.cuts.iter_mut().find(|cut| cut.rest == new.rest) {
            Some(cut) if new.way.cost < cut.way.cost => *cut = new,
            Some(_) => {}
            None => self.cuts.push(new),
        }
    }

    /// The way, one block longer.
    fn extend(&mut self, way: Way, block: Block) -> Way {
        let cost = way.cost.plus(block);
        if cost == Cost::NEVER {
            return Way { cost, last: None };
        }
        self.arena.push(Step {
            block,
            before: way.last,
        });
        Way {
            cost,
            last: Some(crate::id::row_to_key(self.arena.len() - 1)),
        }
    }

    fn step_at(&self, at: StepId) -> Option<Step> {
        at.map(|at| self.arena[row(at)])
    }

    /// Drops the blocks that are on no way still alive. Each sweep pays for itself by what was added since the last.
    fn sweep(&mut self, best: &mut Way, open: &mut Option<Open>) {
        let mut kept = vec![false; self.arena.len()];
        let cuts = self.cuts.iter_mut().map(|cut| &mut cut.way);
        let arrivals = self.arrivals.iter_mut().map(|arrival| &mut arrival.way);
        let opens = open.iter_mut().map(|open| &mut open.from);
        let mut alive: Vec<&mut StepId> = cuts
            .chain(arrivals)
            .chain(opens)
            .chain([best])
            .map(|way| &mut way.last)
            .collect();
        for last in alive.iter().filter_map(|last| **last) {
            kept[row(last)] = true;
        }
        for at in (0..self.arena.len()).rev() {
            if kept[at]
                && let Some(before) = self.arena[at].before
            {
                kept[row(before)] = true;
            }
        }
        let mut moved: Vec<StepId> = Vec::with_capacity(self.arena.len());
        let mut len = 0;
        for (at, &kept) in kept.iter().enumerate() {
            moved.push(kept.then(|| crate::id::row_to_key(len)));
            if kept {
                let Step { block, before } = self.arena[at];
                let before = before.and_then(|before| moved[row(before)]);
                self.arena[len] = Step { block, before };
                len += 1;
            }
        }
        for last in &mut alive {
            **last = last.and_then(|last| moved[row(last)]);
        }
        self.arena.truncate(len);
        self.sweep_at = (2 * len).max(SWEEP_LEAST);
    }
}

/// The row of the arena that a key stands for.
const fn row(key: std::num::NonZeroU32) -> usize {
    key.get() as usize - 1
}
