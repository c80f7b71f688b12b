//! Local search: ranks of two nodes change places as long as less traffic leaves and no node gets worse than it may.

use super::graph::Graph;
use std::collections::BinaryHeap;

/// Which rank each place has, and what follows from it.
#[derive(Clone, Debug)]
pub struct Search<'g> {
    graph: &'g Graph,
    /// How many places are before each node, and how many there are in all. Shape `[nodes + 1]`.
    before: &'g [u32],
    /// The rank of each place.
    ranks: Vec<u32>,
    /// The place of each rank.
    place: Vec<u32>,
    /// The node of each rank.
    node: Vec<u32>,
    /// What leaves each node.
    leaving: Vec<i64>,
}

/// What changes when two ranks change places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Change {
    /// Change of all that leaves.
    leave: i64,
    /// Change of the squares of both nodes' sums. It decides if all that leaves stays the same.
    square: i128,
    /// The rank that comes.
    other: u32,
    /// What changes for the one node, and for the other.
    here: i64,
    there: i64,
}

impl<'g> Search<'g> {
    /// Starts from an order. `before`: how many places are before each node, and how many there are in all.
    #[must_use]
    pub fn from(graph: &'g Graph, before: &'g [u32], ranks: Vec<u32>) -> Self {
        let mut place = vec![0; ranks.len()];
        let mut node = vec![0; ranks.len()];
        let nodes = before.len() - 1;
        for (number, own) in (0..).zip(before.windows(2)) {
            for at in own[0]..own[1] {
                place[ranks[at as usize] as usize] = at;
                node[ranks[at as usize] as usize] = number;
            }
        }
        let count = u32::try_from(nodes).expect("no more nodes than ranks");
        Self {
            leaving: graph.leaving(&node, count),
            graph,
            before,
            ranks,
            place,
            node,
        }
    }

    /// All that leaves, and the most of one node.
    #[must_use]
    pub fn figures(&self) -> (i64, i64) {
        let worst = self.leaving.iter().max().copied().unwrap_or(0);
        (self.leaving.iter().sum(), worst)
    }

    /// Exchanges ranks as long as that is better, until it has looked at a neighbour `steps` times. No exchange lifts a node
    /// above `worst`. The ranks of each node ascend in the result.
    #[must_use]
    pub fn improve(mut self, worst: i64, steps: u64) -> Vec<u32> {
        let mut left = steps;
        let mut better = true;
        while better && left > 0 {
            better = false;
            for rank in 0..self.graph.ranks() {
                let (change, looked) = self.best(rank, worst);
                left = left.saturating_sub(looked);
                if let Some(change) = change {
                    self.exchange(rank, change);
                    better = true;
                }
                if left == 0 {
                    break;
                }
            }
        }
        for own in self.before.windows(2) {
            self.ranks[own[0] as usize..own[1] as usize].sort_unstable();
        }
        self.ranks
    }

    /// The best exchange of a rank with one on a node that it talks to, and how many steps the look took.
    fn best(&self, rank: u32, worst: i64) -> (Option<Change>, u64) {
        let here = self.node[rank as usize];
        let mut nodes: Vec<u32> = self
            .graph
            .neighbours(rank)
            .iter()
            .map(|other| self.node[other.rank as usize])
            .filter(|&node| node != here)
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut looked = self.graph.neighbours(rank).len() as u64 + 1;
        let mut best: Option<Change> = None;
        for there in nodes {
            let places = self.before[there as usize]..self.before[there as usize + 1];
            for place in places {
                let other = self.ranks[place as usize];
                looked += self.graph.neighbours(other).len() as u64 + 1;
                let change = self.change(rank, other);
                let fine = |node: u32, change: i64| {
                    let after = self.leaving[node as usize] + change;
                    after <= worst || change <= 0
                };
                let gains = change.leave < 0 || (change.leave == 0 && change.square < 0);
                if gains
                    && fine(here, change.here)
                    && fine(there, change.there)
                    && best.is_none_or(|best| change < best)
                {
                    best = Some(change);
                }
            }
        }
        (best, looked)
    }

    /// What changes when two ranks of different nodes change places.
    fn change(&self, a: u32, b: u32) -> Change {
        let (here, there) = (self.node[a as usize], self.node[b as usize]);
        let mut change = Change {
            leave: 0,
            square: 0,
            other: b,
            here: self.graph.out(b) - self.graph.out(a),
            there: self.graph.out(a) - self.graph.out(b),
        };
        for other in self.graph.neighbours(a) {
            let both = other.out + other.back;
            let node = self.node[other.rank as usize];
            if other.rank == b {
                // Edges between the two leave as before. Below, each node loses them once, so they are added here.
                change.here += both;
                change.there += both;
            }
            if node == here {
                change.here += both;
            } else if node == there {
                change.there -= both;
            }
        }
        for other in self.graph.neighbours(b) {
            let both = other.out + other.back;
            let node = self.node[other.rank as usize];
            if node == there {
                change.there += both;
            } else if node == here {
                change.here -= both;
            }
        }
        change.leave = change.here + change.there;
        let square = |node: u32, change: i64| {
            let before = i128::from(self.leaving[node as usize]);
            let after = before + i128::from(change);
            after * after - before * before
        };
        change.square = square(here, change.here) + square(there, change.there);
        change
    }

    fn exchange(&mut self, a: u32, change: Change) {
        let b = change.other;
        let (here, there) = (self.node[a as usize], self.node[b as usize]);
        self.leaving[here as usize] += change.here;
        self.leaving[there as usize] += change.there;
        self.node.swap(a as usize, b as usize);
        self.place.swap(a as usize, b as usize);
        self.ranks[self.place[a as usize] as usize] = a;
        self.ranks[self.place[b as usize] as usize] = b;
    }
}

/// An order that fills node after node with the ranks that talk most to the ranks already on the node.
///
/// Cost: the edges, each once or twice through a heap.
#[must_use]
pub fn grown(graph: &Graph, before: &[u32]) -> Vec<u32> {
    let count = graph.ranks();
    let mut order = Vec::with_capacity(count as usize);
    let mut placed = vec![false; count as usize];
    // How much each rank talks to the node at hand.
    let mut pull = vec![0_i64; count as usize];
    let mut next = 0;
    for own in before.windows(2) {
        let mut near: BinaryHeap<(i64, std::cmp::Reverse<u32>)> = BinaryHeap::new();
        let mut touched = Vec::new();
        for _ in own[0]..own[1] {
            let pulled = loop {
                match near.pop() {
                    Some((weight, std::cmp::Reverse(rank))) => {
                        if !placed[rank as usize] && pull[rank as usize] == weight {
                            break Some(rank);
                        }
                    }
                    None => break None,
                }
            };
            let rank = pulled.unwrap_or_else(|| {
                while placed[next as usize] {
                    next += 1;
                }
                next
            });
            placed[rank as usize] = true;
            order.push(rank);
            for other in graph.neighbours(rank) {
                let at = other.rank as usize;
                if !placed[at] {
                    pull[at] += other.out + other.back;
                    touched.push(other.rank);
                    near.push((pull[at], std::cmp::Reverse(other.rank)));
                }
            }
        }
        for rank in touched {
            pull[rank as usize] = 0;
        }
    }
    order
}
