//! Orders that are tried on a grid.

use crate::score::limit::{DIMENSIONS_MAX, TRIED_CELLS, TRIED_STRIPS};
use crate::score::order::stencil::Stencil;
use crate::score::order::strips::{Cut, Rest, cut_strips, strips};
use crate::score::order::{Order, hyperplane::hyperplane, kdtree::kdtree};
use crate::score::pattern::{Grid, Halo};
use crate::score::tree::Tree;

/// An order to be tried.
#[derive(Clone, Debug)]
pub(super) enum Tried {
    /// One that has a word.
    Named(Order),
    /// A published order, for the stencil at hand.
    Strips(Grid, Stencil),
    /// As above.
    Kdtree(Grid, Stencil),
    /// As above.
    Hyperplane(Grid, Stencil),
    /// Strips of another width.
    Cut(Grid, Cut),
    /// An order that was found in another way.
    Found(Vec<u32>),
    /// Place k has rank k.
    Blocked,
}

impl Tried {
    /// The rank of each place; none for a grid that does not fit, which is not tried.
    #[must_use]
    pub(super) fn ranks(&self, procs: u32, per_node: u32) -> Vec<u32> {
        match self {
            Self::Named(order) => {
                let none = |_: &str| Err("no file is read here".to_owned());
                let tree = Tree::even(procs, per_node);
                order.ranks(&tree, &none).unwrap_or_default()
            }
            Self::Strips(grid, stencil) => strips(grid, stencil, per_node),
            Self::Kdtree(grid, stencil) => kdtree(grid, stencil),
            Self::Hyperplane(grid, stencil) => hyperplane(grid, stencil, per_node),
            Self::Cut(grid, cut) => cut_strips(grid, cut),
            Self::Found(ranks) => ranks.clone(),
            Self::Blocked => (0..procs).collect(),
        }
    }

    /// Whether the literature has it. Other orders must not load a node more than the best of the published ones does.
    #[must_use]
    pub(super) fn is_published(&self, words: Words) -> bool {
        match self {
            Self::Strips(..) | Self::Kdtree(..) | Self::Hyperplane(..) | Self::Blocked => true,
            Self::Named(Order::Strips(_) | Order::Kdtree(_) | Order::Hyperplane(_)) => {
                words == Words::Same
            }
            Self::Named(Order::Cells { grid, boxes }) => {
                let mut sides = boxes
                    .iter()
                    .flat_map(|own| grid.sizes.iter().zip(&own.sizes));
                sides.all(|(size, side)| size.is_multiple_of(*side))
            }
            Self::Named(Order::Planes(_) | Order::File(_)) | Self::Cut(..) | Self::Found(_) => {
                false
            }
        }
    }
}

/// The stencil for which orders with a word are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Words {
    /// The stencil of the pattern.
    Same,
    /// Another stencil.
    Other,
}

/// Whether orders with a word are made for the stencils of these patterns.
pub(super) fn words_of(grids: &[(Grid, Option<Halo>)]) -> Words {
    let same = |(grid, halo): &(Grid, Option<Halo>)| {
        let dimensions = grid.sizes.len();
        halo.as_ref().is_none_or(|halo| {
            Stencil::new(halo.offsets.clone(), dimensions) == Stencil::star(dimensions)
        })
    };
    if grids.iter().all(same) {
        Words::Same
    } else {
        Words::Other
    }
}

