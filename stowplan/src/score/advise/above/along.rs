//! A grid cut along a tree: children of an object are halved by their places, and the ranks, sorted along the longest side, at the exact
//! number. Any sizes fit.

use super::multisect::halves;
use crate::score::pattern::Grid;
use crate::score::tree::Tree;
use std::ops::Range;

/// The rank of each place. Cost: the ranks, sorted for each halving.
pub(super) fn along(grid: &Grid, tree: &Tree) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..tree.sizes.iter().sum()).collect();
    let mut open: Vec<(Range<usize>, Range<usize>)> = vec![(0..ranks.len(), 0..tree.sizes.len())];
    while let Some((own, nodes)) = open.pop() {
        if nodes.len() <= 1 {
            continue;
        }
        let middle = halves(tree, &nodes);
        let first: usize = tree.sizes[nodes.start..middle]
            .iter()
            .map(|&size| size as usize)
            .sum();
        let part = &mut ranks[own.clone()];
        let axis = longest(grid, part);
        part.sort_by_cached_key(|&rank| (at(grid, rank, axis), rank));
        open.push((own.start..own.start + first, nodes.start..middle));
        open.push((own.start + first..own.end, middle..nodes.end));
    }
    ranks
}

/// The coordinate of a rank in a dimension.
fn at(grid: &Grid, rank: u32, axis: usize) -> u32 {
    let inner: u32 = grid.sizes[axis + 1..].iter().product();
    rank / inner % grid.sizes[axis]
}

/// The dimension in which some ranks reach furthest.
fn longest(grid: &Grid, ranks: &[u32]) -> usize {
    let reach = |axis: usize| {
        let each = || ranks.iter().map(|&rank| at(grid, rank, axis));
        each().max().unwrap_or(0) - each().min().unwrap_or(0)
    };
    (0..grid.sizes.len())
        .rev()
        .max_by_key(|&axis| reach(axis))
        .unwrap_or(0)
}
