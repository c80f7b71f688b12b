//! Halos: neighbours on a grid, at fixed strides in rank order.

use crate::error::{ScoreError, bad_pattern};
use crate::limit::{DIMENSIONS_MAX, HOPS_MAX};
use smallvec::SmallVec;
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

    /// Shows the edges of all cells whose first coordinate is in `planes`, each in one of its directions: every offset has an
    /// opposite, and one of the two is shown.
    ///
    /// Cost: a call for each [`Rows`].
    pub(crate) fn pairs_of(&self, planes: Range<u32>, visit: &mut impl FnMut(Rows)) {
        let ahead = |offset: &&Vec<i64>| offset.iter().find(|&&step| step != 0) > Some(&0);
        for offset in self.offsets.iter().filter(ahead) {
            let last = offset.iter().rposition(|&step| step != 0);
            if let Some(last) = last.filter(|_| self.moves(offset)) {
                let ranges: SmallVec<[Ranges; DIMENSIONS_MAX]> = (0..=last)
                    .map(|dimension| self.ranges(offset, dimension, &planes))
                    .collect();
                let sizes = self.grid.sizes[last + 1..].iter();
                let inner = sizes.map(|&size| size as usize).product();
                self.walk(&ranges, 0, 0, 0, inner, visit);
            }
        }
    }

    /// The cells of a dimension that have a neighbour in it, and these neighbours, as stretches in which both count up.
    fn ranges(&self, offset: &[i64], dimension: usize, planes: &Range<u32>) -> Ranges {
        let (size, step) = (i64::from(self.grid.sizes[dimension]), offset[dimension]);
        let ranges = match self.edge {
            Edge::Open if step >= 0 => [(0, step, size - step), (0, 0, 0)],
            Edge::Open => [(-step, 0, size + step), (0, 0, 0)],
            Edge::Periodic => {
                let step = step.rem_euclid(size);
                [(0, step, size - step), (size - step, 0, step)]
            }
        };
        ranges.map(|(from, to, count)| {
            let (mut first, mut end) = (from, from + count);
            if dimension == 0 {
                first = first.max(i64::from(planes.start));
                end = end.min(i64::from(planes.end));
            }
            let place = |number: i64| usize::try_from(number).unwrap_or(0);
            (place(first), place(to + first - from), place(end - first))
        })
    }

    /// Shows the rows of an offset. `from` and `to`: the cell and its neighbour in the dimensions before `dimension`.
    fn walk(
        &self,
        ranges: &[Ranges],
        dimension: usize,
        from: usize,
        to: usize,
        inner: usize,
        visit: &mut impl FnMut(Rows),
    ) {
        let size = |dimension: usize| self.grid.sizes[dimension] as usize;
        let own = size(dimension);
        match &ranges[dimension..] {
            [] => {}
            [last] => {
                for (first, neighbour, count) in *last {
                    visit(Rows {
                        from: (from * own + first) * inner,
                        to: (to * own + neighbour) * inner,
                        count: count * inner,
                        rows: usize::from(count > 0),
                        pitch: 0,
                    });
                }
            }
            [before, last] => {
                let pitch = size(dimension + 1);
                for (row, other, rows) in *before {
                    for (first, neighbour, count) in *last {
                        visit(Rows {
                            from: ((from * own + row) * pitch + first) * inner,
                            to: ((to * own + other) * pitch + neighbour) * inner,
                            count: count * inner,
                            rows: if count > 0 { rows } else { 0 },
                            pitch: pitch * inner,
                        });
                    }
                }
            }
            [here, ..] => {
                for (first, neighbour, count) in *here {
                    for at in 0..count {
                        let (from, to) = (from * own + first + at, to * own + neighbour + at);
                        self.walk(ranges, dimension + 1, from, to, inner, visit);
                    }
                }
            }
        }
    }
}

/// Stretches of a dimension: first, its neighbour, how many.
type Ranges = [(usize, usize, usize); 2];

/// Edges of stretches of cells in rank order, one stretch after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    /// The first cell.
    pub(crate) from: usize,
    /// Its neighbour.
    pub(crate) to: usize,
    /// Cells of a stretch.
    pub(crate) count: usize,
    /// How many stretches.
    pub(crate) rows: usize,
    /// The distance from one stretch to the next.
    pub(crate) pitch: usize,
}

impl Rows {
    /// The stretches one by one: first, its neighbour, how many.
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.rows).map(move |row| {
            let behind = row * self.pitch;
            (self.from + behind, self.to + behind, self.count)
        })
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
