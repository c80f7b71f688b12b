//! Regular jobs: if nodes and planes of a grid repeat, a smaller grid on fewer nodes is counted. What one more repetition adds
//! is then added once for each repetition that was left out.
//!
//! With ranks node by node, whether an edge leaves depends on the positions of its rank in the node and in the grid. Away from
//! the edges of a dimension, both positions repeat after a number of ranks that is a multiple of a node and of a step in that
//! dimension: a *window*. So every window adds the same number of edges that leave, and no object sees anything new.

use crate::column::Order;
use crate::count;
use crate::memory::Columns;
use crate::numbers::{Numbers, Piece};
use crate::pattern::{Halo, Part, Pattern};
use std::slice;

/// The edges that leave the objects of a level: all, and the most of one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Figures {
    pub(crate) leave: u64,
    pub(crate) worst: u64,
}

impl Figures {
    /// From the edges that leave each object.
    pub(crate) fn of(out: &[u64]) -> Self {
        Self {
            leave: out.iter().sum(),
            worst: out.iter().max().copied().unwrap_or(0),
        }
    }
}

/// The figures of a halo over all ranks of a job. Either place k has rank k, or no two ranks are in one object.
///
/// Cost: a few windows if nodes are equal, else the ranks.
pub(crate) fn figures(halo: &Halo, numbers: &Numbers, columns: &mut Columns) -> Figures {
    counted(halo, numbers, 0, columns)
}

/// The same, with windows of this dimension and of later ones left out.
fn counted(halo: &Halo, numbers: &Numbers, dimension: usize, columns: &mut Columns) -> Figures {
    if dimension == halo.grid.sizes.len() {
        let orders: Vec<Order<'_>> = numbers.apps.iter().map(|_| Order::Places).collect();
        let ranks = halo
            .grid
            .cells()
            .and_then(|cells| usize::try_from(cells).ok());
        let part = Part {
            app: 0,
            pattern: Pattern::Halo(halo.clone()),
            word: String::new(),
        };
        // All ranks are of one app, whichever that is.
        let all = 0..ranks.unwrap_or(0);
        return Figures::of(count::leaving(
            &[part],
            slice::from_ref(&all),
            numbers,
            &orders,
            columns,
        ));
    }
    let Some(cut) = Cut::of(halo, numbers, dimension) else {
        return counted(halo, numbers, dimension + 1, columns);
    };
    let mut without = |windows: u32| {
        let (halo, numbers) = cut.without(halo, numbers, windows);
        counted(&halo, &numbers, dimension + 1, columns)
    };
    let (more, fewer) = (without(cut.windows), without(cut.windows + 1));
    Figures {
        leave: more.leave + u64::from(cut.windows) * (more.leave - fewer.leave),
        worst: more.worst,
    }
}

/// Where windows can be left out.
struct Cut {
    dimension: usize,
    app: usize,
    piece: usize,
    /// How many windows.
    windows: u32,
    /// What one window takes: steps of the dimension, and nodes of the piece.
    steps: u32,
    nodes: u32,
}

impl Cut {
    fn of(halo: &Halo, numbers: &Numbers, dimension: usize) -> Option<Self> {
        let sizes = &halo.grid.sizes;
        let cells = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        let (blocks, block) = (cells(&sizes[..dimension]), cells(&sizes[dimension..]));
        let step = cells(&sizes[dimension + 1..]);
        let app = numbers.apps.iter().position(|pieces| !pieces.is_empty())?;
        let pieces = &numbers.apps[app];
        let ranks = |piece: &Piece| u64::from(piece.nodes) * u64::from(piece.procs);
        let piece = (0..pieces.len()).max_by_key(|&at| (ranks(&pieces[at]), at))?;
        let procs = u64::from(pieces[piece].procs);
        let first: u64 = pieces[..piece].iter().map(ranks).sum();
        let end = first + ranks(&pieces[piece]);
        let all: u64 = pieces.iter().map(ranks).sum();
        let is_whole = (first, end) == (0, all);
        // In an inner dimension, every block must consist of whole nodes, the same in each.
        if dimension > 0 && !(is_whole && block.is_multiple_of(procs)) {
            return None;
        }
        // Stay away from the edges, and from other nodes.
        let reach = halo.reach(dimension).checked_mul(step)?;
        let (mut from, mut to) = (reach, block.checked_sub(reach)?);
        if first > 0 {
            from = from.max(first + reach + step);
        }
        if end < all {
            to = to.min(end.checked_sub(reach + step)?);
        }
        let window = step / gcd(step, procs) * procs;
        let left = to.checked_sub(from)?.checked_sub(window + procs)?;
        let windows = left / window;
        let is_worth_it = (2 * windows + 1) * window > block;
        let number = |count: u64| u32::try_from(count).ok();
        Some(Self {
            dimension,
            app,
            piece,
            windows: number(windows).filter(|&windows| windows > 0 && is_worth_it)?,
            steps: number(window / step)?,
            nodes: number(blocks * (window / procs))?,
        })
    }

