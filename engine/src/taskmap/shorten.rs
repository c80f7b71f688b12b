//! The fewest blocks of a map, from Flux's encoding of it (taskmap "How the fewest blocks are found"). Equal runs are not walked one by one.
//!
//! Flux's blocks become *segments*: the longest stretches of runs on ascending nodes. A block without repeats lies
//! inside one segment. So if no block with repeats can lead from a segment to the next, a cut between the two costs
//! nothing, and the pieces are solved apart. Any two neighboring segments determine the nodes and the count of a block
//! that leads from one to the other, so one check of each pair finds all such blocks.

use super::blocks::{Block, Blocks};
use super::ramps::{Search, SuperRamp};
use smallvec::{SmallVec, smallvec};

/// The format for which blocks are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Blocks may repeat.
    Flux,
    /// A block is written once for each of its repeats, so only blocks without repeats are chosen.
    Pmi,
}

/// The fewest blocks for the map whose Flux encoding is `flux`; `flux` itself unless fewer blocks are enough. With
/// [`Target::Pmi`] the sum of repeats is the smallest.
///
/// Cost: O(blocks) time; 16 bytes per block of the answer, and scratch for the longest piece that has to be solved at
/// once.
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

/// How many copies of a block are examined. If the block has more, the middle copy stands for all but the outer four.
/// The three copies in the middle are covered by one block that leads through them, or else by at least three blocks.
const COPIES: u32 = 5;
const MIDDLE: u32 = 3;

/// How many runs are examined one by one on each side of a place where a block might have to start or end.
const RUNS_BESIDE: u32 = 4;

/// A list of stretches, as long as possible, in which each stretch starts on the node behind the one before it.
#[derive(Debug)]
struct Segment {
    /// Stretches of runs with equal numbers of tasks, as ramps. A ramp with repeats stands for that many segments.
    stretches: SmallVec<[Block; 1]>,
    /// One round of the blocks that can lead from the segment before to this one. There is one choice, or none.
    bridge: Option<Block>,
    /// The index of its first run in its piece.
    start: usize,
}

#[derive(Debug)]
struct Shortener {
    target: Target,
    /// Segments that bridges connect. The last one is the segment that is being read.
    piece: Vec<Segment>,
    /// The runs of a piece. Where no block has to start or end, equal runs are joined to one.
    runs: Vec<Block>,
    search: Search,
    out: Vec<Block>,
}

impl Shortener {
    /// Reads the next stretch.
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

    /// Ends the last segment. Solves the segments before it, unless a bridge leads to it.
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

    /// The piece, if it is already one block, as most are. Then there is nothing to search.
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

    /// The blocks with repeats that are worth trying. For each family of equal bridges in a row, these are the blocks that cover all its
    /// segments, or all but the first, the last, or both. Only the first and the last may be parts of longer segments
    /// (taskmap "How the fewest blocks are found").
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

    /// The index of the run that a segment has on a node. The node is at the end of a bridge, so the run is a single
    /// one.
    fn run_on(&self, segment: usize, node: u32) -> u32 {
        let start = self.piece[segment].start;
        let mut runs = self.runs[start..].iter();
        let at = runs.position(|run| run.first == node).map(|at| start + at);
        let at = at.expect("a bridge ends in the segments beside it");
        u32::try_from(at).expect("a map has no more runs than tasks")
    }
}

/// One round of a block that leads from the segment `a` to the segment `b`. It starts on the first node of `b`, where
/// its next round begins, and ends on the last node of `a`. It has as many tasks per node as the last run of `a`, which
/// it covers whole.
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

/// Writes out the runs of a stretch: one by one near the nodes `marks`, and all runs between as one.
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
