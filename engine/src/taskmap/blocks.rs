//! Blocks of RFC 34, one and many.

/// One block: `repeat` times, for each of `nodes` nodes from `first` on, `ppn` tasks. Source: RFC 34.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// The first node.
    pub first: u32,
    /// How many nodes, from 1.
    pub nodes: u32,
    /// Tasks of each node in one repeat, from 1.
    pub ppn: u32,
    /// How often, from 1.
    pub repeat: u32,
}

impl Block {
    /// Tasks of one repeat. Blocks of a map have so few that this fits.
    #[inline]
    pub(super) const fn period(self) -> u32 {
        self.nodes * self.ppn
    }
    #[inline]
    pub(super) const fn has(self, node: u32) -> bool {
        self.first <= node && node - self.first < self.nodes
    }
}

/// Blocks as columns. Shape of each column: `[blocks]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    /// First node.
    pub(super) first: Vec<u32>,
    /// Nodes.
    pub(super) nodes: Vec<u32>,
    /// Tasks of each node in one repeat.
    pub(super) ppn: Vec<u32>,
    /// Repeats; 1 for one node.
    pub(super) repeat: Vec<u32>,
}

impl Blocks {
    /// Blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len()
    }
    /// No blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
    /// The block of that number.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Block> {
        (at < self.len()).then(|| self.at(at))
    }
    /// All, in task order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + Clone + '_ {
        (0..self.len()).map(|at| self.at(at))
    }
    pub(super) fn with_capacity(blocks: usize) -> Self {
        let column = || Vec::with_capacity(blocks);
        Self {
            first: column(),
            nodes: column(),
            ppn: column(),
            repeat: column(),
        }
    }
    /// Blocks with each repeat counted: what PMI writes.
    pub(super) fn repeats(&self) -> u64 {
        self.repeat.iter().map(|&repeat| u64::from(repeat)).sum()
    }
    #[inline]
    pub(super) fn at(&self, at: usize) -> Block {
        Block {
            first: self.first[at],
            nodes: self.nodes[at],
            ppn: self.ppn[at],
            repeat: self.repeat[at],
        }
    }
    #[inline]
    pub(super) fn push(&mut self, block: Block) {
        self.first.push(block.first);
        self.nodes.push(block.nodes);
        self.ppn.push(block.ppn);
        self.repeat.push(block.repeat);
    }
    /// Turns the order of the blocks from `start` on round.
    pub(super) fn reverse_from(&mut self, start: usize) {
        self.first[start..].reverse();
        self.nodes[start..].reverse();
        self.ppn[start..].reverse();
        self.repeat[start..].reverse();
    }
    pub(super) fn pop(&mut self) -> Option<Block> {
        let (first, nodes) = (self.first.pop()?, self.nodes.pop()?);
        Some(Block {
            first,
            nodes,
            ppn: self.ppn.pop()?,
            repeat: self.repeat.pop()?,
        })
    }
}

impl Extend<Block> for Blocks {
    fn extend<I: IntoIterator<Item = Block>>(&mut self, blocks: I) {
        blocks.into_iter().for_each(|block| self.push(block));
    }
}
