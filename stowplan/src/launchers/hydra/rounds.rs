//! Which node each rank is on: stretches of ranks on one node, in rank order. Source: `lines/hydra/spec.md` 4.

use crate::launchers::line::LineRefused;
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

/// A node's turn in a round: as many ranks as it has slots there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) node: u32,
    pub(crate) slots: u32,
}

impl Turn {
    /// The turn of a node with its slots.
    pub(crate) fn of((node, &slots): (u32, &u32)) -> Self {
        Self { node, slots }
    }
}

/// The most turns of nodes that the ranks of a program may take where nodes have several slots.
const TURNS_MAX: usize = 1 << 24;

/// Nodes in order, each taking as many ranks as it has slots, again and again.
#[derive(Clone, Debug)]
pub(crate) struct Rounds<'s> {
    turns: &'s [Turn],
    /// Whether every node has one turn, of one rank.
    singly: bool,
    /// Whether all turns are of one node.
    alone: bool,
    /// Whose turn it is, and how many ranks it has taken in this turn.
    at: usize,
    taken: u32,
}

impl<'s> Rounds<'s> {
    /// The first round. `turns`: at least one has a slot.
    pub(crate) fn new(turns: &'s [Turn]) -> Self {
        let in_order = (0..).zip(turns);
        let singly = |(node, turn): (u32, &Turn)| (turn.node, turn.slots) == (node, 1);
        Self {
            turns,
            singly: in_order.into_iter().all(singly),
            alone: turns.iter().all(|turn| turn.node == turns[0].node),
            at: 0,
            taken: 0,
        }
    }

    /// The next ranks of a program; the round goes on behind them.
    ///
    /// # Errors
    /// `job-too-large` when nodes of several slots would take their turns too often.
    ///
    /// Cost: the turns of nodes; where each node has one slot, the nodes.
    pub(crate) fn deal(&mut self, ranks: u32) -> Result<Placed, LineRefused> {
        if self.singly {
            return Ok(self.deal_singly(ranks));
        }
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut left = ranks;
        while left > 0 {
            let turn = self.turns[self.at];
            let take = if self.alone {
                left
            } else {
                left.min(turn.slots - self.taken)
            };
            match stretches.last_mut() {
                Some(last) if last.node == turn.node => last.ranks += take,
                Some(_) | None if take > 0 => stretches.push(Stretch {
                    node: turn.node,
                    ranks: take,
                }),
                Some(_) | None => {}
            }
            if stretches.len() > TURNS_MAX {
                return Err(LineRefused::new(
                    "job-too-large",
                    format!(
                        "{ranks} ranks on nodes of several slots take more than the {TURNS_MAX} turns that are told apart"
                    ),
                ));
            }
            left -= take;
            self.taken += take;
            if self.taken >= turn.slots {
                self.at = (self.at + 1) % self.turns.len();
                self.taken = 0;
            }
        }
        Ok(Lister::default().placed(&stretches))
    }

    /// Every node has one slot: rounds of all nodes.
    fn deal_singly(&mut self, ranks: u32) -> Placed {
        let all = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
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

/// Lists the ranks of programs, one after the other.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lister {
    /// The place of each node among those of the program; `None`: it has no ranks there so far.
    known: Vec<Option<usize>>,
}

impl Lister {
    /// The ranks of a program from its stretches.
    ///
    /// Cost: the stretches; once, the nodes.
    pub(crate) fn placed(&mut self, stretches: &[Stretch]) -> Placed {
        let most = stretches.iter().map(|own| own.node as usize + 1).max();
        let most = most.unwrap_or(0).max(self.known.len());
        self.known.resize(most, None);
        let mut nodes: Vec<Stretch> = Vec::new();
        let mut listed: Vec<ListedRun> = Vec::new();
        let mut rank = 0;
        for own in stretches {
            let row = *self.known[own.node as usize].get_or_insert_with(|| {
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
        for own in &nodes {
            self.known[own.node as usize] = None;
        }
        let order = if listed.len() == nodes.len() {
            RankOrder::Slot
        } else {
            RankOrder::Listed(listed)
        };
        Placed { nodes, order }
    }
}
