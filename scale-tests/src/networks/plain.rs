//! The figures of a job on a network, from a loop over its edges.

use super::{Drawn, Level, Ways};
use std::collections::{BTreeMap, BTreeSet};

/// Who sends how much to whom.
pub type Edges = [(u32, u32, u64)];

/// What leaves the objects of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// The level's word.
    pub level: String,
    /// Summed over all ranks.
    pub leave: u64,
    /// The largest sum of one object.
    pub worst: u64,
    /// The first such object.
    pub worst_of: Option<String>,
    /// Objects that the job uses.
    pub objects: usize,
    /// The most and the fewest nodes of the job in one of them.
    pub nodes: [usize; 2],
    /// The most that goes from one object to another.
    pub pair: u64,
    /// The first such objects.
    pub pair_of: Option<[String; 2]>,
}

/// All figures above the node, and the node's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figures {
    /// From the top down.
    pub levels: Vec<Leaving>,
    /// What leaves nodes: all, the most, and the first such node.
    pub node: (u64, u64, Option<String>),
    /// Weight times links.
    pub hops: u64,
    /// The most links of an edge.
    pub far: u64,
    /// Weight between what nothing joins.
    pub apart: u64,
    /// Weight times the distance at which its ends meet.
    pub j: u64,
}

/// Counts a job. `nodes`: of each rank. `distances`: within a node, then by level from the lowest.
#[must_use]
pub fn figures(drawn: &Drawn, nodes: &[usize], edges: &Edges, distances: &[u64]) -> Figures {
    let levels = drawn.levels.iter();
    let levels = levels.map(|level| leaving(level, nodes, edges)).collect();
    let own = Level {
        word: "node".to_owned(),
        objects: in_order(drawn),
        of: place_in_order(drawn),
    };
    let node = leaving(&own, nodes, edges);
    let mut found = Figures {
        levels,
        node: (node.leave, node.worst, node.worst_of),
        hops: 0,
        far: 0,
        apart: 0,
        j: 0,
    };
    for &(from, to, weight) in edges.iter().filter(|edge| edge.2 > 0) {
        let [a, b] = [from, to].map(|rank| nodes[rank as usize]);
        found.j += weight * distances.get(met(drawn, a, b)).copied().unwrap_or(0);
        match links(drawn, a, b) {
            None => found.apart += weight,
            Some(links) => {
                found.hops += weight * links;
                found.far = found.far.max(links);
            }
        }
    }
    found
}

/// The level at which two nodes meet: 0 in one node, 1 in one object of the lowest level, one more than there are levels if nowhere.
fn met(drawn: &Drawn, a: usize, b: usize) -> usize {
    let levels = drawn.levels.iter().rev();
    let mut apart = levels.take_while(|level| level.of[a] != level.of[b]);
    if a == b {
        0
    } else {
        1 + apart.by_ref().count()
    }
}

/// Links between the switches of two nodes; none if nothing joins them.
fn links(drawn: &Drawn, a: usize, b: usize) -> Option<u64> {
    if a == b {
        return Some(0);
    }
    let at = met(drawn, a, b) as u64 - 1;
    let levels = drawn.levels.len() as u64;
    match &drawn.ways {
        Ways::Tree { joined } => (*joined || at < levels).then_some(2 * at),
        Ways::Groups { near } => {
            let in_one = |word: &str| {
                let level = drawn.levels.iter().find(|level| level.word == word);
                level.is_some_and(|level| level.of[a] == level.of[b])
            };
            let top = &drawn.levels[0];
            Some(if in_one("switch") || in_one("leaf") {
                0
            } else if top.of[a] == top.of[b] {
                *near
            } else {
                3
            })
        }
        Ways::Steps { at, sizes, round } => {
            let ((torus, from), (other, to)) = (&at[a], &at[b]);
            if torus != other {
                return None;
            }
            let mut sum = 0;
            for ((from, to), size) in from.iter().zip(to).zip(&sizes[*torus]) {
                let apart = from.abs_diff(*to);
                sum += u64::from(if *round {
                    apart.min(size - apart)
                } else {
                    apart
                });
            }
            Some(sum)
        }
    }
}

/// The place of each node in the network's order: level by level from the top, then as the nodes are listed.
fn place_in_order(drawn: &Drawn) -> Vec<usize> {
    let key = |node: &usize| -> (Vec<usize>, usize) {
        (
            drawn.levels.iter().map(|level| level.of[*node]).collect(),
            *node,
        )
    };
    let mut order: Vec<usize> = (0..drawn.nodes.len()).collect();
    order.sort_by_key(key);
    let mut place = vec![0; order.len()];
    for (at, &node) in order.iter().enumerate() {
        place[node] = at;
    }
    place
}

fn in_order(drawn: &Drawn) -> Vec<String> {
    let mut named: Vec<(usize, &String)> = place_in_order(drawn)
        .into_iter()
        .zip(&drawn.nodes)
        .collect();
    named.sort_unstable();
    named.into_iter().map(|(_, name)| name.clone()).collect()
}

fn leaving(level: &Level, nodes: &[usize], edges: &Edges) -> Leaving {
    let of = |rank: u32| level.of[nodes[rank as usize]];
    let mut each: BTreeMap<usize, u64> = BTreeMap::new();
    let mut pairs: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for &(from, to, weight) in edges {
        if of(from) != of(to) {
            *each.entry(of(from)).or_default() += weight;
            *pairs.entry((of(from), of(to))).or_default() += weight;
        }
    }
    let mut used: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &node in nodes {
        used.entry(level.of[node]).or_default().insert(node);
    }
    let worst = each.values().max().copied().unwrap_or(0);
    let pair = pairs.values().max().copied().unwrap_or(0);
    let name = |object: usize| level.objects[object].clone();
    let first = each.iter().find(|own| *own.1 == worst && worst > 0);
    let first_pair = pairs.iter().find(|own| *own.1 == pair && pair > 0);
    let sizes = || used.values().map(BTreeSet::len);
    Leaving {
        level: level.word.clone(),
        leave: each.values().sum(),
        worst,
        worst_of: first.map(|own| name(*own.0)),
        objects: used.len(),
        nodes: [sizes().max().unwrap_or(0), sizes().min().unwrap_or(0)],
        pair,
        pair_of: first_pair.map(|own| [name(own.0.0), name(own.0.1)]),
    }
}
