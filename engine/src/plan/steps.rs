//! Ascending numbers, searched in a handful of cache lines: which run a rank is in, which band, which app.
//!
//! Above the numbers stand samples of them, every 16th, and samples of these, until at most 64 are left. A search looks at
//! those, then at one block of 16 per level, without a branch that a processor could guess wrongly: four blocks for 65,536 numbers.

use super::row;
use smallvec::SmallVec;

/// Numbers of a block: a cache line of them.
const WIDE: usize = 16;

/// Numbers of the coarsest level: a few cache lines side by side are there sooner than two one after the other.
const TOP: usize = 4 * WIDE;
/// Numbers that need no room of their own.
const FEW: usize = 8;

/// Rows of ascending numbers, all of one length, each with its samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Where each level starts in a row: the numbers themselves, then samples, the coarsest last.
    levels: SmallVec<[u32; 4]>,
    /// From one row to the next.
    stride: usize,
    /// Numbers of a row.
    len: usize,
    /// In place where they are few: an app of a few runs is asked without another cache line.
    values: SmallVec<[u32; FEW]>,
}

impl Steps {
    /// One row of so many. Cost: a pass over it, and one allocation.
    pub(super) fn one(len: usize, values: impl Iterator<Item = u32>) -> Self {
        let mut steps = Self::of_length(len);
        steps.values.reserve_exact(steps.stride);
        steps.push(values);
        steps
    }

    /// No rows yet, for rows of this length.
    pub(super) fn of_length(len: usize) -> Self {
        let mut levels = SmallVec::new();
        let (mut stride, mut level) = (0, len);
        loop {
            levels.push(row(stride));
            stride += level;
            if level <= TOP {
                break;
            }
            level = level.div_ceil(WIDE);
        }
        Self {
            levels,
            stride,
            len,
            values: SmallVec::new(),
        }
    }

    /// Adds a row of the length that was said.
    pub(super) fn push(&mut self, values: impl Iterator<Item = u32>) {
        self.values.extend(values);
        self.sample();
    }

    /// Writes the samples of the row whose numbers end the column.
    fn sample(&mut self) {
        let first = self.values.len() - self.len;
        let mut end = self.values.len();
        for &level in &self.levels[..self.levels.len() - 1] {
            let from = first + level as usize;
            for at in (from..end).step_by(WIDE) {
                self.values.push(self.values[at]);
            }
            end = self.values.len();
        }
    }

    /// The last number of a row that is at most `value`; the first of the row is.
    #[inline]
    pub(super) fn find(&self, row: usize, value: u32) -> usize {
        let first = row * self.stride;
        let mut end = first + self.stride;
        let mut levels = self
            .levels
            .iter()
            .rev()
            .map(|&level| first + level as usize);
        // A default has no row to look in.
        let Some(top) = levels.next() else {
            return 0;
        };
        let mut at = at_most(&self.values[top..end], value) - 1;
        end = top;
        for from in levels {
            let block = from + at * WIDE;
            at = at * WIDE + at_most(&self.values[block..end.min(block + WIDE)], value) - 1;
            end = from;
        }
        at
    }

    /// A number of a row.
    #[inline]
    pub(super) fn get(&self, row: usize, at: usize) -> u32 {
        self.values[row * self.stride + at]
    }

    /// The numbers of a row.
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.values[row * self.stride..][..self.len]
    }
}

/// How many are at most `value`.
#[inline]
fn at_most(block: &[u32], value: u32) -> usize {
    let count = |block: &[u32]| {
        block
            .iter()
            .map(|&other| u32::from(other <= value))
            .sum::<u32>()
    };
    let count = match <&[u32; WIDE]>::try_from(block) {
        // Of a known length: the compiler makes it a few instructions.
        Ok(full) => count(full),
        Err(_) => count(block),
    };
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_in_rows_of_any_length() {
        for len in [1, 2, 15, 16, 17, 255, 256, 257, 4096, 5000, 70_000] {
            let values: Vec<u32> = (0..len).map(|at| at / 3 * 7).collect();
            let mut steps = Steps::of_length(values.len());
            steps.push(values.iter().copied());
            steps.push(values.iter().map(|value| value / 2));
            let one = Steps::one(values.len(), values.iter().copied());
            for value in (0..len * 3).step_by(if len > 1000 { 97 } else { 1 }) {
                let found = values.partition_point(|&other| other <= value) - 1;
                assert_eq!(steps.find(0, value), found, "{value} among {len}");
                assert_eq!(one.find(0, value), found, "{value} among {len}");
                let found = values.partition_point(|&other| other / 2 <= value) - 1;
                assert_eq!(steps.find(1, value), found, "{value} in the second row");
            }
            assert_eq!(one.row(0), values);
        }
    }
}
