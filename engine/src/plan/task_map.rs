//! The task map of a plan: its runs and phases as blocks, without expanding a rank. Source: RFC 34, taskmap "How the fewest blocks are found".

use super::Plan;
use super::app::AppPlan;
use super::placed::{PlacedRun, row};
use super::rank::ranges::{Phase, RankRange};
use crate::taskmap::{Block, Limits, TaskMap, TaskMapError};

/// Neighbouring nodes that each take the same number of consecutive ranks.
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
    /// `taskmap-range`: more ranks, or a higher node number, than a task map can hold. `taskmap-too-large`: more blocks than
    /// `limits` allow, for example if thousands of millions of rounds skip a node.
    ///
    /// Cost: the placed runs. For rank by node and span: the runs of each phase, times its rounds unless these runs are a
    /// single stretch of equal nodes.
    ///
    /// ```
    /// use stowplan_engine::{plan::Plan, taskmap::Limits};
    /// assert!(Plan::default().task_map(Limits::default()).unwrap().is_unknown(), "there are no tasks");
    /// ```
    pub fn task_map(&self, limits: Limits) -> Result<TaskMap, TaskMapError> {
        TaskMap::from_blocks_within(self.apps.iter().flat_map(|app| self.blocks(app)), limits)
    }

    /// The blocks of an app, in rank order.
    fn blocks<'p>(&'p self, app: &'p AppPlan) -> impl Iterator<Item = Block> + 'p {
        // The runs that take part in the current phase.
        let mut live: Vec<u32> = (0..row(app.placed.runs.len())).collect();
        self.ranges.of_app(app).iter().flat_map(move |range| {
            let blocks: Box<dyn Iterator<Item = Block>> = match range {
                &RankRange::Run { run, .. } => Box::new(std::iter::once(block_of_run(
                    &app.placed.runs[run as usize],
                ))),
                RankRange::Phase(phase) => Box::new(rounds(app, phase, &mut live)),
                RankRange::Listed { .. } => Box::new(listed_blocks(app)),
            };
            blocks
        })
    }
}

const fn block_of_run(run: &PlacedRun) -> Block {
    Block {
        first: run.nodes.first,
        nodes: run.nodes.count,
        ppn: run.procs,
        repeat: 1,
    }
}

/// The blocks of a phase, round by round. `live`: the runs that took part in the phase before; left with those of this phase.
fn rounds(
    app: &AppPlan,
    phase: &Phase,
    live: &mut Vec<u32>,
) -> impl Iterator<Item = Block> + use<> {
    let mut rows: Vec<EvenNodes> = Vec::new();
    live.retain(|&run| {
        let nodes = app.placed.runs[run as usize].nodes;
        let ppn = app.in_round(run, phase.round).count;
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
    let (rounds, repeat) = if rows.len() == 1 {
        (1, phase.rounds)
    } else {
        (phase.rounds, 1)
    };
    (0..rounds).flat_map(move |_| rows.clone().into_iter().map(move |row| row.block(repeat)))
}

fn listed_blocks(app: &AppPlan) -> impl Iterator<Item = Block> + '_ {
    let listed = app.listed();
    listed.iter().enumerate().map(|(at, entry)| {
        let end = listed.get(at + 1).map_or(app.procs.0, |next| next.rank);
        Block {
            first: entry.node,
            nodes: 1,
            ppn: end - entry.rank,
            repeat: 1,
        }
    })
}
