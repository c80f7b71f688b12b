//! The fewest blocks of a piece of a map, in one pass over its runs (taskmap "How the fewest blocks are found").
//!
//! A *cut* lies before a run, or inside one. A *ramp* is a block without repeat, so it covers nodes that ascend by one; a
//! *super-ramp* has two or more nodes and two or more repeats. Which super-ramps are worth trying is found out before
//! (`shorten.rs`); here they are edges from one run to a later one, beside the ramps, and the cheapest path is wanted.
//!
//! What is kept at run `i`: the best way to the cut before it; one *open* ramp that covers the run before it whole and
//! may go on; and the *inner cuts* of the run, each with the tasks still to be covered and the best way there. An inner
//! cut that takes more blocks than the cut before its run is dropped: one more block leads from there to any inner cut.

use super::blocks::{Block, Blocks};
use super::ways::{Arena, Chain, Cost, Item, ItemKind, StepId, Way};
use crate::limit::TASKMAP_CUTS_MAX;

/// A block that goes round more than once: it starts in the item `start` and ends in the item `end`, both one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuperRamp {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) block: Block,
}

/// A ramp that covers the last run whole and may go on.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The ramp so far.
    block: Block,
    /// The way to its start.
    from: Way,
}

impl Open {
    fn cost(&self) -> Cost {
        self.from.cost.plus(self.block)
    }
}

