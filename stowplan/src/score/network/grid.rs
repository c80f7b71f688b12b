//! Nodes in places: tori and meshes of any number of dimensions, and rings.

use super::refused::{Line, in_line};
use super::{BadNetwork, Joined, Kind, Level, NODES_MAX, Network};
use std::collections::HashSet;
use stowplan_engine::table::names::{NameRange, Names, range_names};

/// A torus, mesh or ring.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    /// First size fastest.
    pub(super) dims: Vec<u32>,
    /// Nodes with the number of their first cell; the others of a range follow in the cells behind it.
    pub(super) nodes: Vec<(NameRange, Vec<u32>)>,
    pub(super) line: u32,
}

/// The places of all nodes.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The sizes of each torus.
    pub(crate) dims: Vec<Vec<u32>>,
    names: Vec<String>,
    /// The torus of each node.
    pub(crate) part: Vec<u32>,
    /// The cell of each node in its torus, first size fastest.
    pub(crate) cell: Vec<u32>,
}

/// The place of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot<'g> {
    /// The name of its torus or ring.
    pub name: &'g str,
    /// Its coordinates; its number in a ring.
    pub at: Vec<u32>,
}

impl Grid {
    /// The place of a node.
    pub(super) fn spot(&self, node: u32) -> Spot<'_> {
        let part = self.part[node as usize] as usize;
        Spot {
            name: &self.names[part],
            at: coordinates(&self.dims[part], self.cell[node as usize]),
        }
    }
}

impl Grid {
    /// Steps between two nodes; none if they are in different tori.
    pub(crate) fn steps(&self, a: u32, b: u32, kind: Kind) -> Option<u64> {
        let (a, b) = (a as usize, b as usize);
        if self.part[a] != self.part[b] {
            return None;
        }
        let (mut one, mut other, mut sum) = (self.cell[a], self.cell[b], 0);
        for &size in &self.dims[self.part[a] as usize] {
            let apart = (one % size).abs_diff(other % size);
            sum += u64::from(match kind {
                Kind::Mesh => apart,
                Kind::Torus | Kind::Ring | Kind::Tree | Kind::Dragonfly | Kind::DragonflyPlus => {
                    apart.min(size - apart)
                }
            });
            (one, other) = (one / size, other / size);
        }
        Some(sum)
    }
}

/// The coordinates of a cell, first size fastest.
pub(crate) fn coordinates(dims: &[u32], mut cell: u32) -> Vec<u32> {
    let mut at = Vec::with_capacity(dims.len());
    for &size in dims {
        at.push(cell % size);
        cell /= size;
    }
    at
}

/// Reads sizes such as `4x4x2`.
pub(super) fn dims(text: &str) -> Option<Vec<u32>> {
    let found = crate::score::pattern::Grid::read(text)?;
    let fits = found.cells()? <= u64::from(NODES_MAX);
    fits.then_some(found.sizes)
}

/// A network of places. `word`: of its one level.
///
/// # Errors
/// A node twice, two nodes in one place, a part twice.
pub(super) fn network(
    kind: Kind,
    parts: &[Part],
    word: &str,
    source: &str,
) -> Result<Network, BadNetwork> {
    let mut names = Names::default();
    let mut grid = Grid {
        dims: Vec::new(),
        names: Vec::new(),
        part: Vec::new(),
        cell: Vec::new(),
    };
    let mut level = Level {
        word: word.to_owned(),
        ..Level::default()
    };
    let mut known = HashSet::new();
    for (number, part) in (0..).zip(parts) {
        let line = in_line(source, part.line);
        if !known.insert(part.name.as_str()) {
            return Err(line.bad(format!("{word} {} is given twice", part.name)));
        }
        let placed = in_places(part, names.len(), line)?;
        let first = names.len();
        for (cell, range) in placed {
            let before = names.len();
            names
                .add(&range)
                .map_err(|_| line.bad("it has too many nodes"))?;
            if names.len() == before {
                return Err(line.bad(format!("node {} is given twice", range.prefix)));
            }
            grid.part.push(number);
            grid.cell.push(cell);
        }
        if names.len() > first {
            let object = u32::try_from(level.objects.len()).unwrap_or(u32::MAX);
            level.objects.push(part.name.clone());
            level.push(first, object);
        }
        grid.dims.push(part.dims.clone());
        grid.names.push(part.name.clone());
    }
    if names.is_empty() {
        return Err(in_line(source, 0).bad("it has no node"));
    }
    let joined = if level.objects.len() > 1 {
        Joined::Apart
    } else {
        Joined::Whole
    };
    Ok(Network {
        kind,
        grid: Some(grid),
        ..Network::tree(names, vec![level], joined, source)
    })
}

/// The nodes of a part in the order of their places: that is the network's.
fn in_places(
    part: &Part,
    before: u32,
    line: Line<'_>,
) -> Result<Vec<(u32, NameRange)>, BadNetwork> {
    let mut placed: Vec<(u32, NameRange)> = Vec::new();
    for (range, cells) in &part.nodes {
        if before as usize + placed.len() + cells.len() > NODES_MAX as usize {
            return Err(line.bad(format!("it has more than {NODES_MAX} nodes")));
        }
        let each = range_names(range).zip(cells);
        placed.extend(
            each.map(|(name, &cell)| (cell, stowplan_engine::text::hostlist::plain(&name))),
        );
    }
    placed.sort_by_key(|own| own.0);
    if let Some(two) = placed.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(line.bad(format!(
            "{} and {} are in one place of {}",
            two[0].1.prefix, two[1].1.prefix, part.name
        )));
    }
    Ok(placed)
}

/// Nodes in the cells from 0 on.
pub(super) fn filling(nodes: Vec<NameRange>) -> Vec<(NameRange, Vec<u32>)> {
    let mut next = 0;
    let each = nodes.into_iter().map(|range| {
        let cells = (next..next + range.count).collect();
        next += range.count;
        (range, cells)
    });
    each.collect()
}

/// How many names some ranges have.
pub(super) fn count(nodes: &[NameRange]) -> u64 {
    nodes.iter().map(|range| u64::from(range.count)).sum()
}
