//! Orders of ranks for the levels above the nodes.

// Neighbours, both ways added.
mod links;
// Vertices that may move.
pub mod movable;
// Two parts of a graph.
mod bisect;
// Parts along a tree.
mod multisect;
// Exchanges.
mod swaps;
// Blocks of ranks on nodes.
mod seats;
// A grid along a tree.
mod along;

use crate::score::advise::graph::Graph;
use crate::score::order::planes::{First, planes};
use crate::score::pattern::{Grid, Halo};
use crate::score::tree::Tree;
use links::Links;
use multisect::multisect;
use rayon::prelude::*;
use seats::Seats;
use swaps::{Costs, improve};

/// Ranks up to which a grid is cut along the tree by sorting.
const ALONG_MAX: u32 = 1 << 18;
/// Cuts from the start.
const SEEDS: u64 = 3;
/// Links that one search may look at.
const STEPS: u64 = 1 << 26;
/// How often nodes count beside the levels, in searches that go for both.
const NODE_COUNTS: [i64; 3] = [1, 2, 6];

/// Where the starts of a search come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    /// From grids: they are good at all levels.
    Grids,
    /// From a graph alone: they are good at nodes, and cuts of the graph are worth more.
    Graph,
}

impl From {
    const fn counts(self) -> &'static [i64] {
        match self {
            Self::Grids => &NODE_COUNTS,
            Self::Graph => &[1],
        }
    }

    /// Cuts of the blocks that are tried when these get their nodes.
    const fn tries(self) -> u64 {
        match self {
            Self::Grids => 12,
            Self::Graph => 4,
        }
    }
}

/// Orders that follow from grids: planes for all levels, planes for nodes, and cuts along the tree.
pub(super) fn of_grid(grid: &Grid, halo: Option<&Halo>, tree: &Tree) -> Vec<Vec<u32>> {
    let nodes_alone = Tree {
        sizes: tree.sizes.clone(),
        levels: Vec::new(),
    };
    let wants = [
        (tree, First::Sum),
        (tree, First::Node),
        (&nodes_alone, First::Node),
    ];
    let mut found: Vec<Vec<u32>> = wants
        .into_iter()
        .filter_map(|(tree, first)| planes(grid, halo, tree, first).ok())
        .collect();
    if tree.sizes.iter().sum::<u32>() <= ALONG_MAX {
        found.push(along::along(grid, tree));
    }
    found.dedup();
    found
}

/// What searches find, from some orders and from cuts of the graph.
///
/// Cost: for each start a bounded number of steps.
pub(super) fn searched(
    graph: &Graph,
    tree: &Tree,
    starts: &[Vec<u32>],
    from: From,
) -> Vec<Vec<u32>> {
    let links = Links::of(graph);
    let seats = Seats::of(tree);
    let starts = distinct(starts.iter().map(|ranks| nodes_of(ranks, tree)).collect());
    let seeds = (1..=SEEDS).into_par_iter();
    let of_seeds = seeds.map(|seed| {
        let node = multisect(&links, tree, seed);
        let wanted = (seats.as_ref(), &NODE_COUNTS[..], from.tries());
        each(&links, tree, wanted, &node)
    });
    let of_starts = starts.par_iter().map(|node| {
        let wanted = (seats.as_ref(), from.counts(), from.tries());
        each(&links, tree, wanted, node)
    });
    let nodes = of_seeds.chain(of_starts).flatten();
    nodes.map(|node| ranks_of(&node, tree)).collect()
}

/// The same without repetitions, sorted.
fn distinct(mut nodes: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// What becomes of one start: seated alone; seated, exchanged, and seated again, for several weights of nodes.
fn each(
    links: &Links,
    tree: &Tree,
    (seats, counts, tries): (Option<&Seats>, &[i64], u64),
    start: &[u32],
) -> Vec<Vec<u32>> {
    let seat = |mut node: Vec<u32>| {
        if let Some(seats) = seats {
            seats.choose(links, &mut node, tries);
        }
        node
    };
    let exchange = |count: i64, mut node: Vec<u32>| {
        improve(links, &Costs::new(tree, count), &mut node, STEPS);
        node
    };
    let seated = seat(start.to_vec());
    let first = counts.par_iter();
    let first: Vec<Vec<u32>> = first
        .map(|&count| exchange(count, seated.clone()))
        .collect();
    // A good start often stays as it is, whatever nodes count: then seats, the larger part of the work, are chosen once.
    let known = distinct(first.clone());
    let again: Vec<Vec<u32>> = known.par_iter().map(|node| seat(node.clone())).collect();
    let each = counts.par_iter().zip(&first).map(|(&count, node)| {
        let at = known.partition_point(|other| other < node);
        exchange(count, again[at].clone())
    });
    let mut found: Vec<Vec<u32>> = each.collect();
    found.push(seated);
    found
}

/// The node of each rank.
fn nodes_of(ranks: &[u32], tree: &Tree) -> Vec<u32> {
    let mut node = vec![0; ranks.len()];
    let mut places = ranks.iter();
    for (at, &size) in (0..).zip(&tree.sizes) {
        for &rank in places.by_ref().take(size as usize) {
            node[rank as usize] = at;
        }
    }
    node
}

/// The rank of each place: those of a node ascend.
fn ranks_of(node: &[u32], tree: &Tree) -> Vec<u32> {
    let mut before: Vec<u32> = tree
        .sizes
        .iter()
        .scan(0, |sum, &size| {
            let before = *sum;
            *sum += size;
            Some(before)
        })
        .collect();
    let mut ranks = vec![0; node.len()];
    for (rank, &own) in (0..).zip(node) {
        let next = &mut before[own as usize];
        ranks[*next as usize] = rank;
        *next += 1;
    }
    ranks
}
