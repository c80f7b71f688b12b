//! Which node each rank is on: stretches of ranks on one node, in rank order. Source: `lines/hydra/spec.md` 4.

use stowplan_engine::plan::{ListedRun, RankOrder};

/// Neighbouring ranks on one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub(crate) node: u32,
    pub(crate) ranks: u32,
}

/// Where the ranks of one program are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Placed {
    /// Nodes in the order of the program's first rank there, and how many of its ranks each has.
    pub(crate) nodes: Vec<Stretch>,
    /// The order of its ranks over these nodes.
    pub(crate) order: RankOrder,
}

/// Nodes in order, each taking as many ranks as it has slots, again and again.
#[derive(Clone, Debug)]
pub(crate) struct Rounds<'s> {
    slots: &'s [u32],
    /// The node whose turn it is, and how many ranks it has taken in this turn.
    at: usize,
    taken: u32,
}

impl<'s> Rounds<'s> {
    /// The first round. `slots`: at least one is above 0.
    pub(crate) const fn new(slots: &'s [u32]) -> Self {
        Self {
            slots,
            at: 0,
            taken: 0,
        }
    }

    /// The next ranks of a program; the round goes on behind them.
    ///
    /// Cost: the turns of nodes; where each node has one slot, the nodes.
    pub(crate) fn deal(&mut self, ranks: u32) -> Placed {
        if self.slots.iter().all(|&slots| slots == 1) {
            return self.deal_singly(ranks);
        }
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut left = ranks;
        while left > 0 {
            let room = self.slots[self.at] - self.taken;
            let take = room.min(left);
            if take > 0 {
                let node = u32::try_from(self.at).unwrap_or(u32::MAX);
                match stretches.last_mut() {
                    // One node alone begins its round again.
                    Some(last) if last.node == node => last.ranks += take,
                    Some(_) | None => stretches.push(Stretch { node, ranks: take }),
                }
            }
            left -= take;
            self.taken += take;
            if self.taken == self.slots[self.at] {
                self.at = (self.at + 1) % self.slots.len();
                self.taken = 0;
            }
        }
        placed(&stretches)
    }

    /// Every node has one slot: rounds of all nodes.
    fn deal_singly(&mut self, ranks: u32) -> Placed {
        let all = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(self.at).unwrap_or(0);
        let (rounds, rest) = (ranks / all, ranks % all);
        let nodes = (0..all.min(ranks)).map(|at| Stretch {
            node: (first + at) % all,
            ranks: rounds + u32::from(at < rest),
        });
        self.at = ((first + rest) % all) as usize;
        Placed {
            nodes: nodes.collect(),
            order: RankOrder::Node,
        }
    }
}

/// The ranks of a program from its stretches.
pub(crate) fn placed(stretches: &[Stretch]) -> Placed {
    let most = stretches.iter().map(|own| own.node as usize + 1).max();
    // How many ranks each node has so far, and its place among the nodes.
    let mut known: Vec<Option<usize>> = vec![None; most.unwrap_or(0)];
    let mut nodes: Vec<Stretch> = Vec::new();
    let mut listed: Vec<ListedRun> = Vec::new();
    let mut rank = 0;
    for own in stretches {
        let row = *known[own.node as usize].get_or_insert_with(|| {
            nodes.push(Stretch {
                node: own.node,
                ranks: 0,
            });
            nodes.len() - 1
        });
        let local = nodes[row].ranks;
        nodes[row].ranks += own.ranks;
        listed.push(ListedRun {
            rank,
            node: own.node,
            local,
        });
        rank += own.ranks;
    }
    let order = if listed.len() == nodes.len() {
        RankOrder::Slot
    } else {
        RankOrder::Listed(listed)
    };
    Placed { nodes, order }
}
