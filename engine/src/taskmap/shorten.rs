//! The fewest blocks of a map, from Flux's encoding of it (taskmap "How the fewest blocks are found"): nothing is written out run by run that is alike.
//!
//! Flux's blocks become *segments*: longest stretches of runs on ascending nodes. A block without repeat lies inside one
//! segment, so where no block with repeats can lead from a segment to the next, a cut costs nothing and the pieces are
//! solved apart. Such a block has its nodes and its count from any two segments that it leads across, so that one look
//! at each pair of neighbours finds them all.

use super::blocks::{Block, Blocks};
use super::ramps::{Search, SuperRamp};
use super::ways::{Item, ItemKind};
use std::ops::Range;

/// For whom blocks are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Blocks may repeat.
    Flux,
    /// A repeat is written as often as it says, so that only blocks without are chosen.
    Pmi,
}

/// The fewest blocks for the map that `flux` is Flux's encoding of. With [`Target::Pmi`] the sum of repeats is least.
///
/// Cost: O(blocks) time; 16 bytes a block of the answer, and scratch for the longest piece that has to be solved at once.
pub(super) fn fewest(flux: &Blocks, target: Target) -> Blocks {
    let mut shortener = Shortener::new(target, flux.len());
    for block in flux.iter() {
        let Block {
            first,
            nodes,
            ppn,
            repeat,
        } = block;
        match repeat {
            _ if nodes == 1 => shortener.stretch(first, 1, ppn * repeat),
            ..=REPEATS_WRITTEN_OUT => {
                (0..repeat).for_each(|_| shortener.stretch(first, nodes, ppn))
            }
            _ => {
                (0..2).for_each(|_| shortener.stretch(first, nodes, ppn));
                shortener.middle(first, nodes, ppn, repeat - 4);
                (0..2).for_each(|_| shortener.stretch(first, nodes, ppn));
            }
        }
    }
    shortener.finish()
}

/// A block of more repeats is two copies, one segment for all in the middle, and two copies.
const REPEATS_WRITTEN_OUT: u32 = 5;

/// A stretch that is longer than this is not written out run by run.
const RUNS_WRITTEN_OUT: u32 = 16;

/// How many runs are written out beside each place where a block might have to start or end.
const RUNS_BESIDE: u32 = 4;

/// Neighbouring nodes with equally many tasks each, in task order.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    first: u32,
    len: u32,
    count: u32,
}

impl Stretch {
    const fn end(&self) -> u32 {
        self.first + self.len
    }
}

/// A longest list of stretches each of which starts on the node behind the one before it.
#[derive(Clone, Debug)]
struct Segment {
    /// Where its stretches are.
    stretches: Range<usize>,
    /// How many equal segments in a row this one stands for.
    copies: u32,
    /// The nodes of the blocks that can lead from here to the next segment: one choice, or none.
    bridge: Option<Bridge>,
}

/// What all blocks have in common that lead from one given segment to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bridge {
    first: u32,
    last: u32,
    ppn: u32,
}

#[derive(Debug)]
struct Shortener {
    target: Target,
    out: Blocks,
    stretches: Vec<Stretch>,
    /// Segments that bridges hold together, and at the end the one that is being read.
    segments: Vec<Segment>,
    items: Vec<Item>,
    supers: Vec<SuperRamp>,
    spots: Vec<Spots>,
    search: Search,
}

/// Items of a segment at which blocks with repeats may start or end.
#[derive(Clone, Copy, Debug, Default)]
struct Spots {
    /// Its first and its last item.
    first: usize,
    last: usize,
    /// The run on the first node of the bridge to the next segment.
    start: Option<usize>,
    /// The run on the last node of the bridge from the segment before.
    end: Option<usize>,
}

impl Shortener {
    /// `most`: blocks that the answer will not exceed by much.
    fn new(target: Target, most: usize) -> Self {
        Self {
            target,
            out: Blocks::with_capacity(most),
            stretches: Vec::new(),
            segments: Vec::new(),
            items: Vec::new(),
            supers: Vec::new(),
            spots: Vec::new(),
            search: Search::default(),
        }
    }

    /// Reads a stretch on.
    fn stretch(&mut self, first: u32, len: u32, count: u32) {
        let here = self
            .segments
            .last_mut()
            .filter(|segment| segment.copies == 1);
        if let (Some(segment), Some(last)) = (here, self.stretches.last_mut())
            && last.end() == first
        {
            if last.count == count {
                last.len += len;
            } else {
                self.stretches.push(Stretch { first, len, count });
                segment.stretches.end += 1;
            }
            return;
        }
        self.begin(Stretch { first, len, count }, 1);
    }

