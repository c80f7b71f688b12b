//! Cuts the grid into halves that whole nodes fill, across the dimension along which the stencil points least.
//!
//! Source: the hyperplane algorithm of Hunold, von Kirchbach, Lehr, Schulz, Träff (2020), whose figures it gives.

use super::stencil::Stencil;
use super::walk::{Box, room, strides, write};
use crate::score::pattern::Grid;

/// The rank of each place. Cost: the ranks, and the sizes that are tried for a cut.
#[must_use]
pub fn hyperplane(grid: &Grid, stencil: &Stencil, per_node: u32) -> Vec<u32> {
    let strides = strides(grid);
    let along = stencil.along();
    let per_node = u64::from(per_node.max(1));
    let mut out = room(grid);
    let mut open = vec![Box::whole(grid)];
    while let Some(part) = open.pop() {
        let mut preferred: Vec<usize> = (0..grid.sizes.len()).collect();
        preferred.sort_by_key(|&at| (along[at], std::cmp::Reverse(part.sizes[at])));
        let cells = part.cells();
        let cut = preferred.iter().find_map(|&at| {
            let across = cells / u64::from(part.sizes[at]);
            let mut lengths = (1..=part.sizes[at] / 2).rev();
            let length =
                lengths.find(|&length| (u64::from(length) * across).is_multiple_of(per_node));
            length.map(|length| (at, length))
        });
        match cut.filter(|_| cells > 2 * per_node) {
            Some((at, length)) => {
                let [first, second] = part.cut(at, length);
                open.extend([second, first]);
            }
            None => write(&part, &preferred, &strides, &mut out),
        }
    }
    out
}
