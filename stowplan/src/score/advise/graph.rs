//! Who talks to whom, as lists of neighbours: for matrices and for local search, never for counting a named pattern.

use crate::score::error::ScoreError;
use crate::score::figures::{Matrices, open};
use crate::score::limit::GRAPH_EDGES_MAX;
use crate::score::pattern::{Part, Pattern};
use crate::score::talks::{self, AppRanks, Group, Talk};
use crate::score::weight::Weight;

/// A neighbour of a rank, and what goes each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// The neighbour.
    pub rank: u32,
    /// What goes to it, in units of the graph.
    pub out: i64,
    /// What comes from it.
    pub back: i64,
}

/// Neighbours of each rank, ascending.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The row of the first neighbour of each rank, and one after the last. Shape `[ranks + 1]`.
    first: Vec<usize>,
    all: Vec<Neighbour>,
    /// All that goes out of each rank. Shape `[ranks]`.
    out: Vec<i64>,
}

impl Graph {
    /// The graph of some patterns of one app.
    ///
    /// # Errors
    /// `job-too-large` beyond [`GRAPH_EDGES_MAX`] edges; `bad-pattern` for a matrix.
    ///
    /// Cost and memory: the edges, sorted.
    pub fn of(
        parts: &[Part],
        apps: &[AppRanks],
        procs: u32,
        matrices: &dyn Matrices,
    ) -> Result<Self, ScoreError> {
        let mut edges: Vec<(u32, u32, Weight)> = Vec::new();
        for part in parts {
            let mut found = 0_u64;
            let mut add = |from: u32, to: u32, weight: Weight| {
                found += 1;
                if found <= GRAPH_EDGES_MAX {
                    edges.push((from, to, weight));
                }
            };
            if let Pattern::File(name) = &part.pattern {
                let matrix = open(part, name, apps, matrices)?;
                matrix.each(&mut |entry| add(entry.from, entry.to, entry.weight))?;
            } else {
                named(part, apps, &mut |a, b| add(a, b, Weight::ONE));
            }
            if edges.len() as u64 > GRAPH_EDGES_MAX || found > GRAPH_EDGES_MAX {
                return Err(ScoreError::TooLarge {
                    what: "edges that are looked at one by one",
                    found,
                    limit: GRAPH_EDGES_MAX,
                });
            }
        }
        Ok(Self::from_edges(procs, edges))
    }

    fn from_edges(procs: u32, mut edges: Vec<(u32, u32, Weight)>) -> Self {
        let total: Weight = edges.iter().map(|edge| edge.2).sum();
        let units = |weight: Weight| weight.in_units_of(total);
        edges.sort_unstable_by_key(|edge| (edge.0, edge.1));
        let mut all: Vec<(u32, Neighbour)> = Vec::with_capacity(2 * edges.len());
        for (from, to, weight) in edges {
            let weight = units(weight);
            let way = |rank, out, back| Neighbour { rank, out, back };
            all.push((from, way(to, weight, 0)));
            all.push((to, way(from, 0, weight)));
        }
        all.sort_unstable_by_key(|(rank, neighbour)| (*rank, neighbour.rank));
        let mut graph = Self {
            first: vec![0; procs as usize + 1],
            all: Vec::with_capacity(all.len()),
            out: vec![0; procs as usize],
        };
        let mut last = None;
        for (rank, neighbour) in all {
            graph.out[rank as usize] += neighbour.out;
            match graph.all.last_mut() {
                Some(known) if last == Some((rank, neighbour.rank)) => {
                    known.out += neighbour.out;
                    known.back += neighbour.back;
                }
                _ => {
                    graph.all.push(neighbour);
                    graph.first[rank as usize + 1] += 1;
                }
            }
            last = Some((rank, neighbour.rank));
        }
        for rank in 0..procs as usize {
            graph.first[rank + 1] += graph.first[rank];
        }
        graph
    }

    /// Ranks.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.out.len()).expect("ranks are below 2^32")
    }

    /// The neighbours of a rank.
    #[must_use]
    pub fn neighbours(&self, rank: u32) -> &[Neighbour] {
        &self.all[self.first[rank as usize]..self.first[rank as usize + 1]]
    }

    /// All that goes out of a rank.
    #[must_use]
    pub fn out(&self, rank: u32) -> i64 {
        self.out[rank as usize]
    }

    /// What leaves each node. `node`: the node of each rank.
    #[must_use]
    pub fn leaving(&self, node: &[u32], nodes: u32) -> Vec<i64> {
        let mut leaving = vec![0; nodes as usize];
        for (rank, &own) in (0..).zip(node) {
            let others = self
                .neighbours(rank)
                .iter()
                .filter(|other| node[other.rank as usize] != own);
            leaving[own as usize] += others.map(|other| other.out).sum::<i64>();
        }
        leaving
    }
}

/// Shows the edges of a named pattern of one app, both directions.
fn named(part: &Part, apps: &[AppRanks], add: &mut impl FnMut(u32, u32)) {
    let first = apps[part.app as usize].start;
    let number = |rank: usize| u32::try_from(rank - first).expect("ranks are below 2^32");
    let mut both = |a: usize, b: usize| {
        add(number(a), number(b));
        add(number(b), number(a));
    };
    let ranks = |group: Group| (0..group.count).map(move |at| group.first + at * group.step);
    talks::each(part, apps, &mut |talk| match talk {
        Talk::Row(from, to, count) => (0..count).for_each(|step| both(from + step, to + step)),
        Talk::Edge(a, b) => both(a, b),
        Talk::Group(group) => {
            for a in ranks(group) {
                ranks(group).filter(|&b| b > a).for_each(|b| both(a, b));
            }
        }
        Talk::Sides(one, other) => {
            for a in ranks(one) {
                ranks(other).for_each(|b| both(a, b));
            }
        }
    });
}
