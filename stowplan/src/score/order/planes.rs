//! A grid cut by planes, for a tree of objects: boxes are halved, or cut in other even parts, until each node has one.
//!
//! A table over (box, level, children) has the cheapest way to cut a box for so many children of a level. A cut weighs the edges that
//! cross it, once for each level that they leave.

use super::walk::{Box, strides, write};
use crate::score::limit::DIMENSIONS_MAX;
use crate::score::pattern::{Edge, Grid, Halo, star};
use crate::score::tree::Tree;
use std::collections::HashMap;

/// Boxes that are looked at.
const STATES_MAX: usize = 10_000;

/// What is to be least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// All that leaves, over nodes and levels.
    Sum,
    /// What leaves nodes, then the sum.
    Node,
}

/// The sizes of a box.
type Sizes = [u32; DIMENSIONS_MAX];
/// A box for so many children of a level.
type State = (Sizes, usize, u32);
/// What is to be least, and what then.
type Cost = (u64, u64);

/// The rank of each place. `halo`: who talks to whom; without one, neighbours in each dimension.
///
/// # Errors
/// The nodes are no even tree, or there is no even cut.
///
/// Cost: at most `STATES_MAX` boxes, each with its cuts, and the ranks.
pub fn planes(
    grid: &Grid,
    halo: Option<&Halo>,
    tree: &Tree,
    first: First,
) -> Result<Vec<u32>, String> {
    let Some(counts) = tree.counts() else {
        return Err("planes take equal nodes in equal objects, one after the other".to_owned());
    };
    let cells: u32 = tree.sizes.iter().sum();
    if grid.cells() != Some(u64::from(cells)) {
        return Err(format!(
            "a grid of {} does not have the job's {cells} places",
            grid.word()
        ));
    }
    let mut cutter = Cutter {
        grid,
        offsets: halo.map_or_else(|| star(grid.sizes.len()), |halo| halo.offsets.clone()),
        edge: halo.map_or(Edge::Open, |halo| halo.edge),
        counts,
        first,
        known: HashMap::new(),
    };
    let whole = Box::whole(grid);
    let start = (whole.sizes, 0, cutter.counts[0]);
    if cutter.cost(start).is_none() {
        return Err(format!(
            "there is no even cut of {} for these nodes",
            grid.word()
        ));
    }
    let mut out = Vec::with_capacity(cells as usize);
    let dimensions: Vec<usize> = (0..grid.sizes.len()).collect();
    cutter.give(whole, 0, start.2, &mut |own| {
        write(own, &dimensions, &strides(grid), &mut out)
    });
    Ok(out)
}

/// The best way to cut: along which dimension, where, and how many children go to the first part.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: Cost,
    cut: Option<(usize, u32, u32)>,
}

struct Cutter<'g> {
    grid: &'g Grid,
    offsets: Vec<Vec<i64>>,
    edge: Edge,
    /// Children of each object, from the top down to nodes.
    counts: Vec<u32>,
    first: First,
    known: HashMap<State, Option<Best>>,
}

impl Cutter<'_> {
    fn cost(&mut self, state: State) -> Option<Cost> {
        let (sizes, level, children) = state;
        if children == 1 {
            return match self.counts.get(level + 1) {
                Some(&next) => self.cost((sizes, level + 1, next)),
                None => Some((0, 0)),
            };
        }
        if let Some(known) = self.known.get(&state) {
            return known.map(|best| best.cost);
        }
        let room = if self.known.len() < STATES_MAX {
            Room::Left
        } else {
            Room::None
        };
        self.known.insert(state, None);
        let mut best: Option<Best> = None;
        for part in parts(children, room) {
            for axis in 0..self.grid.sizes.len() {
                let along = u64::from(sizes[axis]) * u64::from(part);
                if !along.is_multiple_of(u64::from(children)) {
                    continue;
                }
                let length = u32::try_from(along / u64::from(children)).unwrap_or(0);
                let own = self.crossing(&sizes, axis, length);
                if best.is_some_and(|best| self.weighed(own, level) >= best.cost) {
                    continue;
                }
                let (mut one, mut other) = (sizes, sizes);
                one[axis] = length;
                other[axis] -= length;
                let Some(a) = self.cost((one, level, part)) else {
                    continue;
                };
                let Some(b) = self.cost((other, level, children - part)) else {
                    continue;
                };
                let cut = self.weighed(own, level);
                let cost = (cut.0 + a.0 + b.0, cut.1 + a.1 + b.1);
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(Best {
                        cost,
                        cut: Some((axis, length, part)),
                    });
                }
            }
        }
        self.known.insert(state, best);
        best.map(|best| best.cost)
    }

    /// What a cut between children of a level weighs.
    fn weighed(&self, edges: u64, level: usize) -> Cost {
        let leaves = (self.counts.len() - level) as u64;
        match self.first {
            First::Sum => (edges * leaves, edges),
            First::Node => (edges, edges * leaves),
        }
    }

    /// Edges, both directions counted, between the two parts of a box.
    fn crossing(&self, sizes: &Sizes, axis: usize, length: u32) -> u64 {
        let mut sum = 0;
        for offset in &self.offsets {
            let mut product = 1_u64;
            for (dimension, &step) in offset.iter().enumerate() {
                let (size, step) = (u64::from(sizes[dimension]), step.unsigned_abs());
                let round =
                    self.edge == Edge::Periodic && sizes[dimension] == self.grid.sizes[dimension];
                product *= if dimension == axis {
                    let (one, other) = (u64::from(length), size - u64::from(length));
                    let once = step.min(one).min(other).min(size.saturating_sub(step));
                    if round { (2 * once).min(size) } else { once }
                } else if round {
                    size
                } else {
                    size.saturating_sub(step)
                };
            }
            sum += product;
        }
        sum
    }

    /// Gives the boxes of nodes, in the order of the tree.
    fn give(&self, own: Box, level: usize, children: u32, visit: &mut dyn FnMut(&Box)) {
        if children == 1 {
            return match self.counts.get(level + 1) {
                Some(&next) => self.give(own, level + 1, next, visit),
                None => visit(&own),
            };
        }
        let best = self
            .known
            .get(&(own.sizes, level, children))
            .copied()
            .flatten();
        if let Some((axis, length, part)) = best.and_then(|best| best.cut) {
            let [first, second] = own.cut(axis, length);
            self.give(first, level, part, visit);
            self.give(second, level, children - part, visit);
        }
    }
}

/// Whether more boxes may be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Room {
    Left,
    None,
}

/// Children of the first part of a cut. When there are many of them, or of boxes, only the most even cut is tried.
fn parts(children: u32, room: Room) -> Vec<u32> {
    /// Children up to which every cut is tried.
    const FEW: u32 = 160;
    if children <= FEW && room == Room::Left {
        return (1..=children / 2).collect();
    }
    let factor = (2..=children).find(|&factor| children.is_multiple_of(factor));
    factor.map(|factor| children / factor).into_iter().collect()
}
