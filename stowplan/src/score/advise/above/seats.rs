//! Which node gets which block of ranks: blocks stay as they are, so nodes leave what they left, and less leaves the levels above.

use super::STEPS;
use super::links::Links;
use super::multisect::multisect;
use super::swaps::{Costs, improve};
use crate::score::tree::Tree;
use rayon::prelude::*;

/// The places for blocks: objects of the lowest level.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    /// Objects of the lowest level with the nodes in each.
    nodes: Vec<Vec<u32>>,
    /// These objects below the levels above.
    tree: Tree,
}

impl Seats {
    /// None: there is nothing to choose, or nodes have different numbers of places.
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let (lowest, above) = tree.levels.split_last()?;
        if tree.sizes.windows(2).any(|two| two[0] != two[1]) {
            return None;
        }
        let mut known: Vec<u32> = Vec::new();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        let mut levels: Vec<Vec<u32>> = vec![Vec::new(); above.len()];
        let mut at_of = std::collections::HashMap::new();
        for (node, &object) in (0_u32..).zip(lowest) {
            let at = *at_of.entry(object).or_insert(known.len());
            if at == known.len() {
                known.push(object);
                nodes.push(Vec::new());
                for (level, own) in above.iter().zip(&mut levels) {
                    own.push(level[node as usize]);
                }
            }
            nodes[at].push(node);
        }
        let sizes = nodes
            .iter()
            .map(|own| u32::try_from(own.len()).unwrap_or(0))
            .collect();
        (nodes.len() > 1).then_some(Self {
            nodes,
            tree: Tree { sizes, levels },
        })
    }

    /// Gives blocks other nodes as long as less leaves. `node`: of each rank; `tries`: how many cuts of the blocks are tried.
    pub(super) fn choose(&self, links: &Links, node: &mut [u32], tries: u64) {
        let count: usize = self.nodes.iter().map(Vec::len).sum();
        let blocks = links.together(node, count);
        let costs = Costs::new(&self.tree, 1);
        let mut own = vec![0; count];
        for (object, nodes) in (0..).zip(&self.nodes) {
            nodes.iter().for_each(|&node| own[node as usize] = object);
        }
        let tried = (0..=tries).into_par_iter().map(|seed| {
            let mut seat = match seed {
                0 => own.clone(),
                seed => multisect(&blocks, &self.tree, seed),
            };
            improve(&blocks, &costs, &mut seat, STEPS);
            (cost(&blocks, &costs, &seat), seed, seat)
        });
        let Some((_, _, seat)) = tried.min_by_key(|own| (own.0, own.1)) else {
            return;
        };
        let mut free: Vec<std::slice::Iter<'_, u32>> =
            self.nodes.iter().map(|own| own.iter()).collect();
        let moved: Vec<u32> = seat
            .iter()
            .map(|&object| free[object as usize].next().copied().unwrap_or(0))
            .collect();
        for node in node.iter_mut() {
            *node = moved[*node as usize];
        }
    }
}

/// What all links cost, each seen from both sides.
pub(super) fn cost(links: &Links, costs: &Costs, node: &[u32]) -> i64 {
    let mut sum = 0;
    for at in 0..links.len() {
        for &(other, weight) in links.of_vertex(at) {
            sum += weight * costs.between(node[at as usize], node[other as usize]);
        }
    }
    sum / 2
}
