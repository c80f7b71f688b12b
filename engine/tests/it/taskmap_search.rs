//! Task maps checked the slow way: tasks are written out one by one, and the fewest blocks are found by trying all of them.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

use stowplan_engine::taskmap::{Block, Blocks};

/// The node of each task, block after block.
pub(crate) fn expand(blocks: impl IntoIterator<Item = Block>) -> Vec<u32> {
    let mut nodes = Vec::new();
    for block in blocks {
        for _ in 0..block.repeat {
            for node in block.first..block.first + block.nodes {
                nodes.extend((0..block.ppn).map(|_| node));
            }
        }
    }
    nodes
}

/// Runs of consecutive tasks on one node.
pub(crate) fn runs(nodes: &[u32]) -> Vec<(u32, u32)> {
    nodes
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], u32::try_from(run.len()).unwrap()))
        .collect()
}

/// May a block repeat?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repeats {
    Any,
    One,
}

/// The fewest blocks that spell these tasks. It tries every block at every task.
pub(crate) fn fewest(nodes: &[u32], repeats: Repeats) -> usize {
    let mut best = vec![usize::MAX; nodes.len() + 1];
    best[0] = 0;
    for start in 0..nodes.len() {
        let reached = best[start] + 1;
        for ppn in 1..=same(&nodes[start..]) {
            let mut end = start;
            let (mut copy, mut next) = (0, nodes[start]);
            while nodes.len() - end >= ppn && nodes[end..end + ppn].iter().all(|&node| node == next)
            {
                (copy, next, end) = (copy + ppn, next + 1, end + ppn);
                best[end] = best[end].min(reached);
                let mut again = end;
                while repeats == Repeats::Any
                    && nodes[again..].starts_with(&nodes[start..start + copy])
                {
                    again += copy;
                    best[again] = best[again].min(reached);
                }
            }
        }
    }
    best[nodes.len()]
}

fn same(nodes: &[u32]) -> usize {
    nodes.iter().take_while(|&&node| node == nodes[0]).count()
}

/// What Flux makes of the raw form, by the rules of taskmap "The one encoding of a map", including the walk over the whole list.
pub(crate) fn flux(nodes: &[u32]) -> Vec<Block> {
    let mut list: Vec<Block> = Vec::new();
    for (first, ppn) in runs(nodes) {
        let new = Block {
            first,
            nodes: 1,
            ppn,
            repeat: 1,
        };
        let Some(last) = list.last_mut() else {
            list.push(new);
            continue;
        };
        if first == last.first + last.nodes && ppn == last.ppn && last.repeat == 1 {
            last.nodes += 1;
            settle(&mut list);
        } else if last.nodes == 1 && first == last.first {
            last.ppn += ppn;
            settle(&mut list);
        } else if last.nodes == 1 && first == last.first && ppn == last.ppn {
            last.repeat += 1;
        } else {
            list.push(new);
        }
    }
    list
}

fn settle(list: &mut Vec<Block>) {
    let mut at = 0;
    while at + 1 < list.len() {
        let (a, b) = (list[at], list[at + 1]);
        if (a.first, a.nodes, a.ppn) == (b.first, b.nodes, b.ppn) {
            list[at].repeat += b.repeat;
            list.remove(at + 1);
        } else {
            at += 1;
        }
    }
}

/// The blocks, one by one.
pub(crate) fn listed(blocks: &Blocks) -> Vec<Block> {
    blocks.iter().collect()
}

/// Numbers from a seed, the same everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `below`.
    pub(crate) fn roll(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((mixed ^ (mixed >> 31)) % u64::from(below)).unwrap()
    }

    /// A list of blocks with small and often equal numbers, so that many of them can be joined.
    pub(crate) fn blocks(&mut self, tasks: u32) -> Vec<Block> {
        let (wide, deep, round) = match self.roll(4) {
            0 => (3, 3, 3),
            1 => (5, 2, 9),
            2 => (9, 1, 4),
            _ => (40, 2, 2),
        };
        let (mut list, mut left) = (Vec::<Block>::new(), 1 + self.roll(tasks));
        while left > 0 {
            let before = list.last().copied().filter(|_| self.roll(2) == 0);
            let block = before.unwrap_or(Block {
                first: self.roll(6),
                nodes: 0,
                ppn: 0,
                repeat: 0,
            });
            let mut numbers = [block.first, block.nodes, block.ppn, block.repeat];
            let ranges = [(0, 6), (1, wide), (1, deep), (1, round)];
            let changed = self.roll(5);
            for (at, (least, count)) in (0..).zip(ranges) {
                if numbers[at as usize] < least || changed == at {
                    numbers[at as usize] = least + self.roll(count);
                }
            }
            let [first, nodes, ppn, repeat] = numbers;
            let ppn = ppn.min(left);
            let nodes = nodes.min(left / ppn);
            let repeat = repeat.min(left / (ppn * nodes));
            list.push(Block {
                first,
                nodes,
                ppn,
                repeat,
            });
            left -= nodes * ppn * repeat;
        }
        list
    }

    /// Runs on few nodes with few different counts, often on ascending nodes.
    pub(crate) fn runs(&mut self, runs: u32) -> Vec<(u32, u32)> {
        let (nodes, counts) = (2 + self.roll(6), 1 + self.roll(4));
        let (mut list, mut node) = (Vec::new(), self.roll(nodes));
        for _ in 0..1 + self.roll(runs) {
            list.push((node, 1 + self.roll(counts)));
            node = if self.roll(4) == 0 {
                self.roll(nodes)
            } else {
                (node + 1) % nodes
            };
        }
        list
    }
}
