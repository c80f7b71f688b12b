//! Cells of a grid, box by box, as ranks.

use crate::score::limit::DIMENSIONS_MAX;
use crate::score::pattern::Grid;

/// A number for each dimension. Dimensions that a grid does not have are ignored.
pub(super) type Sizes = [u32; DIMENSIONS_MAX];

/// A box of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Box {
    pub(super) first: Sizes,
    pub(super) sizes: Sizes,
}

impl Box {
    /// All of a grid.
    pub(super) fn whole(grid: &Grid) -> Self {
        let mut sizes = [1; DIMENSIONS_MAX];
        sizes[..grid.sizes.len()].copy_from_slice(&grid.sizes);
        Self {
            first: [0; DIMENSIONS_MAX],
            sizes,
        }
    }

    pub(super) fn cells(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).product()
    }

    /// Cuts the box in two along a dimension. The first part has this length.
    pub(super) fn cut(&self, dimension: usize, length: u32) -> [Self; 2] {
        let (mut first, mut second) = (*self, *self);
        first.sizes[dimension] = length;
        second.sizes[dimension] -= length;
        second.first[dimension] += length;
        [first, second]
    }
}

/// Room for the ranks of a grid.
pub(super) fn room(grid: &Grid) -> Vec<u32> {
    Vec::with_capacity(usize::try_from(grid.cells().unwrap_or(0)).unwrap_or(0))
}

/// The distance in ranks between neighbours in each dimension.
pub(super) fn strides(grid: &Grid) -> Sizes {
    let mut strides = [0; DIMENSIONS_MAX];
    let mut stride = 1_u32;
    for (at, &size) in grid.sizes.iter().enumerate().rev() {
        strides[at] = stride;
        stride = stride.wrapping_mul(size);
    }
    strides
}

/// Writes the ranks of a box. The last of these dimensions runs fastest.
pub(super) fn write(within: &Box, dimensions: &[usize], strides: &Sizes, out: &mut Vec<u32>) {
    let first = dimensions
        .iter()
        .map(|&at| within.first[at] * strides[at])
        .sum();
    level(within, dimensions, strides, first, out);
}

fn level(within: &Box, dimensions: &[usize], strides: &Sizes, first: u32, out: &mut Vec<u32>) {
    match dimensions {
        [] => out.push(first),
        [last] => {
            let (size, stride) = (within.sizes[*last], strides[*last]);
            out.extend((0..size).map(|step| first + step * stride));
        }
        [outer, inner @ ..] => {
            for step in 0..within.sizes[*outer] {
                level(within, inner, strides, first + step * strides[*outer], out);
            }
        }
    }
}