    /// Reads the middle copies of a block on. They are apart: the copy before ends on another node than the one before
    /// their first.
    fn middle(&mut self, first: u32, len: u32, count: u32, copies: u32) {
        self.begin(Stretch { first, len, count }, copies);
    }

    fn begin(&mut self, stretch: Stretch, copies: u32) {
        if let ([segment], [alone]) = (self.segments.as_mut_slice(), self.stretches.as_mut_slice())
            && (self.target == Target::Pmi
                || alone.first > stretch.first
                || !may_bridge(alone, &stretch))
        {
            // A stretch by itself, as nearly all are in a map without order: one block, and nothing to search. No block
            // leads on that would start before it.
            let Stretch { first, len, count } = *alone;
            self.out.push(Block {
                first,
                nodes: len,
                ppn: count,
                repeat: segment.copies,
            });
            (*alone, segment.copies) = (stretch, copies);
            return;
        }
        self.end_segment();
        let at = self.stretches.len();
        self.stretches.push(stretch);
        self.segments.push(Segment {
            stretches: at..at + 1,
            copies,
            bridge: None,
        });
    }

    /// The last segment is read: solves all before it, unless a bridge leads to it.
    fn end_segment(&mut self) {
        let [.., before, last] = self.segments.as_slice() else {
            return;
        };
        let bridge = match self.target {
            Target::Flux => self.bridge(before, last),
            Target::Pmi => None,
        };
        let before = self.segments.len() - 2;
        self.segments[before].bridge = bridge;
        if bridge.is_none() {
            self.solve(before + 1);
            let start = self.segments[before].stretches.end;
            self.segments.drain(..=before);
            self.stretches.drain(..start);
            for segment in &mut self.segments {
                segment.stretches = segment.stretches.start - start..segment.stretches.end - start;
            }
        }
    }

    fn finish(mut self) -> Blocks {
        self.end_segment();
        self.solve(self.segments.len());
        self.out
    }

    /// What a block that leads from `a` to `b` must be. It starts on the first node of `b`, where it comes round again,
    /// ends on the last of `a`, and has as many tasks a node as the last of `a`, which it covers whole.
    fn bridge(&self, a: &Segment, b: &Segment) -> Option<Bridge> {
        let (a, b) = (
            &self.stretches[a.stretches.clone()],
            &self.stretches[b.stretches.clone()],
        );
        let ([a_before @ .., a_last], [b_first, b_behind @ ..]) = (a, b) else {
            return None;
        };
        let (first, end, ppn) = (b_first.first, a_last.end(), a_last.count);
        if !may_bridge(a_last, b_first) {
            return None;
        }
        // In `a`, the first node may have more tasks than the block takes; in `b`, the last.
        let more = |stretch: Option<&Stretch>| stretch.is_some_and(|stretch| stretch.count > ppn);
        let leaves = a_last.first <= first || (a_last.first == first + 1 && more(a_before.last()));
        let enters = end <= b_first.end() || (end == b_first.end() + 1 && more(b_behind.first()));
        (leaves && enters).then_some(Bridge {
            first,
            last: end - 1,
            ppn,
        })
    }

    /// Writes the fewest blocks for the first so many segments: those that bridges hold together.
    fn solve(&mut self, count: usize) {
        let Some(segment) = self.segments[..count].first() else {
            return;
        };
        if segment.stretches.len() == 1 {
            let Stretch {
                first,
                len,
                count: ppn,
            } = self.stretches[segment.stretches.start];
            let block = Bridge {
                first,
                last: first + len - 1,
                ppn,
            };
            let alike = |segment: &Segment| segment.bridge == Some(block);
            let last = &self.segments[count - 1];
            let ends_alike =
                last.stretches.len() == 1 && self.stretches[last.stretches.start].len == len;
            if count == 1 || (self.segments[..count - 1].iter().all(alike) && ends_alike) {
                let repeat = self.segments[..count]
                    .iter()
                    .map(|segment| segment.copies)
                    .sum();
                self.out.push(Block {
                    first,
                    nodes: len,
                    ppn,
                    repeat,
                });
                return;
            }
        }
        self.cut_items(count);
        self.find_supers(count);
        self.search.solve(&self.items, &self.supers, &mut self.out);
    }

