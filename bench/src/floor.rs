//! The least that a table of distinct nodes by node can take: what nodes get is read node by node, eight bytes a rank, and twenty
//! bytes a rank are written round by round. Nothing is decided: every node has the same number of processes, its ranks follow
//! from two numbers.
//!
//! It is the engine's own way stripped of everything else, so it bounds that way, not every one that can be thought of.

/// Rounds and nodes that are transposed at once.
const ROUNDS: usize = 64;
const NODES: usize = 256;

/// Columns of a table.
const COLUMNS: usize = 5;

/// A job whose nodes all differ in what their processes get.
#[derive(Clone, Debug)]
pub struct Floor {
    nodes: usize,
    procs: usize,
    /// Node by node: object and cpus. Shape `[nodes * procs]`.
    places: Vec<[u32; 2]>,
    /// Rows of the table. Shape of each: `[nodes * procs]`.
    columns: [Vec<u32>; COLUMNS],
    /// By round: what the nodes at hand get.
    rounds: Vec<[[u32; 2]; NODES]>,
    rows: [[u32; NODES]; COLUMNS],
}

impl Floor {
    /// A job of so many nodes and processes on each.
    #[must_use]
    pub fn new(nodes: usize, procs: usize) -> Self {
        let ranks = nodes * procs;
        Self {
            nodes,
            procs,
            places: (0..).take(ranks).map(|at: u32| [at % 8, at]).collect(),
            columns: std::array::from_fn(|_| vec![1; ranks]),
            rounds: vec![[[0; 2]; NODES]; ROUNDS],
            rows: [[0; NODES]; COLUMNS],
        }
    }

    /// Bytes of the table.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.nodes * self.procs * COLUMNS * size_of::<u32>()
    }

    /// Writes the table.
    pub fn write(&mut self) {
        for begin in (0..self.procs).step_by(ROUNDS) {
            let rounds = ROUNDS.min(self.procs - begin);
            for first in (0..self.nodes).step_by(NODES) {
                let nodes = NODES.min(self.nodes - first);
                for node in 0..nodes {
                    let own = &self.places[(first + node) * self.procs + begin..][..rounds];
                    for (round, &place) in self.rounds.iter_mut().zip(own) {
                        round[node] = place;
                    }
                }
                for round in 0..rounds {
                    self.round(begin + round, round, first..first + nodes);
                }
            }
        }
    }

    /// Writes one round of some nodes.
    fn round(&mut self, local: usize, at: usize, nodes: std::ops::Range<usize>) {
        let [node, local_rank, node_rank, object, cpus] = &mut self.rows;
        let local = u32::try_from(local).unwrap_or(u32::MAX);
        for (node, row) in node.iter_mut().zip((0..).skip(nodes.start)) {
            *node = row;
        }
        local_rank.fill(local);
        node_rank.fill(local.wrapping_add(1));
        let places = object.iter_mut().zip(cpus).zip(&self.rounds[at]);
        for ((object, cpus), place) in places {
            *object = place[0] | 1 << 28;
            *cpus = place[1];
        }
        let start = local as usize * self.nodes + nodes.start;
        for (column, row) in self.columns.iter_mut().zip(&self.rows) {
            column[start..start + nodes.len()].copy_from_slice(&row[..nodes.len()]);
        }
    }
}
