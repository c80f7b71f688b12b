//! The fewest blocks of a piece of a map, in one pass over its runs (taskmap "How the fewest blocks are found").
//!
//! A *cut* lies before a run, or inside one. A *ramp* is a block without repeat, so it covers nodes that ascend by one.
//! A *super-ramp* has two or more nodes and two or more repeats. `shorten.rs` finds the super-ramps that are worth
//! trying. Here ramps and super-ramps are edges from one run to a later one, and the search finds the cheapest path.
//!
//! The search keeps at each run: the best way to the cut before it; one *open* ramp that covers the whole run before it
//! and may continue; and the *inner cuts* of the run, each with the tasks still to be covered and the best way to it.
//! An inner cut that takes more blocks than the cut before its run is dropped: from that cut, one more block leads to
//! any inner cut.
//!
//! Runs are given as ramps: a single run, or a stretch of equal runs that needs no cut inside.

use super::blocks::Block;
use super::ways::{Arena, Open, Way};
use crate::limit::TASKMAP_CUTS_MAX;
use std::iter::once;

/// A block with repeats, which starts in the run `start` and ends in the run `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuperRamp {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) block: Block,
}

/// A cut in the current run.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Tasks of the run still to be covered. For an inner cut these are some, but not all.
    rest: u32,
    way: Way,
}

/// A way that ends with a super-ramp, kept until the run in which the super-ramp ends.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    end: u32,
    ppn: u32,
    way: Way,
}

/// Scratch of [`Search::solve`], kept from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Search {
    arena: Arena,
    /// The inner cuts of the current run, and those of the run before.
    cuts: Vec<Cut>,
    cuts_before: Vec<Cut>,
    arrivals: Vec<Arrival>,
}

impl Search {
    /// Appends the fewest blocks for these runs to `out`. `supers`: sorted by `start`.
    ///
    /// Cost: one pass; 40 bytes for each block of each way that was tried.
    pub(super) fn solve(&mut self, runs: &[Block], supers: &[SuperRamp], out: &mut Vec<Block>) {
        self.arena.clear();
        self.cuts.clear();
        let mut supers = supers.iter().peekable();
        let mut best = Way::default();
        let mut open: Option<Open> = None;
        for (at, &run) in (0..).zip(runs) {
            std::mem::swap(&mut self.cuts, &mut self.cuts_before);
            self.cuts.clear();
            let carried = open
                .filter(|open| open.block.end() == run.first)
                .and_then(|open| self.step(at, run, open));
            let whole = self.arrive(at, run);
            self.prune(best);
            while let Some(next) = supers.next_if(|next| next.start == at) {
                self.depart(*next, run, best);
            }
            let fresh = best.plus(run);
            best = self.close(run, carried, fresh, whole);
            let goes_on = carried.filter(|open| open.from.cost.blocks <= fresh.from.cost.blocks);
            open = Some(goes_on.unwrap_or(fresh));
        }
        self.arena.write(best, runs, out);
    }

    /// Continues to the next node: the open ramp covers all or a part of the run, and ramps of two nodes start at the
    /// inner cuts of the run before. Returns the best ramp that covers the whole run.
    fn step(&mut self, at: u32, run: Block, open: Open) -> Option<Open> {
        let longer = |nodes| Block {
            nodes: open.block.nodes + nodes,
            ..open.block
        };
        let goes_on = (open.block.ppn == run.ppn).then(|| open.from.plus(longer(run.nodes)));
        let two = Block::ramp(run.first - 1, 1 + run.nodes, run.ppn);
        let cuts = self.cuts_before.iter().filter(|cut| cut.rest == run.ppn);
        let ramps = cuts.map(|cut| cut.way.plus(two));
        let carried = goes_on
            .into_iter()
            .chain(ramps)
            .min_by_key(|ramp| ramp.cost);
        if run.nodes > 1 {
            // Inside a longer stretch no chain is worth keeping: it loses one block per step.
            return carried;
        }
        // Cuts at different places stay at different places, so none of these needs to be searched for.
        let cuts = self.cuts_before.iter().filter(|cut| cut.rest < run.ppn);
        self.cuts.extend(cuts.map(|cut| Cut {
            rest: run.ppn - cut.rest,
            way: cut.way.chained(Block::ramp(run.first - 1, 2, cut.rest)),
        }));
        if open.block.ppn < run.ppn {
            let way = self.arena.close(open.from.plus(longer(1)));
            self.cut(at, run.ppn - open.block.ppn, way);
        }
        carried
    }

    /// Ends the super-ramps of this run. Returns the best one that covers the whole run; those that cover a part of it
    /// become inner cuts.
    fn arrive(&mut self, at: u32, run: Block) -> Option<Way> {
        let mut whole: Option<Way> = None;
        let here = self.arrivals.extract_if(.., |arrival| arrival.end == at);
        for Arrival { ppn, way, .. } in here.collect::<Vec<_>>() {
            if ppn < run.ppn {
                self.cut(at, run.ppn - ppn, way);
            } else if whole.is_none_or(|best| way.cost < best.cost) {
                whole = Some(way);
            }
        }
        whole
    }

    /// Drops the inner cuts that take more blocks than the cut before the run.
    fn prune(&mut self, best: Way) {
        self.cuts
            .retain(|cut| cut.way.cost.blocks <= best.cost.blocks);
        while self.cuts.len() > TASKMAP_CUTS_MAX {
            let worst = (0..self.cuts.len()).max_by_key(|&at| self.cuts[at].way.cost);
            self.cuts.remove(worst.unwrap_or(0));
        }
    }

    /// Starts a super-ramp from the cut before the run or from an inner cut. A block before it covers the tasks that
    /// the super-ramp does not take.
    fn depart(&mut self, SuperRamp { end, block, .. }: SuperRamp, run: Block, best: Way) {
        let extra = |cut: &Cut| {
            let more = cut.rest - block.ppn;
            (more > 0).then(|| cut.way.plus(Block::ramp(run.first, 1, more)))
        };
        let whole = Cut {
            rest: run.ppn,
            way: best,
        };
        let cuts = once(&whole).chain(&self.cuts);
        let cut = cuts
            .filter(|cut| cut.rest >= block.ppn)
            .min_by_key(|cut| extra(cut).map_or(cut.way.cost, |extra| extra.cost))
            .copied()
            .unwrap_or(whole);
        let way = extra(&cut).map_or(cut.way, |extra| self.arena.close(extra));
        let way = self.arena.close(way.plus(block));
        self.arrivals.push(Arrival {
            end,
            ppn: block.ppn,
            way,
        });
    }

    /// The best way to the cut behind the run.
    fn close(&mut self, run: Block, carried: Option<Open>, fresh: Open, whole: Option<Way>) -> Way {
        let last = |cut: &Cut| cut.way.plus(Block::ramp(run.first, 1, cut.rest));
        let inner = self.cuts.iter().map(last);
        let ramps = carried.into_iter().chain(once(fresh)).chain(inner);
        let ramp = ramps.min_by_key(|ramp| ramp.cost).unwrap_or(fresh);
        match whole {
            Some(way) if way.cost < ramp.cost => way,
            Some(_) | None => self.arena.close(ramp),
        }
    }

    /// Adds an inner cut of the current run. Of two cuts at the same place, the cheaper one stays.
    fn cut(&mut self, at: u32, rest: u32, way: Way) {
        let way = way.chain_from(at, rest);
        match self.cuts.iter_mut().find(|cut| cut.rest == rest) {
            Some(cut) if way.cost < cut.way.cost => cut.way = way,
            Some(_) => {}
            None => self.cuts.push(Cut { rest, way }),
        }
    }
}
