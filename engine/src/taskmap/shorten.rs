//! The fewest blocks of a map, from Flux's encoding of it (taskmap "How the fewest blocks are found"): nothing is written out run by run that is alike.
//!
//! Flux's blocks become *segments*: longest stretches of runs on ascending nodes. A block without repeat lies inside one
//! segment, so where no block with repeats can lead from a segment to the next, a cut costs nothing and the pieces are
//! solved apart. Such a block has its nodes and its count from any two segments that it leads across, so that one look
//! at each pair of neighbours finds them all.

use super::blocks::{Block, Blocks};
use super::ramps::{Search, SuperRamp};
use smallvec::{SmallVec, smallvec};

/// For whom blocks are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Blocks may repeat.
    Flux,
    /// A repeat is written as often as it says, so that only blocks without are chosen.
    Pmi,
}

/// The fewest blocks for the map that `flux` is Flux's encoding of; that itself unless fewer are enough. With
/// [`Target::Pmi`] the sum of repeats is least.
///
/// Cost: O(blocks) time; 16 bytes a block of the answer, and scratch for the longest piece that has to be solved at once.
pub(super) fn fewest(flux: &Blocks, target: Target) -> Blocks {
    let mut shortener = Shortener {
        target,
        piece: Vec::new(),
        runs: Vec::new(),
        search: Search::default(),
        out: Vec::with_capacity(flux.len()),
    };
    for block in flux.iter() {
        let copies = block.repeat.min(COPIES);
        for copy in 1..=copies {
            let repeat = if copy == MIDDLE {
                block.repeat - copies + 1
            } else {
                1
            };
            shortener.stretch(Block { repeat, ..block });
        }
    }
    shortener.end_segment();
    shortener.solve();
    let found = Blocks(shortener.out);
    let is_less = match target {
        Target::Flux => found.len() < flux.len(),
        Target::Pmi => found.repeats() < flux.repeats(),
    };
    if is_less { found } else { flux.clone() }
}

/// Copies of a block that are looked at. Where there are more, the middle one stands for all but the outer four: what
/// leads through these three in the middle is one block, or there would be three at least.
const COPIES: u32 = 5;
const MIDDLE: u32 = 3;

/// How many runs are looked at singly beside each place where a block might have to start or end.
const RUNS_BESIDE: u32 = 4;

/// A longest list of stretches each of which starts on the node behind the one before it.
#[derive(Debug)]
struct Segment {
    /// Stretches of runs with equally many tasks, as ramps. One that repeats stands for so many segments.
    stretches: SmallVec<[Block; 1]>,
    /// One round of the blocks that can lead from the segment before to this one: one choice, or none.
    bridge: Option<Block>,
    /// Its first run among those of its piece.
    start: usize,
}

#[derive(Debug)]
struct Shortener {
    target: Target,
    /// Segments that bridges hold together, and at the end the one that is being read.
    piece: Vec<Segment>,
    /// The runs of a piece. Where no block has to start or end, many equal ones are one.
    runs: Vec<Block>,
    search: Search,
    out: Vec<Block>,
}

impl Shortener {
    /// Reads a stretch on.
    fn stretch(&mut self, stretch: Block) {
        if let Some(segment) = self.piece.last_mut()
            && let Some(last) = segment.stretches.last_mut()
            && last.end() == stretch.first
        {
            if last.ppn == stretch.ppn {
                last.nodes += stretch.nodes;
            } else {
                segment.stretches.push(stretch);
            }
            return;
        }
        self.end_segment();
        self.piece.push(Segment {
            stretches: smallvec![stretch],
            bridge: None,
            start: 0,
        });
    }

    /// The last segment is read: solves those before it, unless a bridge leads to it.
    fn end_segment(&mut self) {
        let [.., before, last] = self.piece.as_mut_slice() else {
            return;
        };
        last.bridge = match self.target {
            Target::Flux => bridge(&before.stretches, &last.stretches),
            Target::Pmi => None,
        };
        if last.bridge.is_none() {
            let last = self.piece.pop();
            self.solve();
            self.piece.clear();
            self.piece.extend(last);
        }
    }

