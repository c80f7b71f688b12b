//! The task map of a plan: its runs and bands as blocks, without expanding a rank. Source: RFC 34, taskmap 4.5.

use super::order::{Band, Order, RankOrder};
use super::{AppPlan, Plan};
use crate::taskmap::{Block, Limits, TaskMap, TaskMapError};

/// Neighbouring nodes that take equally many ranks in a row.
#[derive(Clone, Copy)]
struct Row {
    first: u32,
    nodes: u32,
    ppn: u32,
}

impl Row {
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
    /// Cost: placed runs; by node and span, runs per band, times its rounds where they are no single stretch of equal
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
            Order::Slot | Order::Fill { .. } => {
                let runs = self.placed.runs.iter();
                Box::new(runs.map(|run| Block {
                    first: run.nodes.first,
                    nodes: run.nodes.count,
                    ppn: run.procs,
                    repeat: 1,
                }))
            }
            Order::Node { bands } => Box::new(self.rounds(bands, |_, _| 1)),
            Order::Span {
                bands,
                profiles,
                of_run,
            } => Box::new(self.rounds(bands, |run, round| {
                let counts = &profiles.rows[of_run[run as usize] as usize].counts;
                super::profile::row(counts.iter().filter(|&&(_, count)| count > round).count())
            })),
            Order::Listed { .. } => Box::new(self.listed()),
        }
    }

    /// `ppn(run, round)`: how many ranks a node of the run has in a row in this round, the same in all rounds of a band.
    fn rounds<'a>(
        &'a self,
        bands: &'a [Band],
        ppn: impl Fn(u32, u32) -> u32 + 'a,
    ) -> impl Iterator<Item = Block> + 'a {
        bands.iter().enumerate().flat_map(move |(at, band)| {
            let end = bands.get(at + 1).map_or(self.procs.0, |next| next.rank);
            let rounds = (end - band.rank) / band.width;
            let mut rows: Vec<Row> = Vec::new();
            for &(_, run) in &band.runs {
                let nodes = self.placed.runs[run as usize].nodes;
                let ppn = ppn(run, band.round);
                match rows.last_mut() {
                    Some(last) if last.first + last.nodes == nodes.first && last.ppn == ppn => {
                        last.nodes += nodes.count;
                    }
                    Some(_) | None => rows.push(Row {
                        first: nodes.first,
                        nodes: nodes.count,
                        ppn,
                    }),
                }
            }
            let (turns, repeat) = if rows.len() == 1 {
                (1, rounds)
            } else {
                (rounds, 1)
            };
            (0..turns).flat_map(move |_| rows.clone().into_iter().map(move |row| row.block(repeat)))
        })
    }

    fn listed(&self) -> impl Iterator<Item = Block> + '_ {
        let RankOrder::Listed(listed) = &self.placed.order else {
            unreachable!("made from a listed order")
        };
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
