//! Boxes of a grid, row-major, the ranks of each row-major.

use super::walk::{Box, room, strides, write};
use crate::score::limit::DIMENSIONS_MAX;
use crate::score::pattern::Grid;

/// The rank of each place. `boxes`: from the outermost in; the last box of a dimension is cut where what it is in ends.
///
/// Cost: the ranks.
#[must_use]
pub fn cells(grid: &Grid, boxes: &[Grid]) -> Vec<u32> {
    let mut out = room(grid);
    let dimensions: Vec<usize> = (0..grid.sizes.len()).collect();
    within(
        &Box::whole(grid),
        boxes,
        &dimensions,
        &strides(grid),
        &mut out,
    );
    out
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
