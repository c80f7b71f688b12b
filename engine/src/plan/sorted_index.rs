//! Ascending numbers with a search that takes two or three cache lines. It finds, for example, the run of a rank, the block of
//! a round or the run of a node.
//!
//! The values are divided into *ranges* of equal width; there are an eighth as many ranges as numbers. The index of the last
//! number before each range is stored behind the numbers. From this index on, 16 numbers are compared at once, without a branch
//! that a processor could mispredict. Only if more numbers than that crowd in a range, a binary search follows.

use smallvec::SmallVec;
use std::ops::Range;

/// How many numbers are compared at once: a cache line of them.
const WIDE: usize = 16;
/// Up to this many numbers need no allocation.
const FEW: usize = 8;
/// Numbers per range, on average: few ranges have more than [`WIDE`].
const PER_RANGE: usize = 8;

/// Ascending numbers with their ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedIndex {
    /// How many numbers.
    len: usize,
    /// Up to [`WIDE`] numbers: the numbers, padded with the largest `u32`. More numbers: the numbers, then the ranges per value
    /// (times 2^32), then where to start looking for each range. Few numbers are stored in place, so that an app of a few runs
    /// is searched without another cache line.
    values: SmallVec<[u32; FEW]>,
}

impl SortedIndex {
    /// Cost: two passes over the numbers; one allocation if the iterator knows how many there are.
    pub(super) fn new(numbers: impl Iterator<Item = u32>) -> Self {
        let mut values: SmallVec<[u32; FEW]> = SmallVec::new();
        let (least, _) = numbers.size_hint();
        if least > WIDE {
            values.reserve_exact(with_ranges(least));
        }
        values.extend(numbers);
        let len = values.len();
        if len <= WIDE {
            values.resize(if len <= FEW { FEW } else { WIDE }, u32::MAX);
            return Self { len, values };
        }
        values.resize(with_ranges(len), 0);
        let (numbers, behind) = values.split_at_mut(len);
        if let Some((scale, starts)) = behind.split_first_mut() {
            *scale = find_starts(numbers, starts);
        }
        Self { len, values }
    }

    /// The index of the last number that is at most `value`. The first number must be at most `value`.
    #[inline]
    pub(super) fn find(&self, value: u32) -> usize {
        if self.len <= FEW {
            // A default index has no values.
            let few = self.values.first_chunk::<FEW>();
            return few.map_or(0, |few| at_most(few, value).saturating_sub(1));
        }
        if self.len <= WIDE {
            let all = self.values.first_chunk::<WIDE>();
            return all.map_or(0, |all| at_most(all, value).saturating_sub(1));
        }
        let (numbers, behind) = self.values.split_at(self.len);
        let starts = &behind[1..];
        let range = range(value, behind[0]).min(starts.len() - 1);
        let from = (starts[range] as usize).min(self.len - WIDE);
        let near = numbers[from..].first_chunk::<WIDE>();
        let found = near.map_or(0, |near| at_most(near, value));
        if found < WIDE {
            return from + found - 1;
        }
        let end = starts
            .get(range + 1)
            .map_or(self.len, |&last| last as usize + 1);
        from + found - 1 + crowded(numbers, from + found..end, value)
    }

    /// The numbers.
    #[inline]
    pub(super) fn numbers(&self) -> &[u32] {
        &self.values[..self.len]
    }
}

/// Room for `len` numbers, the ranges per value, and a start for each range.
const fn with_ranges(len: usize) -> usize {
    len + 1 + len / PER_RANGE
}

/// Writes for each range the index of the last number before it, or 0; returns the ranges per value.
fn find_starts(numbers: &[u32], starts: &mut [u32]) -> u32 {
    let values = numbers.last().map_or(1, |&last| u64::from(last) + 1);
    let scale = ((starts.len() as u64) << 32) / values;
    let scale = u32::try_from(scale).unwrap_or(u32::MAX);
    for (at, &number) in (0..).zip(numbers) {
        if let Some(start) = starts.get_mut(range(number, scale) + 1) {
            *start = at;
        }
    }
    let mut last = 0;
    for start in starts {
        last = last.max(*start);
        *start = last;
    }
    scale
}

/// Which range a value is in. `scale`: ranges per value.
#[inline]
fn range(value: u32, scale: u32) -> usize {
    let range = (u64::from(value) * u64::from(scale)) >> 32;
    usize::try_from(range).unwrap_or(usize::MAX)
}

/// How many numbers are at most `value`.
#[inline]
fn at_most<const N: usize>(numbers: &[u32; N], value: u32) -> usize {
    let count: u32 = numbers.iter().map(|&other| u32::from(other <= value)).sum();
    count as usize
}

/// The same for some of the numbers, by binary search.
#[cold]
fn crowded(numbers: &[u32], some: Range<usize>, value: u32) -> usize {
    let some = numbers.get(some).unwrap_or_default();
    some.partition_point(|&other| other <= value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_among_any_number() {
        for len in [
            1, 2, 8, 9, 15, 16, 17, 18, 255, 256, 257, 4096, 5000, 70_000,
        ] {
            // Even; in steps; a crowd at the end; a crowd at the start.
            for number in [
                |at: u32, _| at * 3,
                |at, _| at / 3 * 7,
                |at, len| {
                    if at * 2 < len {
                        at * 1000
                    } else {
                        len * 500 + at / 100
                    }
                },
                |at, len| if at * 2 < len { at / 50 } else { at * 9 },
            ] {
                let values: Vec<u32> = (0..len).map(|at| number(at, len)).collect();
                let index = SortedIndex::new(values.iter().copied());
                let around = values.iter().flat_map(|&value| [value, value + 1]);
                for value in around.chain([u32::MAX - 1]) {
                    let found = values.partition_point(|&other| other <= value) - 1;
                    assert_eq!(index.find(value), found, "{value} among {len}");
                }
                assert_eq!(index.numbers(), values);
            }
        }
    }
}