    /// Writes the fewest blocks for the piece.
    fn solve(&mut self) {
        if let Some(block) = self.one_block() {
            self.out.push(block);
            return;
        }
        self.runs.clear();
        for at in 0..self.piece.len() {
            let leaves = self.piece.get(at + 1).and_then(|next| next.bridge);
            let segment = &mut self.piece[at];
            segment.start = self.runs.len();
            for &stretch in &segment.stretches {
                let first = stretch.first;
                let leaves = leaves.map_or(first, |bridge| bridge.first);
                let enters = segment.bridge.map_or(first, Block::end);
                let marks = [first, stretch.end(), leaves, enters];
                write_out(stretch, marks, &mut self.runs);
            }
        }
        let supers = self.supers();
        self.search.solve(&self.runs, &supers, &mut self.out);
    }

    /// The piece, if it is one block as it stands, as most are: there is nothing to search.
    fn one_block(&self) -> Option<Block> {
        let [first, more @ ..] = self.piece.as_slice() else {
            return None;
        };
        let &[mut block] = first.stretches.as_slice() else {
            return None;
        };
        for segment in more {
            let &[copy] = segment.stretches.as_slice() else {
                return None;
            };
            if (copy.first, copy.nodes, copy.ppn) != (block.first, block.nodes, block.ppn) {
                return None;
            }
            block.repeat += copy.repeat;
        }
        Some(block)
    }

    /// The blocks with repeats that are worth trying: of each family of equal bridges in a row those that cover all its
    /// segments, or all but the first, the last, or both. Only these two may be parts of longer segments (taskmap "How the fewest blocks are found").
    fn supers(&self) -> Vec<SuperRamp> {
        let mut supers = Vec::new();
        let mut x = 0;
        let bridged = self.piece.get(1..).unwrap_or_default();
        for family in bridged.chunk_by(|a, b| a.bridge == b.bridge) {
            let y = x + family.len();
            for (from, to) in [(x, y), (x, y - 1), (x + 1, y), (x + 1, y - 1)] {
                if let Some(bridge) = family[0].bridge
                    && from < to
                {
                    let copies = self.piece[from..=to].iter();
                    let repeat = copies.map(|segment| segment.stretches[0].repeat).sum();
                    supers.push(SuperRamp {
                        start: self.run_on(from, bridge.first),
                        end: self.run_on(to, bridge.end() - 1),
                        block: Block { repeat, ..bridge },
                    });
                }
            }
            x = y;
        }
        supers
    }

    /// Where the run is that a segment has on a node: beside a bridge, so it is a single one.
    fn run_on(&self, segment: usize, node: u32) -> u32 {
        let start = self.piece[segment].start;
        let mut runs = self.runs[start..].iter();
        let at = runs.position(|run| run.first == node).map(|at| start + at);
        let at = at.expect("a bridge ends in the segments beside it");
        u32::try_from(at).expect("a map has no more runs than tasks")
    }
}

/// One round of a block that leads from the segment `a` to the segment `b`. It starts on the first node of `b`, where it
/// comes round again, ends on the last of `a`, and has as many tasks a node as the last of `a`, which it covers whole.
fn bridge(a: &[Block], b: &[Block]) -> Option<Block> {
    let ([a_before @ .., a_last], [b_first, b_behind @ ..]) = (a, b) else {
        return None;
    };
    let (first, end, ppn) = (b_first.first, a_last.end(), a_last.ppn);
    if first + 1 >= end || b_first.ppn != ppn {
        return None;
    }
    // In `a`, the first node may have more tasks than the block takes; in `b`, the last.
    let more = |stretch: Option<&Block>| stretch.is_some_and(|stretch| stretch.ppn > ppn);
    let leaves = a_last.first <= first || (a_last.first == first + 1 && more(a_before.last()));
    let enters = end <= b_first.end() || (end == b_first.end() + 1 && more(b_behind.first()));
    (leaves && enters).then(|| Block::ramp(first, end - first, ppn))
}

/// Writes out the runs of a stretch: singly beside the nodes `marks`, and all between as one.
fn write_out(stretch: Block, marks: [u32; 4], runs: &mut Vec<Block>) {
    let mut next = stretch.first;
    while next < stretch.end() {
        let beside = |mark| next + RUNS_BESIDE >= mark && next < mark + RUNS_BESIDE;
        let nearest = marks.map(|mark| mark.saturating_sub(RUNS_BESIDE));
        let nearest = nearest.into_iter().filter(|&from| from > next).min();
        let end = if marks.into_iter().any(beside) {
            next + 1
        } else {
            nearest.unwrap_or(stretch.end())
        };
        runs.push(Block::ramp(next, end - next, stretch.ppn));
        next = end;
    }
}
