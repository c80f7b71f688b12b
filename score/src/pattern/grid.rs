//! Halos: neighbours on a grid, at fixed strides in rank order.

use crate::error::{ScoreError, bad_pattern};
use crate::limit::{DIMENSIONS_MAX, HOPS_MAX};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

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
    /// It goes on at the other side.
    Periodic,
}

/// Who is a neighbour on a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halo {
    /// The grid.
    pub grid: Grid,
    /// What is beyond its edges.
    pub edge: Edge,
    /// To which cells each cell talks. With every offset its negative is here too.
    pub offsets: Vec<Vec<i64>>,
}

impl Halo {
    /// Reads what stands behind `halo:`.
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
                return bad_pattern(word, format!("{name} stands there twice"));
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
            offsets: offsets(1, Shape::Star, 1, Last::Kept),
        }
    }

    /// All edges. Cost: the offsets.
    #[must_use]
    pub fn edges(&self) -> u64 {
        let cells = |offset: &Vec<i64>| -> u64 {
            let sizes = self.grid.sizes.iter().map(|&size| i64::from(size));
            let own = |(&step, size): (&i64, i64)| match self.edge {
                Edge::Open => (size - step.abs()).max(0).unsigned_abs(),
                Edge::Periodic => size.unsigned_abs(),
            };
            offset.iter().zip(sizes).map(own).product()
        };
        let moving = self.offsets.iter().filter(|offset| self.moves(offset));
        moving.map(cells).sum()
    }

    /// The most steps that an offset takes in a dimension.
    #[must_use]
    pub(crate) fn reach(&self, dimension: usize) -> u64 {
        let steps = self.offsets.iter().map(|offset| offset[dimension]);
        steps.map(i64::unsigned_abs).max().unwrap_or(0)
    }

    /// Whether an offset leads to another cell.
    fn moves(&self, offset: &[i64]) -> bool {
        let sizes = self.grid.sizes.iter().map(|&size| i64::from(size));
        let mut steps = offset.iter().zip(sizes);
        match self.edge {
            Edge::Open => steps.any(|(&step, _)| step != 0),
            Edge::Periodic => steps.any(|(&step, size)| step.rem_euclid(size) != 0),
        }
    }

    /// Shows the edges of all cells whose first coordinate is in `planes`, as (first cell, first neighbour, how many): stretches
    /// of both in rank order. Each direction of an edge is shown on its own.
    ///
    /// Cost: a call for each stretch.
    pub fn edges_of(&self, planes: Range<u32>, visit: &mut impl FnMut(usize, usize, usize)) {
        let planes = i64::from(planes.start)..i64::from(planes.end);
        for offset in &self.offsets {
            if self.moves(offset) {
                self.along(offset, &planes, visit);
            }
        }
    }

    /// The edges of one offset.
    fn along(
        &self,
        offset: &[i64],
        planes: &Range<i64>,
        visit: &mut impl FnMut(usize, usize, usize),
    ) {
        let sizes = self.grid.sizes.iter().map(|&size| i64::from(size));
        let sizes: SmallVec<[i64; DIMENSIONS_MAX]> = sizes.collect();
        let Some(last) = offset.iter().rposition(|&step| step != 0) else {
            return;
        };
        let inner = length(sizes[last + 1..].iter().product());
        let (size, step) = (sizes[last], offset[last]);
        // What each run of the last dimension that moves is cut into: from, to, how many.
        let mut cuts = match self.edge {
            Edge::Open if step.abs() >= size => return,
            Edge::Open if step > 0 => [(0, step, size - step), (0, 0, 0)],
            Edge::Open => [(-step, 0, size + step), (0, 0, 0)],
            Edge::Periodic => {
                let step = step.rem_euclid(size);
                [(0, step, size - step), (size - step, 0, step)]
            }
        };
        if last == 0 {
            // These are planes themselves.
            for cut in &mut cuts {
                let from = cut.0.max(planes.start);
                let end = (cut.0 + cut.2).min(planes.end);
                *cut = (from, cut.1 + from - cut.0, end - from);
            }
        }
        let block = inner * length(size);
        self.outer((&sizes[..last], &offset[..last]), planes, &mut |from, to| {
            for &(first, second, count) in &cuts {
                if count > 0 {
                    visit(
                        from * block + length(first) * inner,
                        to * block + length(second) * inner,
                        length(count) * inner,
                    );
                }
            }
        });
    }

    /// All cells of the dimensions before the last that moves, with the cell that the offset leads to.
    fn outer(
        &self,
        (sizes, offset): (&[i64], &[i64]),
        planes: &Range<i64>,
        visit: &mut impl FnMut(usize, usize),
    ) {
        let mut at: SmallVec<[i64; DIMENSIONS_MAX]> = smallvec![0; sizes.len()];
        if let Some(plane) = at.first_mut() {
            *plane = planes.start;
        }
        loop {
            let mut to = 0;
            let mut inside = true;
            for ((&here, &step), &size) in at.iter().zip(offset).zip(sizes) {
                let mut there = here + step;
                match self.edge {
                    Edge::Periodic => there = there.rem_euclid(size),
                    Edge::Open => inside &= (0..size).contains(&there),
                }
                to = to * size + there;
            }
            if inside {
                let from = at
                    .iter()
                    .zip(sizes)
                    .fold(0, |sum, (&here, &size)| sum * size + here);
                visit(length(from), length(to));
            }
            // The next cell; none behind the last.
            let end = |dim: usize| if dim == 0 { planes.end } else { sizes[dim] };
            let Some(moved) = (0..sizes.len()).rev().find(|&dim| at[dim] + 1 < end(dim)) else {
                return;
            };
            at[moved] += 1;
            at[moved + 1..].fill(0);
        }
    }
}

/// A length or place inside a grid of at most 2^32 cells.
fn length(number: i64) -> usize {
    usize::try_from(number).expect("a place inside a grid")
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

fn offsets(dimensions: usize, shape: Shape, hops: u32, last: Last) -> Vec<Vec<i64>> {
    let mut offsets: Vec<Vec<i64>> = Vec::new();
    let unit = |dimension: usize, step: i64| {
        let mut offset = vec![0; dimensions];
        offset[dimension] = step;
        offset
    };
    match shape {
        Shape::Star => {
            let steps = (0..dimensions).flat_map(|dimension| [(dimension, -1), (dimension, 1)]);
            offsets.extend(steps.map(|(dimension, step)| unit(dimension, step)));
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
