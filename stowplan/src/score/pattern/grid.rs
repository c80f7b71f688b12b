//! Halos: neighbours on a grid, at fixed strides in rank order.

use crate::score::error::{ScoreError, bad_pattern};
use crate::score::limit::{DIMENSIONS_MAX, HOPS_MAX};
use smallvec::SmallVec;

/// A grid, row-major: the last dimension runs fastest.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// Sizes, each at least 1.
    pub sizes: Vec<u32>,
}

impl Grid {
    /// Reads `50x48`. `None`: that is no grid.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut sizes = Vec::new();
        for size in text.split('x') {
            if sizes.len() == DIMENSIONS_MAX || !size.bytes().all(|sign| sign.is_ascii_digit()) {
                return None;
            }
            sizes.push(size.parse().ok().filter(|&size| size > 0)?);
        }
        Some(Self { sizes })
    }

    /// Cells; `None` beyond 2^64.
    #[must_use]
    pub fn cells(&self) -> Option<u64> {
        let sizes = self.sizes.iter().map(|&size| u64::from(size));
        sizes.into_iter().try_fold(1_u64, u64::checked_mul)
    }

    /// The word again.
    #[must_use]
    pub fn word(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(u32::to_string).collect();
        sizes.join("x")
    }
}

/// Whether the last cell of a dimension is a neighbour of the first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// There is nothing beyond the edge.
    Open,
    /// The grid continues at the other side.
    Periodic,
}

/// Who is a neighbour on a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halo {
    /// The grid.
    pub grid: Grid,
    /// What is beyond its edges.
    pub edge: Edge,
    /// The offsets to the cells that each cell talks to. The negative of every offset is here too.
    pub offsets: Vec<Vec<i64>>,
}

impl Halo {
    /// Reads the text after `halo:`.
    pub(super) fn read(word: &str, text: &str) -> Result<Self, ScoreError> {
        let mut words = text.split(':');
        let Some(grid) = words.next().and_then(Grid::read) else {
            return bad_pattern(
                word,
                format!("halo takes a grid of 1 to {DIMENSIONS_MAX} sizes, such as 50x48"),
            );
        };
        let (mut edge, mut shape, mut last) = (Edge::Open, Shape::Star, Last::Kept);
        let mut hops = 1;
        let mut seen = Vec::new();
        for option in words {
            let name = option.split('=').next().unwrap_or(option);
            if seen.contains(&name) {
                return bad_pattern(word, format!("{name} is given twice"));
            }
            seen.push(name);
            match (option, option.strip_prefix("hops=")) {
                ("periodic", _) => edge = Edge::Periodic,
                ("box", _) => shape = Shape::Box,
                ("but-last", _) => last = Last::Dropped,
                (_, Some(count)) if count.bytes().all(|sign| sign.is_ascii_digit()) => {
                    hops = match count.parse() {
                        Ok(count @ 1..=HOPS_MAX) => count,
                        Ok(_) | Err(_) => {
                            let why = format!("hops={count}: it goes from 1 to {HOPS_MAX}");
                            return bad_pattern(word, why);
                        }
                    };
                }
                _ => {
                    let why = format!("{option:?} is none of: periodic box hops=K but-last");
                    return bad_pattern(word, why);
                }
            }
        }
        let offsets = offsets(grid.sizes.len(), shape, hops, last);
        Ok(Self {
            grid,
            edge,
            offsets,
        })
    }

    /// A ring of `procs`.
    #[must_use]
    pub fn ring(procs: u32) -> Self {
        Self {
            grid: Grid { sizes: vec![procs] },
            edge: Edge::Periodic,
            offsets: star(1),
        }
    }

    /// All edges. Cost: the boxes.
    #[must_use]
    pub fn edges(&self) -> u64 {
        2 * self.boxes().iter().map(Shifted::count).sum::<u64>()
    }

    /// The most neighbours of a cell: those of the cell in the middle, from which most steps stay inside. Cost: the offsets.
    pub(crate) fn most(&self) -> u64 {
        let sizes = self.grid.sizes.iter();
        let middle = sizes.fold(0, |cell, size| cell * size + size / 2);
        self.neighbours(middle).len() as u64
    }

    /// The neighbours of a cell. Cost: the offsets.
    #[must_use]
    pub fn neighbours(&self, cell: u32) -> Vec<u32> {
        let mut left = cell;
        let mut at: SmallVec<[i64; DIMENSIONS_MAX]> = SmallVec::new();
        for &size in self.grid.sizes.iter().rev() {
            at.insert(0, i64::from(left % size));
            left /= size;
        }
        let neighbour = |offset: &Vec<i64>| {
            let mut to = 0;
            for ((&here, &step), &size) in at.iter().zip(offset).zip(&self.grid.sizes) {
                let size = i64::from(size);
                let there = match self.edge {
                    Edge::Open => Some(here + step).filter(|there| (0..size).contains(there)),
                    Edge::Periodic => Some((here + step).rem_euclid(size)),
                };
                to = to * size + there?;
            }
            u32::try_from(to).ok().filter(|&to| to != cell)
        };
        self.offsets.iter().filter_map(neighbour).collect()
    }

