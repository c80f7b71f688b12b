//! A k-d tree over the grid. It halves the dimension that is longest in relation to the offsets that cross it, down to single
//! ranks.
//!
//! Source: the k-d tree of Hunold, von Kirchbach, Lehr, Schulz, Träff (2020), whose figures it gives.

use super::stencil::Stencil;
use super::walk::{Box, room, strides};
use crate::score::pattern::Grid;

/// The rank of each place. Cost: twice the ranks.
#[must_use]
pub fn kdtree(grid: &Grid, stencil: &Stencil) -> Vec<u32> {
    let strides = strides(grid);
    let crossing = stencil.crossing();
    let dimensions = grid.sizes.len();
    let mut out = room(grid);
    let mut open = vec![Box::whole(grid)];
    while let Some(part) = open.pop() {
        let long = (0..dimensions)
            .filter(|&at| part.sizes[at] > 1)
            .reduce(|best, at| {
                // Compares size over crossing offsets, by cross product; a dimension that nothing crosses is cut first.
                let ahead = u64::from(part.sizes[at]) * crossing[best];
                let behind = u64::from(part.sizes[best]) * crossing[at];
                if ahead > behind { at } else { best }
            });
        match long {
            Some(long) => {
                let [first, second] = part.cut(long, part.sizes[long] / 2);
                open.extend([second, first]);
            }
            None => {
                let steps = (0..dimensions).map(|at| part.first[at] * strides[at]);
                out.push(steps.sum());
            }
        }
    }
    out
}