/// The orders to try on a grid, for nodes of this many processes. `halo`: who talks to whom on it, if that is known.
#[must_use]
pub(super) fn on_grid(grid: &Grid, halo: Option<&Halo>, per_node: u32) -> Vec<Tried> {
    let mut tried = vec![
        Tried::Named(Order::Strips(grid.clone())),
        Tried::Named(Order::Hyperplane(grid.clone())),
        Tried::Named(Order::Kdtree(grid.clone())),
    ];
    let dimensions = grid.sizes.len();
    if let Some(halo) = halo.filter(|halo| !halo.offsets.is_empty()) {
        let stencil = Stencil::new(halo.offsets.clone(), dimensions);
        if stencil != Stencil::star(dimensions) {
            tried.push(Tried::Strips(grid.clone(), stencil.clone()));
            tried.push(Tried::Hyperplane(grid.clone(), stencil.clone()));
            tried.push(Tried::Kdtree(grid.clone(), stencil));
        }
    }
    if dimensions > 1 {
        let mut boxes = boxes(grid, per_node);
        boxes.truncate(TRIED_CELLS);
        tried.extend(boxes.into_iter().map(|sizes| {
            let (grid, boxes) = (grid.clone(), vec![Grid { sizes }]);
            Tried::Named(Order::Cells { grid, boxes })
        }));
        tried.extend(
            cuts(grid, per_node)
                .into_iter()
                .map(|cut| Tried::Cut(grid.clone(), cut)),
        );
    }
    tried
}

/// Boxes with as many cells as a node has places. Those with the least surface come first.
fn boxes(grid: &Grid, per_node: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    divide(grid, per_node, &mut Vec::new(), &mut found);
    // Surface: the outside neighbours, one way, of a box inside a large grid.
    found.sort_by_cached_key(|cell: &Vec<u32>| {
        let sides = cell
            .iter()
            .zip(&grid.sizes)
            .filter(|(side, size)| side < size);
        let surface: u64 = sides.map(|(&side, _)| u64::from(per_node / side)).sum();
        (surface, cell.clone())
    });
    found
}

fn divide(grid: &Grid, left: u32, cell: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    /// How many boxes are looked at.
    const BOXES_MAX: usize = 1 << 14;
    let dimension = cell.len();
    if dimension == grid.sizes.len() {
        if left == 1 {
            found.push(cell.clone());
        }
        return;
    }
    for side in (1..=left.min(grid.sizes[dimension])).filter(|&side| left.is_multiple_of(side)) {
        if found.len() < BOXES_MAX {
            cell.push(side);
            divide(grid, left / side, cell, found);
            cell.pop();
        }
    }
}

/// Strips in all directions, with widths about as large as the side of a node's cube.
fn cuts(grid: &Grid, per_node: u32) -> Vec<Cut> {
    let dimensions = grid.sizes.len();
    let mut found: Vec<(u64, Cut)> = Vec::new();
    for long in 0..dimensions {
        let most = |at: usize| grid.sizes[at].min(per_node);
        let across: Vec<usize> = (0..dimensions).filter(|&at| at != long).collect();
        let mut widths = [1_u32; DIMENSIONS_MAX];
        // Runs through all widths whose slice fits a node, like an odometer. For wide grids of many dimensions it stops early.
        for _ in 0..1 << 12 {
            let slice: u64 = across.iter().map(|&at| u64::from(widths[at])).product();
            if slice <= u64::from(per_node) {
                let surface = surface(&across, &widths, slice, per_node);
                for rest in [Rest::Spread, Rest::Last, Rest::Apart] {
                    let even = across
                        .iter()
                        .all(|&at| grid.sizes[at].is_multiple_of(widths[at]));
                    if rest == Rest::Spread || !even {
                        let widths = widths[..dimensions].to_vec();
                        found.push((surface, Cut { long, widths, rest }));
                    }
                }
            }
            let more = |&at: &usize| {
                let inner: u64 = across.iter().map(|&at| u64::from(widths[at])).product();
                widths[at] < most(at) && inner < u64::from(per_node)
            };
            let Some(moved) = across.iter().copied().rev().find(more) else {
                break;
            };
            widths[moved] += 1;
            for &at in across.iter().filter(|&&at| at > moved) {
                widths[at] = 1;
            }
        }
    }
    found.sort_by_key(|(surface, cut)| (*surface, cut.long));
    found
        .into_iter()
        .take(TRIED_STRIPS)
        .map(|(_, cut)| cut)
        .collect()
}

/// The surface of a node's piece of a strip, in 1024ths.
fn surface(across: &[usize], widths: &[u32], slice: u64, per_node: u32) -> u64 {
    let sides: u64 = across
        .iter()
        .map(|&at| (u64::from(per_node) << 10) / u64::from(widths[at]))
        .sum();
    sides + (slice << 10)
}