    /// The boxes of each offset, of one of two opposite ones, whose cells have a neighbour at a fixed distance in rank. Every offset
    /// has an opposite, so each edge is in one box, in one of its directions.
    pub(crate) fn boxes(&self) -> Vec<Shifted> {
        let mut found = Vec::new();
        let ahead = |offset: &&Vec<i64>| offset.iter().find(|&&step| step != 0) > Some(&0);
        for offset in self.offsets.iter().filter(ahead) {
            let mut open = vec![Shifted {
                cells: Vec::new(),
                shift: 0,
            }];
            for (&size, &step) in self.grid.sizes.iter().zip(offset) {
                let size = i64::from(size);
                let parts = match self.edge {
                    Edge::Open => [(0.max(-step), size - step.abs(), step), (0, 0, 0)],
                    Edge::Periodic => {
                        let step = step.rem_euclid(size);
                        [(0, size - step, step), (size - step, step, step - size)]
                    }
                };
                let parts = || parts.iter().filter(|part| part.1 > 0);
                let longer = |own: &Shifted, &(first, count, step): &(i64, i64, i64)| {
                    let mut cells = own.cells.clone();
                    cells.push((first.unsigned_abs(), count.unsigned_abs()));
                    let shift = own.shift * size + step;
                    Shifted { cells, shift }
                };
                let each = open
                    .iter()
                    .flat_map(|own| parts().map(move |part| longer(own, part)));
                open = each.collect();
            }
            found.extend(open.into_iter().filter(|own| own.shift != 0));
        }
        found
    }
}

/// The cells of a box, and by how much their neighbours are ahead in rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shifted {
    /// First cell and count in each dimension.
    pub(crate) cells: Vec<(u64, u64)>,
    pub(crate) shift: i64,
}

impl Shifted {
    /// How many cells.
    pub(crate) fn count(&self) -> u64 {
        self.cells.iter().map(|own| own.1).product()
    }

    /// Shows stretches of cells in rank order: the first cell, and how many.
    pub(crate) fn rows(&self, grid: &Grid, visit: &mut impl FnMut(u64, u64)) {
        // What is behind the last dimension that is cut, is whole.
        let cut = self.cells.iter().zip(&grid.sizes);
        let cut = cut.rev().position(|(own, &size)| own.1 < u64::from(size));
        let outer = self.cells.len() - 1 - cut.unwrap_or(self.cells.len() - 1);
        let length: u64 = self.cells[outer..].iter().map(|own| own.1).product();
        for row in 0..self.count() / length {
            let (mut left, mut first, mut stride) = (row, 0, 1);
            for (at, (&(low, count), &size)) in self.cells.iter().zip(&grid.sizes).enumerate().rev()
            {
                let here = if at < outer { left % count } else { 0 };
                left /= if at < outer { count } else { 1 };
                first += (low + here) * stride;
                stride *= u64::from(size);
            }
            visit(first, length);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Star,
    Box,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Kept,
    Dropped,
}

/// One step each way in each dimension.
pub(crate) fn star(dimensions: usize) -> Vec<Vec<i64>> {
    offsets(dimensions, Shape::Star, 1, Last::Kept)
}

fn offsets(dimensions: usize, shape: Shape, hops: u32, last: Last) -> Vec<Vec<i64>> {
    let mut offsets: Vec<Vec<i64>> = Vec::new();
    let unit = |dimension: usize, step: i64| {
        let mut offset = vec![0; dimensions];
        offset[dimension] = step;
        offset
    };
    match shape {
        Shape::Star => {
            let each =
                (0..dimensions).flat_map(|dimension| [unit(dimension, -1), unit(dimension, 1)]);
            offsets.extend(each);
        }
        Shape::Box => {
            let all = 3_usize.pow(u32::try_from(dimensions).unwrap_or(u32::MAX));
            for number in 0..all {
                let mut left = number;
                let mut offset = vec![0; dimensions];
                for step in offset.iter_mut().rev() {
                    *step = i64::try_from(left % 3).unwrap_or(0) - 1;
                    left /= 3;
                }
                if offset.iter().any(|&step| step != 0) {
                    offsets.push(offset);
                }
            }
        }
    }
    for hop in 2..=i64::from(hops) {
        offsets.extend([unit(0, -hop), unit(0, hop)]);
    }
    if last == Last::Dropped {
        offsets.retain(|offset| offset.last() == Some(&0));
    }
    offsets
}