    /// Cuts the segments into items: single runs where a block may have to start or end, and all between as one.
    fn cut_items(&mut self, count: usize) {
        self.items.clear();
        self.spots.clear();
        let mut from: Option<Bridge> = None;
        for segment in &self.segments[..count] {
            let mut spots = Spots {
                first: self.items.len(),
                ..Spots::default()
            };
            for stretch in &self.stretches[segment.stretches.clone()] {
                let start = segment.bridge.map(|bridge| bridge.first);
                let end = from.map(|bridge| bridge.last);
                if segment.copies > 1 {
                    let Stretch { first, len, count } = *stretch;
                    self.items.push(Item {
                        first,
                        len,
                        count,
                        kind: ItemKind::Passed,
                    });
                } else {
                    write_out(stretch, start, end, &mut self.items, &mut spots);
                }
            }
            spots.last = self.items.len() - 1;
            if segment.copies == 1 {
                self.items[spots.first].kind = ItemKind::Start;
            }
            self.spots.push(spots);
            from = segment.bridge;
        }
    }

    /// Finds the blocks with repeats that are worth trying: of each family of equal bridges in a row those that cover all
    /// pieces, or all but the first, the last, or both. Only these two may be parts of longer segments (taskmap "How the fewest blocks are found").
    fn find_supers(&mut self, count: usize) {
        self.supers.clear();
        let mut x = 0;
        while x + 1 < count {
            let bridge = self.segments[x].bridge;
            let mut y = x + 1;
            while y + 1 < count && self.segments[y].bridge == bridge {
                y += 1;
            }
            if let Some(bridge) = bridge {
                self.family(x, y, bridge);
            }
            x = y;
        }
        self.supers.sort_by_key(|found| found.start);
    }

    fn family(&mut self, x: usize, y: usize, bridge: Bridge) {
        let Bridge { first, last, ppn } = bridge;
        for from in [x, x + 1] {
            for to in [y, y - 1] {
                let repeat = self
                    .segments
                    .get(from..=to)
                    .map_or(0, |pieces| pieces.iter().map(|piece| piece.copies).sum());
                let start = if from == x {
                    self.spots[x].start
                } else {
                    Some(self.spots[from].first)
                };
                let end = if to == y {
                    self.spots[y].end
                } else {
                    Some(self.spots[to].last)
                };
                if let (2.., Some(start), Some(end)) = (repeat, start, end) {
                    let block = Block {
                        first,
                        nodes: last - first + 1,
                        ppn,
                        repeat,
                    };
                    self.supers.push(SuperRamp { start, end, block });
                }
            }
        }
    }
}

/// Whether a block can lead from a segment that ends with `a` to one that starts with `b`, as far as these two tell: it has
/// the same count on both, and from the first node of `b` to the last of `a` two nodes at least.
const fn may_bridge(a: &Stretch, b: &Stretch) -> bool {
    b.first + 1 < a.end() && a.count == b.count
}

/// Writes one stretch as items, the runs at both ends and beside `start` and `end` singly.
fn write_out(
    stretch: &Stretch,
    start: Option<u32>,
    end: Option<u32>,
    items: &mut Vec<Item>,
    spots: &mut Spots,
) {
    let Stretch { first, len, count } = *stretch;
    let behind = stretch.end();
    let beside =
        |node: u32| node.saturating_sub(RUNS_BESIDE).max(first)..(node + RUNS_BESIDE).min(behind);
    let within = |node: &u32| (first..behind).contains(node);
    let mut singles = [
        Some(first),
        Some(behind),
        start.filter(within),
        end.filter(within).map(|end| end + 1),
    ];
    if len <= RUNS_WRITTEN_OUT {
        singles = [None; 4];
    }
    singles.sort_unstable();
    let item = |first, len| Item {
        first,
        len,
        count,
        kind: ItemKind::Step,
    };
    let mut next = first;
    for node in singles.into_iter().flatten() {
        let single = beside(node);
        if single.start > next {
            items.push(item(next, single.start - next));
            next = single.start;
        }
        items.extend((next..single.end).map(|node| item(node, 1)));
        next = next.max(single.end);
    }
    items.extend((next..behind).map(|node| item(node, 1)));
    // The runs are single there, so each is where its node says, counted from the stretch's nearest end of items.
    let spot = |node: u32| {
        items
            .iter()
            .rposition(|item| item.first == node && item.len == 1)
    };
    if let Some(node) = start.filter(within) {
        spots.start = spot(node);
    }
    if let Some(node) = end.filter(within) {
        spots.end = spot(node);
    }
}