    fn without(&self, halo: &Halo, numbers: &Numbers, windows: u32) -> (Halo, Numbers) {
        let mut halo = halo.clone();
        halo.grid.sizes[self.dimension] -= windows * self.steps;
        let fewer = numbers.without(self.app, self.piece, windows * self.nodes);
        (halo, fewer)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

    /// Pieces of nodes with random objects, over a random grid.
    fn job(below: &mut impl FnMut(u32) -> u32) -> (Halo, Numbers) {
        let grids = [
            [1 + below(60), 1 + below(9), 1 + below(9)],
            [1 + below(6), 1 + below(60), 1 + below(6)],
            [1 + below(5), 1 + below(5), 1 + below(60)],
            [1, 8 << below(3), 16],
            [1 + below(900), 1, 1],
            [30, 4 + below(20), 8],
        ];
        let [a, b, c] = grids[below(6) as usize];
        let mut word = match below(3) {
            0 => format!("halo:{a}x{b}x{c}"),
            1 => format!("halo:{}x{c}", a * b),
            _ => format!("halo:{a}x{}", b * c),
        };
        for (option, odds) in [
            (":periodic", 2),
            (":box", 2),
            (":but-last", 4),
            (":hops=3", 3),
        ] {
            if below(odds) == 0 {
                word.push_str(option);
            }
        }
        let Pattern::Halo(halo) = Part::read(&word).unwrap().pattern else {
            panic!("{word} is a halo");
        };
        let procs = 1 << below(5);
        let mut left = a * b * c;
        let mut numbers = Numbers::default();
        let mut pieces = Vec::new();
        while left > 0 {
            let own = if below(3) > 0 { procs } else { 1 + below(9) };
            let own = own.min(left);
            let most = left / own;
            let nodes = if below(3) > 0 { most } else { 1 + below(most) };
            let width = 1 + below(own);
            let first = numbers.inside.len();
            for _ in 0..own {
                numbers.inside.push(below(width));
            }
            pieces.push(Piece {
                first: numbers.nodes,
                nodes,
                procs: own,
                base: numbers.count,
                width,
                inside: first..numbers.inside.len(),
            });
            numbers.count += nodes * width;
            numbers.nodes += nodes;
            left -= nodes * own;
        }
        numbers.apps.push(pieces);
        (halo, numbers)
    }

    #[test]
    fn windows_left_out_change_nothing() {
        let mut dice = ChaCha8Rng::seed_from_u64(64);
        let mut below = |end: u32| dice.next_u32() % end;
        let (mut cut, mut columns) = (0, Columns::default());
        for _ in 0..6000 {
            let (halo, numbers) = job(&mut below);
            let all = counted(&halo, &numbers, halo.grid.sizes.len(), &mut columns);
            let figures = figures(&halo, &numbers, &mut columns);
            assert_eq!(figures, all, "{halo:?} {:?}", numbers.apps);
            cut += u32::from(Cut::of(&halo, &numbers, 0).is_some());
        }
        assert!(cut > 1000, "{cut} jobs were cut");
    }
}
