//! What the directions of a stencil say about the dimensions of its grid.

use crate::score::pattern::star;

/// The offsets to the ranks that each rank talks to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stencil {
    /// Shape `[offsets][dimensions]`.
    offsets: Vec<Vec<i64>>,
    dimensions: usize,
}

/// All squares of lengths up to 16 divide this.
const SCALE: u64 = 720_720;

impl Stencil {
    /// A stencil of these offsets.
    #[must_use]
    pub const fn new(offsets: Vec<Vec<i64>>, dimensions: usize) -> Self {
        Self {
            offsets,
            dimensions,
        }
    }

    /// One step each way in each dimension.
    #[must_use]
    pub fn star(dimensions: usize) -> Self {
        Self::new(star(dimensions), dimensions)
    }

    /// How many offsets cross a cut of each dimension.
    pub(super) fn crossing(&self) -> Vec<u64> {
        let crossing = |dimension: usize| {
            let crosses = |offset: &&Vec<i64>| offset[dimension] != 0;
            self.offsets.iter().filter(crosses).count() as u64
        };
        (0..self.dimensions).map(crossing).collect()
    }

    /// How much the offsets point along each dimension: squares of cosines, summed, scaled.
    pub(super) fn along(&self) -> Vec<u64> {
        let square = |step: i64| step.unsigned_abs().pow(2);
        let along = |dimension: usize| {
            let parts = self.offsets.iter().map(|offset| {
                let length: u64 = offset.iter().map(|&step| square(step)).sum();
                square(offset[dimension]) * SCALE / length.max(1)
            });
            parts.sum()
        };
        (0..self.dimensions).map(along).collect()
    }

    /// The distance from the lowest to the highest step in each dimension.
    pub(super) fn extents(&self) -> Vec<u64> {
        let extent = |dimension: usize| {
            let steps = || self.offsets.iter().map(|offset| offset[dimension]);
            let (lowest, highest) = (steps().min(), steps().max());
            highest.unwrap_or(0).abs_diff(lowest.unwrap_or(0))
        };
        (0..self.dimensions).map(extent).collect()
    }
}
