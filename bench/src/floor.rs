//! The least that a table of distinct nodes by node can take: what nodes get is read node by node, eight bytes a rank, and twenty
//! bytes a rank are written round by round. Nothing is decided: a node's ranks follow from its row and the round.
//!
//! It is the engine's own way stripped of everything else, so it bounds that way, not every one that can be thought of.

/// Rounds and nodes that are transposed at once.
const ROUNDS: usize = 64;
const NODES: usize = 256;

/// Columns of a table: node, two ranks, object, cpus.
const COLUMNS: usize = 5;

/// What nodes get in a round, and which nodes, where that is not all of them. An odd number of cache lines, so that rounds do not
/// meet in the same sets of a near cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Round {
    object: [u32; NODES],
    cpus: [u32; NODES],
    nodes: [u8; NODES],
    len: usize,
}

const _: () = assert!(size_of::<Round>() / 64 % 2 == 1);

impl Round {
    const EMPTY: Self = Self {
        object: [0; NODES],
        cpus: [0; NODES],
        nodes: [0; NODES],
        len: 0,
    };

    #[inline]
    const fn put(&mut self, at: usize, [object, cpus]: [u32; 2]) {
        self.object[at] = object | 1 << 28;
        self.cpus[at] = cpus;
    }
}

/// A job whose nodes all differ in what their processes get.
#[derive(Clone, Debug)]
pub struct Floor {
    /// Processes of each node, and the first of its places. Shape `[nodes]`.
    counts: Vec<usize>,
    starts: Vec<usize>,
    /// Whether all counts are equal.
    equal: bool,
    /// Node by node: object and cpus. Shape `[ranks]`.
    places: Vec<[u32; 2]>,
    /// Rows of the table. Shape of each: `[ranks]`.
    columns: [Vec<u32>; COLUMNS],
    /// The first row of each round, in order.
    firsts: Vec<usize>,
    rounds: Vec<Round>,
}

impl Floor {
    /// A job of so many nodes and processes on each.
    #[must_use]
    pub fn equal(nodes: usize, procs: usize) -> Self {
        Self::new(vec![procs; nodes])
    }

    /// A job of so many nodes, with 1 to `most` processes each, scattered.
    #[must_use]
    pub fn unequal(nodes: usize, most: usize) -> Self {
        let mut state = 1_u32;
        let count = |_| {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (state >> 16) as usize % most.max(1) + 1
        };
        Self::new((0..nodes).map(count).collect())
    }

    fn new(counts: Vec<usize>) -> Self {
        let sum = |sum: &mut usize, count: &usize| {
            let before = *sum;
            *sum += count;
            Some(before)
        };
        let starts: Vec<usize> = counts.iter().scan(0, sum).collect();
        let ranks = counts.iter().sum();
        let most = counts.iter().copied().max().unwrap_or(0);
        let widths = (0..most).map(|round| counts.iter().filter(|&&count| count > round).count());
        let widths: Vec<usize> = widths.collect();
        Self {
            equal: counts.iter().all(|&count| count == most),
            counts,
            starts,
            places: (0..).take(ranks).map(|at: u32| [at % 8, at]).collect(),
            columns: std::array::from_fn(|_| vec![1; ranks]),
            firsts: widths.iter().scan(0, sum).collect(),
            rounds: vec![Round::EMPTY; ROUNDS],
        }
    }

    /// Bytes of the table.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.places.len() * COLUMNS * size_of::<u32>()
    }

    /// Writes the table.
    pub fn write(&mut self) {
        for begin in (0..self.firsts.len()).step_by(ROUNDS) {
            let mut rows = self.firsts[begin..].to_vec();
            rows.truncate(ROUNDS);
            for first in (0..self.counts.len()).step_by(NODES) {
                let nodes = NODES.min(self.counts.len() - first);
                self.read(first, nodes, begin);
                for (round, row) in rows.iter_mut().enumerate() {
                    *row += self.round((begin + round, round), *row, (first, nodes));
                }
            }
        }
    }

    /// Reads what nodes get in some rounds.
    fn read(&mut self, first: usize, nodes: usize, begin: usize) {
        for round in &mut self.rounds {
            round.len = 0;
        }
        for (node, at) in (0..nodes).zip(0..=u8::MAX) {
            let count = self.counts[first + node];
            let own = self.starts[first + node];
            let places = &self.places[own + begin.min(count)..own + count];
            for (round, &place) in self.rounds.iter_mut().zip(places) {
                if self.equal {
                    round.put(node, place);
                } else {
                    let row = round.len % NODES;
                    round.len = row + 1;
                    round.nodes[row] = at;
                    round.put(row, place);
                }
            }
        }
    }

    /// Writes one round of some nodes, from a row on; how many rows.
    fn round(
        &mut self,
        (local, at): (usize, usize),
        row: usize,
        (first, nodes): (usize, usize),
    ) -> usize {
        let round = &self.rounds[at];
        let count = if self.equal { nodes } else { round.len };
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (local, first) = (number(local), number(first));
        let [node, local_rank, node_rank, object, cpus] = self
            .columns
            .each_mut()
            .map(|column| &mut column[row..row + count]);
        if self.equal {
            for (node, row) in node.iter_mut().zip(first..) {
                *node = row;
            }
        } else {
            for (node, &at) in node.iter_mut().zip(&round.nodes) {
                *node = first + u32::from(at);
            }
        }
        local_rank.fill(local);
        node_rank.fill(local + 1);
        object.copy_from_slice(&round.object[..count]);
        cpus.copy_from_slice(&round.cpus[..count]);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_written_once_in_order() {
        for mut floor in [Floor::equal(300, 70), Floor::unequal(300, 70)] {
            floor.write();
            let mut rows = floor.columns[4].clone();
            rows.sort_unstable();
            assert!(rows.iter().copied().eq((0..).take(rows.len())));
            let [node, local_rank, ..] = &floor.columns;
            let order = local_rank.iter().zip(node);
            assert!(order.is_sorted(), "round by round, then node by node");
        }
    }
}
