//! Boxes of a grid, row-major, the ranks of each row-major.

use super::walk::{Box, strides, write};
use crate::limit::DIMENSIONS_MAX;
use crate::pattern::Grid;

/// The rank of each place. The last box of a dimension is cut where the grid ends. Cost: the ranks.
#[must_use]
pub fn cells(grid: &Grid, cell: &Grid) -> Vec<u32> {
    let mut out = Vec::new();
    cells_into(grid, cell, &mut out);
    out
}

/// The same, into memory that is reused.
pub(crate) fn cells_into(grid: &Grid, cell: &Grid, out: &mut Vec<u32>) {
    let strides = strides(grid);
    let dimensions: Vec<usize> = (0..grid.sizes.len()).collect();
    out.clear();
    out.reserve(usize::try_from(grid.cells().unwrap_or(0)).unwrap_or(0));
    let mut within = Box::whole(grid);
    let mut at = [0_u32; DIMENSIONS_MAX];
    loop {
        for &dimension in &dimensions {
            within.first[dimension] = at[dimension];
            within.sizes[dimension] =
                cell.sizes[dimension].min(grid.sizes[dimension] - at[dimension]);
        }
        write(&within, &dimensions, &strides, out);
        let more = |&dimension: &usize| {
            let behind = at[dimension].checked_add(cell.sizes[dimension]);
            behind.is_some_and(|behind| behind < grid.sizes[dimension])
        };
        let Some(moved) = dimensions.iter().copied().rev().find(more) else {
            return;
        };
        at[moved] += cell.sizes[moved];
        at[moved + 1..].fill(0);
    }
}

/// Boxes row-major in boxes row-major, from the outermost in. Cost: the ranks, for each box.
pub(crate) fn nested_into(grid: &Grid, boxes: &[Grid], out: &mut Vec<u32>) {
    out.clear();
    let dimensions: Vec<usize> = (0..grid.sizes.len()).collect();
    within(&Box::whole(grid), boxes, &dimensions, &strides(grid), out);
}

fn within(
    outer: &Box,
    boxes: &[Grid],
    dimensions: &[usize],
    strides: &super::walk::Sizes,
    out: &mut Vec<u32>,
) {
    let Some((own, inner)) = boxes.split_first() else {
        return write(outer, dimensions, strides, out);
    };
    let mut at = [0_u32; DIMENSIONS_MAX];
    loop {
        let mut part = *outer;
        for &dimension in dimensions {
            part.first[dimension] = outer.first[dimension] + at[dimension];
            part.sizes[dimension] =
                own.sizes[dimension].min(outer.sizes[dimension] - at[dimension]);
        }
        within(&part, inner, dimensions, strides, out);
        let more = |&dimension: &usize| {
            let behind = at[dimension].checked_add(own.sizes[dimension]);
            behind.is_some_and(|behind| behind < outer.sizes[dimension])
        };
        let Some(moved) = dimensions.iter().copied().rev().find(more) else {
            return;
        };
        at[moved] += own.sizes[moved];
        at[moved + 1..].fill(0);
    }
}
