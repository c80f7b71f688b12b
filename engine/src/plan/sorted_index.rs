//! Ascending numbers with a binary search. It finds, for example, the run of a rank, the block of a round or the run of a node.

use smallvec::SmallVec;

/// Ascending numbers. Up to 8 need no allocation: most apps have few runs.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedIndex(SmallVec<[u32; 8]>);

impl SortedIndex {
    /// Cost: one pass over the numbers.
    pub(super) fn new(numbers: impl Iterator<Item = u32>) -> Self {
        Self(numbers.collect())
    }

    /// The index of the last number that is at most `value`. The first number must be at most `value`.
    #[inline]
    pub(super) fn find(&self, value: u32) -> usize {
        let beyond = self.0.partition_point(|&number| number <= value);
        beyond.saturating_sub(1)
    }

    /// The numbers.
    #[inline]
    pub(super) fn numbers(&self) -> &[u32] {
        &self.0
    }
}
