//! Blocks of RFC 34, and the numbers of their nodes.

/// The number of a node in its job: 0 is the first node of the allocation. It is not a row of any table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct JobNode(pub u32);

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
    /// A block without repeat: its nodes ascend.
    #[inline]
    pub(crate) const fn ramp(first: u32, nodes: u32, ppn: u32) -> Self {
        Self {
            first,
            nodes,
            ppn,
            repeat: 1,
        }
    }
    /// The node behind its last one. The limits on nodes and tasks of a map keep this and the next two functions from
    /// overflowing.
    #[inline]
    pub(super) const fn end(self) -> u32 {
        self.first + self.nodes
    }
    /// Tasks of one repeat.
    #[inline]
    pub(super) const fn period(self) -> u32 {
        self.nodes * self.ppn
    }
    /// All its tasks.
    #[inline]
    pub(super) const fn tasks(self) -> u32 {
        self.period() * self.repeat
    }
    /// As RFC 34 writes it.
    #[inline]
    pub(super) const fn numbers(self) -> [u32; 4] {
        [self.first, self.nodes, self.ppn, self.repeat]
    }
    /// Characters of `[nodeid,nnodes,ppn,repeat],`.
    pub(super) fn chars(self) -> u32 {
        self.numbers().map(digits).iter().sum::<u32>() + 6
    }
    #[inline]
    pub(super) const fn has(self, node: u32) -> bool {
        self.first <= node && node < self.end()
    }
}

/// Digits of a number.
pub(super) fn digits(number: u32) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}

/// The blocks of a map, in task order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks(pub(super) Vec<Block>);

impl Blocks {
    /// Blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// No blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The block with this number.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Block> {
        self.0.get(at).copied()
    }
    /// All, in task order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + Clone + '_ {
        self.0.iter().copied()
    }
    /// The number of blocks that PMI writes: each repeat counts as one.
    pub(super) fn repeats(&self) -> u64 {
        self.iter().map(|block| u64::from(block.repeat)).sum()
    }
}
