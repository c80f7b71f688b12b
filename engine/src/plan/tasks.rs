//! The task map of a plan: its runs and phases as blocks, without expanding a rank. Source: RFC 34, taskmap "How the fewest blocks are found".

use super::Plan;
use super::app::AppPlan;
use super::placed::row;
use super::rank::order::Order;
use super::rank::rounds::Rounds;
use crate::taskmap::{Block, Limits, TaskMap, TaskMapError};

/// Neighbouring nodes that take equally many ranks in a row.
#[derive(Clone, Copy)]
struct EvenNodes {
    first: u32,
    nodes: u32,
    ppn: u32,
}

impl EvenNodes {
    const fn block(self, repeat: u32) -> Block {
        Block {
            first: self.first,
            nodes: self.nodes,
            ppn: self.ppn,
            repeat,
        }
    }
}

impl Plan {
    /// On which node each rank is; nodes are numbered as in the pool.
    ///
    /// # Errors
    /// `taskmap-range`: more ranks, or a higher node, than a task map can say. `taskmap-too-large`: more blocks than
    /// `limits` allow, as where thousands of millions of rounds skip a node.
    ///
    /// Cost: placed runs; by node and span, runs per phase, times its rounds where they are no single stretch of equal
    /// nodes.
    ///
    /// ```
    /// use stowplan_engine::{plan::Plan, taskmap::Limits};
    /// assert!(Plan::default().task_map(Limits::default()).unwrap().is_unknown(), "there are no tasks");
    /// ```
    pub fn task_map(&self, limits: Limits) -> Result<TaskMap, TaskMapError> {
        TaskMap::from_blocks_within(self.apps.iter().flat_map(AppPlan::blocks), limits)
    }
}

impl AppPlan {
    /// The blocks of the app, in rank order.
    fn blocks(&self) -> Box<dyn Iterator<Item = Block> + '_> {
        match &self.order {
            Order::Slot | Order::Fill(_) => {
                let runs = self.placed.runs.iter();
                Box::new(runs.map(|run| Block {
                    first: run.nodes.first,
                    nodes: run.nodes.count,
                    ppn: run.procs,
                    repeat: 1,
                }))
            }
            Order::Node(rounds) | Order::Span(rounds, _) => Box::new(self.rounds(rounds)),
            Order::Listed { .. } => Box::new(self.listed_blocks()),
        }
    }

    fn rounds<'a>(&'a self, rounds: &'a Rounds) -> impl Iterator<Item = Block> + 'a {
        let mut live: Vec<u32> = (0..row(self.placed.runs.len())).collect();
        rounds.phases().flat_map(move |phase| {
            let rounds = phase.rounds.1 - phase.rounds.0;
            let mut rows: Vec<EvenNodes> = Vec::new();
            live.retain(|&run| {
                let nodes = self.placed.runs[run as usize].nodes;
                let ppn = self.pairs(run, phase.rounds.0);
                match rows.last_mut() {
                    _ if ppn == 0 => return false,
                    Some(last) if last.first + last.nodes == nodes.first && last.ppn == ppn => {
                        last.nodes += nodes.count;
                    }
                    Some(_) | None => rows.push(EvenNodes {
                        first: nodes.first,
                        nodes: nodes.count,
                        ppn,
                    }),
                }
                true
            });
            let (turns, repeat) = if rows.len() == 1 {
                (1, rounds)
            } else {
                (rounds, 1)
            };
            (0..turns).flat_map(move |_| rows.clone().into_iter().map(move |row| row.block(repeat)))
        })
    }

    fn listed_blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let listed = self.listed();
        listed.iter().enumerate().map(|(at, entry)| {
            let end = listed.get(at + 1).map_or(self.procs.0, |next| next.rank);
            let ppn = end - entry.rank;
            Block {
                first: entry.node,
                nodes: 1,
                ppn,
                repeat: 1,
            }
        })
    }
}
