//! Vertices of two nodes change places as long as less leaves, counted over nodes and the levels above.

use super::links::Links;
use crate::score::tree::Tree;

/// What a link costs that leaves nodes, and each level.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    nodes: usize,
    /// The objects of each node, from the top, side by side: two nodes need two look-ups. Shape `[nodes][levels]`.
    objects: Vec<u32>,
    /// What is added where two nodes first differ at a level, from the top; nodes last. Shape `[levels + 1]`.
    from: Vec<i64>,
}

impl Costs {
    /// Each level counts once, nodes `node` times.
    pub(super) fn new(tree: &Tree, node: i64) -> Self {
        let nodes = tree.sizes.len();
        let objects = |node: usize| tree.levels.iter().map(move |level| level[node]);
        let levels = i64::try_from(tree.levels.len()).unwrap_or(0);
        Self {
            nodes,
            objects: (0..nodes).flat_map(objects).collect(),
            from: (0..=levels).map(|level| levels - level + node).collect(),
        }
    }

    /// The cost of a link between two nodes.
    pub(super) fn between(&self, a: u32, b: u32) -> i64 {
        if a == b {
            return 0;
        }
        let levels = self.from.len() - 1;
        let of = |node: u32| &self.objects[node as usize * levels..][..levels];
        let same = of(a).iter().zip(of(b)).take_while(|(a, b)| a == b);
        self.from[same.count()]
    }
}

/// Exchanges vertices until no exchange is better, or until `steps` links were looked at. `node`: of each vertex.
pub(super) fn improve(links: &Links, costs: &Costs, node: &mut [u32], steps: u64) {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); costs.nodes];
    for (vertex, &own) in (0..).zip(node.iter()) {
        members[own as usize].push(vertex);
    }
    let mut left = steps;
    let mut waiting = vec![true; node.len()];
    let mut targets: Vec<u32> = Vec::new();
    loop {
        let mut better = false;
        for vertex in 0..links.len() {
            if !std::mem::replace(&mut waiting[vertex as usize], false) {
                continue;
            }
            let here = node[vertex as usize];
            targets.clear();
            targets.extend(
                links
                    .of_vertex(vertex)
                    .iter()
                    .map(|own| node[own.0 as usize])
                    .filter(|&own| own != here),
            );
            targets.sort_unstable();
            targets.dedup();
            let mut best: Option<(i64, u32)> = None;
            for &there in &targets {
                let away = moving(links, costs, node, vertex, there);
                left = left.saturating_sub(links.of_vertex(vertex).len() as u64);
                for &other in &members[there as usize] {
                    left = left.saturating_sub(links.of_vertex(other).len() as u64 + 1);
                    let back = moving(links, costs, node, other, here);
                    let between = links
                        .of_vertex(vertex)
                        .iter()
                        .find(|own| own.0 == other)
                        .map_or(0, |own| own.1);
                    let change = away + back + 2 * between * costs.between(here, there);
                    if change < 0 && best.is_none_or(|best| (change, other) < best) {
                        best = Some((change, other));
                    }
                }
            }
            if let Some((_, other)) = best {
                let there = node[other as usize];
                exchange(&mut members, node, vertex, other);
                debug_assert_eq!(node[vertex as usize], there);
                better = true;
                for own in [vertex, other] {
                    waiting[own as usize] = true;
                    links
                        .of_vertex(own)
                        .iter()
                        .for_each(|near| waiting[near.0 as usize] = true);
                }
            }
            if left == 0 {
                return;
            }
        }
        if !better {
            return;
        }
    }
}

/// What changes when a vertex goes to a node, and nothing comes back.
fn moving(links: &Links, costs: &Costs, node: &[u32], vertex: u32, there: u32) -> i64 {
    let here = node[vertex as usize];
    let change = |&(other, weight): &(u32, i64)| {
        let other = node[other as usize];
        weight * (costs.between(there, other) - costs.between(here, other))
    };
    links.of_vertex(vertex).iter().map(change).sum()
}

fn exchange(members: &mut [Vec<u32>], node: &mut [u32], a: u32, b: u32) {
    let (here, there) = (node[a as usize], node[b as usize]);
    for (own, old, new) in [(a, here, b), (b, there, a)] {
        if let Some(slot) = members[old as usize].iter_mut().find(|slot| **slot == own) {
            *slot = new;
        }
    }
    node.swap(a as usize, b as usize);
}
