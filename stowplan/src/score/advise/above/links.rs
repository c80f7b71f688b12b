//! Who talks to whom, both ways added: for cutting and exchanging.

use crate::score::advise::graph::Graph;

/// All weights together stay below two to this.
const BITS: u32 = 52;

/// Neighbours of each vertex, and what goes both ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Shape `[vertices + 1]`.
    first: Vec<usize>,
    all: Vec<(u32, i64)>,
}

impl Links {
    /// Of ranks.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut links = Self {
            first: vec![0],
            all: Vec::new(),
        };
        // Sums of weights times levels stay far below 2^63.
        let total: u64 = (0..graph.ranks())
            .map(|rank| graph.out(rank).unsigned_abs())
            .sum();
        let shift = (u64::BITS - total.leading_zeros()).saturating_sub(BITS);
        for rank in 0..graph.ranks() {
            let others = graph
                .neighbours(rank)
                .iter()
                .filter(|other| other.rank != rank);
            links
                .all
                .extend(others.map(|other| (other.rank, (other.out + other.back) >> shift)));
            links.first.push(links.all.len());
        }
        links
    }

    /// From pairs, each with what goes one way or both; pairs add up.
    pub(super) fn of_pairs(vertices: usize, mut pairs: Vec<(u32, u32, i64)>) -> Self {
        let turned: Vec<(u32, u32, i64)> =
            pairs.iter().map(|&(a, b, weight)| (b, a, weight)).collect();
        pairs.extend(turned);
        pairs.sort_unstable();
        let mut links = Self {
            first: vec![0; vertices + 1],
            all: Vec::new(),
        };
        let mut last = None;
        for (a, b, weight) in pairs {
            match links.all.last_mut() {
                Some(known) if last == Some((a, b)) => known.1 += weight,
                _ => {
                    links.all.push((b, weight));
                    links.first[a as usize + 1] += 1;
                }
            }
            last = Some((a, b));
        }
        for at in 0..vertices {
            links.first[at + 1] += links.first[at];
        }
        links
    }

    /// The vertices of groups, put together. `group`: of each vertex.
    pub(super) fn together(&self, group: &[u32], groups: usize) -> Self {
        let mut pairs = Vec::new();
        for at in 0..self.len() {
            let own = group[at as usize];
            let others = self
                .of_vertex(at)
                .iter()
                .map(|&(other, weight)| (own, group[other as usize], weight));
            // Each pair is seen from both sides.
            pairs.extend(others.filter(|pair| pair.0 < pair.1));
        }
        Self::of_pairs(groups, pairs)
    }

    /// How many vertices.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.first.len() - 1).unwrap_or(u32::MAX)
    }

    /// The neighbours of a vertex.
    pub(super) fn of_vertex(&self, vertex: u32) -> &[(u32, i64)] {
        &self.all[self.first[vertex as usize]..self.first[vertex as usize + 1]]
    }
}

/// A generator of numbers: the same on each machine.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 20) % (end.max(1) as u64)).unwrap_or(0)
    }

    /// Puts things in another order.
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
    }
}