/// A cut inside the run of the item at hand.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Tasks of the run still to be covered: not all of them, and not none.
    rest: u32,
    /// Of the whole way.
    cost: Cost,
    /// The way to the inner cut at which the chain starts that leads here; often that is here.
    origin: StepId,
    /// The item of that inner cut, and what was left of it there.
    since: u32,
    rest_there: u32,
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
    arena: Arena,
    /// The item at hand.
    at: u32,
    /// Its inner cuts, and those of the one before.
    cuts: Vec<Cut>,
    cuts_before: Vec<Cut>,
    arrivals: Vec<Arrival>,
}

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
        let mut supers = supers.iter().peekable();
        let mut best = Way::START;
        let mut open: Option<Open> = None;
        for (at, item) in items.iter().enumerate() {
            self.at = u32::try_from(at).expect("a map has no more runs than tasks");
            std::mem::swap(&mut self.cuts, &mut self.cuts_before);
            self.cuts.clear();
            let carried = match item.kind {
                ItemKind::Step => self.step(item, open),
                ItemKind::Start | ItemKind::Passed => None,
            };
            let whole = self.arrive(at, item);
            self.prune(best);
            while let Some(start) = supers.next_if(|next| next.start == at) {
                self.depart(start, item, best);
            }
            if item.kind == ItemKind::Passed {
                (best, open) = (Way::NEVER, None);
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
            if self.arena.is_full() {
                self.sweep(&mut best, &mut open);
            }
        }
        self.arena.write(best, items, out);
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
                self.cut(item.count - ppn, way);
            } else if whole.is_none_or(|best| way.cost < best.cost) {
                whole = Some(way);
            }
        }
        whole
    }

    /// Goes on to the next node: the open ramp over the whole item or over a part of its run, and ramps of two nodes
    /// from the inner cuts of the run before. Gives the better of the ramps that cover the item whole.
    fn step(&mut self, item: &Item, open: Option<Open>) -> Option<Open> {
        let mut carried =
            open.filter(|open| open.block.ppn == item.count)
                .map(|Open { block, from }| Open {
                    block: Block {
                        nodes: block.nodes + item.len,
                        ..block
                    },
                    from,
                });
        for before in 0..self.cuts_before.len() {
            let cut = self.cuts_before[before];
            if cut.rest == item.count {
                let block = ramp(item.first - 1, 1 + item.len, cut.rest);
                if carried.is_none_or(|carried| cut.cost.plus(block) < carried.cost()) {
                    let from = self.way(cut, self.at - 1);
                    carried = Some(Open { block, from });
                }
            } else if cut.rest < item.count && item.len == 1 {
                // Inside a longer item no chain is worth keeping: it loses one block a step. What was at different
                // places stays at different places, so that none of these needs to be looked for.
                let cost = cut.cost.plus(ramp(item.first - 1, 2, cut.rest));
                self.cuts.push(Cut {
                    rest: item.count - cut.rest,
                    cost,
                    ..cut
                });
            }
        }
        if let Some(Open { block, from }) =
            open.filter(|open| open.block.ppn < item.count && item.len == 1)
        {
            let way = self.arena.extend(
                from,
                Block {
                    nodes: block.nodes + 1,
                    ..block
                },
            );
            self.cut(item.count - block.ppn, way);
        }
        carried
    }

    /// Drops the inner cuts that take more blocks than the cut before the run.
    fn prune(&mut self, best: Way) {
        self.cuts
            .retain(|cut| cut.cost.blocks() <= best.cost.blocks());
        while self.cuts.len() > TASKMAP_CUTS_MAX {
            let worst = self
                .cuts
                .iter()
                .enumerate()
                .max_by_key(|(at, cut)| (cut.cost, *at));
            let worst = worst.map_or(0, |(at, _)| at);
            self.cuts.remove(worst);
        }
    }

    /// Starts a super-ramp in the run of `item`: from the cut before it or an inner one, after a block of what is too much.
    fn depart(&mut self, start: &SuperRamp, item: &Item, best: Way) {
        let SuperRamp { end, block, .. } = *start;
        let too_much =
            |rest: u32| (rest > block.ppn).then(|| ramp(item.first, 1, rest - block.ppn));
        let entry = |cost: Cost, rest: u32| too_much(rest).map_or(cost, |extra| cost.plus(extra));
        let inner = self
            .cuts
            .iter()
            .filter(|cut| cut.rest >= block.ppn)
            .min_by_key(|cut| entry(cut.cost, cut.rest));
        let inner = inner
            .copied()
            .filter(|cut| entry(cut.cost, cut.rest) < entry(best.cost, item.count));
        let (way, rest) =
            inner.map_or((best, item.count), |cut| (self.way(cut, self.at), cut.rest));
        let way = too_much(rest).map_or(way, |extra| self.arena.extend(way, extra));
        let way = self.arena.extend(way, block);
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
        let ramp_here = carried
            .filter(|carried| carried.cost() <= fresh.cost())
            .unwrap_or(fresh);
        let last = |cut: &Cut| ramp(item.first, 1, cut.rest);
        let inner = self.cuts.iter().min_by_key(|cut| cut.cost.plus(last(cut)));
        let inner = inner
            .copied()
            .filter(|cut| cut.cost.plus(last(cut)) < ramp_here.cost());
        let cost = inner.map_or(ramp_here.cost(), |cut| cut.cost.plus(last(&cut)));
        match (whole, inner) {
            (Some(way), _) if way.cost < cost => way,
            (_, Some(cut)) => {
                let way = self.way(cut, self.at);
                self.arena.extend(way, last(&cut))
            }
            (_, None) => self.arena.extend(ramp_here.from, ramp_here.block),
        }
    }

    /// Adds an inner cut of the item at hand; of two at the same place the cheaper stays.
    fn cut(&mut self, rest: u32, Way { cost, last: origin }: Way) {
        let new = Cut {
            rest,
            cost,
            origin,
            since: self.at,
            rest_there: rest,
        };
        match self.cuts.iter_mut().find(|cut| cut.rest == rest) {
            Some(cut) if cost < cut.cost => *cut = new,
            Some(_) => {}
            None => self.cuts.push(new),
        }
    }

    /// The way to an inner cut of item `to`.
    fn way(&mut self, cut: Cut, to: u32) -> Way {
        let chain = Chain {
            from: cut.since,
            to,
            rest: cut.rest_there,
        };
        self.arena.chain(cut.origin, chain, cut.cost)
    }

    fn sweep(&mut self, best: &mut Way, open: &mut Option<Open>) {
        let cuts = self.cuts.iter_mut().map(|cut| &mut cut.origin);
        let arrivals = self
            .arrivals
            .iter_mut()
            .map(|arrival| &mut arrival.way.last);
        let opens = open.iter_mut().map(|open| &mut open.from.last);
        let mut alive: Vec<&mut StepId> = cuts
            .chain(arrivals)
            .chain(opens)
            .chain([&mut best.last])
            .collect();
        self.arena.sweep(&mut alive);
    }
}
