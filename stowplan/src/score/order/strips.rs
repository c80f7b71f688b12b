//! Strips along one dimension, as wide as the side of a node's cube, walked back and forth.
//!
//! Source: the stencil strips of Hunold, von Kirchbach, Lehr, Schulz, Träff (2020).

use super::stencil::Stencil;
use super::walk::{Box, room, strides as strides_of, write};
use crate::score::pattern::Grid;
use std::ops::Range;

/// How a grid is cut into strips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The dimension along which strips run.
    pub long: usize,
    /// The width of a strip in every dimension; that of `long` is ignored.
    pub widths: Vec<u32>,
    /// What becomes of cells that are left over.
    pub rest: Rest,
}

/// What becomes of the cells of a dimension that make no whole strip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// The first strips are one cell wider.
    Spread,
    /// The last strip has them too.
    Last,
    /// They are a strip of their own.
    Apart,
}

/// The rank of each place, with widths that follow the extents of the stencil. Cost: the ranks.
#[must_use]
pub fn strips(grid: &Grid, stencil: &Stencil, per_node: u32) -> Vec<u32> {
    let most = grid.sizes.iter().max().copied().unwrap_or(1);
    let long = grid
        .sizes
        .iter()
        .position(|&size| size == most)
        .unwrap_or(0);
    let cut = Cut {
        long,
        widths: widths(stencil, per_node),
        rest: Rest::Spread,
    };
    cut_strips(grid, &cut)
}

/// The width of a strip in each dimension: the side of a node's cube, stretched as the stencil is.
fn widths(stencil: &Stencil, per_node: u32) -> Vec<u32> {
    let extents = stencil.extents();
    let root = u32::try_from(extents.len()).unwrap_or(u32::MAX);
    let power = |number: u128| number.checked_pow(root).unwrap_or(u128::MAX);
    let volume = extents.iter().filter(|&&extent| extent > 0);
    let volume = volume.fold(1_u128, |product, &extent| {
        product.saturating_mul(u128::from(extent))
    });
    let width = |&extent: &u64| {
        // The largest w with w / extent at most the root of per_node / volume.
        let bound = power(u128::from(extent)).saturating_mul(u128::from(per_node));
        let fits = |width: u128| power(width).saturating_mul(volume) <= bound;
        let (mut low, mut high) = (0_u32, u32::MAX);
        while low < high {
            let middle = high - (high - low) / 2;
            if fits(u128::from(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low.max(1)
    };
    extents.iter().map(width).collect()
}

/// The rank of each place, for strips that are cut in this way. Cost: the ranks.
pub(crate) fn cut_strips(grid: &Grid, cut: &Cut) -> Vec<u32> {
    let strides = strides_of(grid);
    let across: Vec<usize> = (0..grid.sizes.len()).filter(|&at| at != cut.long).collect();
    let parts: Vec<Vec<Range<u32>>> = across
        .iter()
        .map(|&at| parts(grid.sizes[at], cut.widths[at], cut.rest))
        .collect();
    let mut out = room(grid);
    let strips: usize = parts.iter().map(Vec::len).product();
    let length = grid.sizes[cut.long];
    for strip in 0..strips {
        let mut slice = Box::whole(grid);
        slice.sizes[cut.long] = 1;
        let mut left = strip;
        for (&at, parts) in across.iter().zip(&parts).rev() {
            // Back and forth: turns each time that the dimensions before move on.
            let (turn, place) = (left / parts.len(), left % parts.len());
            left = turn;
            let place = if turn % 2 == 1 {
                parts.len() - 1 - place
            } else {
                place
            };
            slice.first[at] = parts[place].start;
            slice.sizes[at] = parts[place].end - parts[place].start;
        }
        for step in 0..length {
            slice.first[cut.long] = if strip % 2 == 1 {
                length - 1 - step
            } else {
                step
            };
            let long = slice.first[cut.long] * strides[cut.long];
            let from = out.len();
            write(&slice, &across, &strides, &mut out);
            out[from..].iter_mut().for_each(|rank| *rank += long);
        }
    }
    out
}

/// A dimension cut into strips.
fn parts(size: u32, width: u32, rest: Rest) -> Vec<Range<u32>> {
    let width = width.clamp(1, size);
    let count = size / width;
    let mut parts = Vec::with_capacity(count as usize + 1);
    let mut first = 0;
    for at in 0..count {
        let own = match rest {
            Rest::Spread => size / count + u32::from(at < size % count),
            Rest::Last if at + 1 == count => size - first,
            Rest::Last | Rest::Apart => width,
        };
        parts.push(first..first + own);
        first += own;
    }
    if first < size {
        parts.push(first..size);
    }
    parts
}
