//! Cuts a graph along a tree, from the top down, in parts of exactly the sizes that the tree has room for.

use super::bisect::{Weighted, bisect};
use super::links::{Dice, Links};
use crate::score::tree::Tree;
use std::ops::Range;

/// The node of each vertex. Cost: the edges, for each halving.
pub(super) fn multisect(links: &Links, tree: &Tree, seed: u64) -> Vec<u32> {
    let mut node = vec![0; links.len() as usize];
    let mut dice = Dice::new(seed);
    let mut local = vec![u32::MAX; links.len() as usize];
    let mut open: Vec<(Vec<u32>, Range<usize>)> =
        vec![((0..links.len()).collect(), 0..tree.sizes.len())];
    while let Some((own, nodes)) = open.pop() {
        if nodes.len() <= 1 {
            for vertex in own {
                node[vertex as usize] = u32::try_from(nodes.start).unwrap_or(0);
            }
            continue;
        }
        let middle = halves(tree, &nodes);
        let first: u64 = tree.sizes[nodes.start..middle]
            .iter()
            .map(|&size| u64::from(size))
            .sum();
        let graph = part(links, &own, &mut local);
        let side = bisect(&graph, first, &mut dice);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for (vertex, second) in own.into_iter().zip(side) {
            if second {
                other.push(vertex)
            } else {
                one.push(vertex)
            }
        }
        // What refinement could not make exact is made exact here.
        while one.len() as u64 > first {
            other.extend(one.pop());
        }
        while (one.len() as u64) < first && !other.is_empty() {
            one.extend(other.pop());
        }
        open.push((other, middle..nodes.end));
        open.push((one, nodes.start..middle));
    }
    node
}

/// Where the children of the highest level that divides these nodes are halved.
pub(super) fn halves(tree: &Tree, nodes: &Range<usize>) -> usize {
    let divides = |level: &&Vec<u32>| {
        level[nodes.clone()]
            .iter()
            .any(|object| *object != level[nodes.start])
    };
    let level = tree.levels.iter().find(divides);
    let starts = (nodes.start + 1..nodes.end)
        .filter(|&at| level.is_none_or(|level| level[at] != level[at - 1]));
    let all: u64 = tree.sizes[nodes.clone()]
        .iter()
        .map(|&size| u64::from(size))
        .sum();
    let (mut sum, mut from, mut best) = (0_u64, nodes.start, (u64::MAX, nodes.start + 1));
    for at in starts {
        sum += tree.sizes[from..at]
            .iter()
            .map(|&size| u64::from(size))
            .sum::<u64>();
        from = at;
        best = best.min(((2 * sum).abs_diff(all), at));
    }
    best.1
}

/// The part of a graph between some vertices. `local`: scratch.
fn part(links: &Links, own: &[u32], local: &mut [u32]) -> Weighted {
    for (number, &vertex) in (0..).zip(own) {
        local[vertex as usize] = number;
    }
    let mut graph = Weighted {
        first: vec![0],
        weights: vec![1; own.len()],
        ..Weighted::default()
    };
    for &vertex in own {
        let inner = links
            .of_vertex(vertex)
            .iter()
            .filter(|(other, _)| local[*other as usize] != u32::MAX);
        graph
            .all
            .extend(inner.map(|&(other, weight)| (local[other as usize], weight)));
        graph.first.push(graph.all.len());
    }
    for &vertex in own {
        local[vertex as usize] = u32::MAX;
    }
    graph
}
