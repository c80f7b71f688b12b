//! Ranks in order, as blocks: nodes behind each other, each with the same processes in the same order.

use super::Plan;
use super::placed::row;
use super::rank::profile::NodeTurns;
use super::rows::PlanBlocks;
use crate::id::Id as _;
use crate::table::apps::AppId;

/// Processes of a node of very many that are shown at once.
const AT_ONCE: u32 = 1 << 14;

/// Neighbouring ranks of an app: the same processes of each of some neighbouring nodes.
#[derive(Clone, Copy, Debug)]
pub struct RankBlock<'b> {
    /// The app.
    pub app: AppId,
    /// Row of the app's runs.
    pub run: u32,
    /// The first node, by its place in the run.
    pub first: u32,
    /// How many nodes.
    pub nodes: u32,
    /// Which processes of each node.
    pub locals: BlockLocals<'b>,
}

/// Processes of a node by their number among those of their run on it.
#[derive(Clone, Copy, Debug)]
pub enum BlockLocals<'b> {
    /// Neighbouring ones.
    From {
        /// The first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// These.
    Listed(&'b [u32]),
}

impl BlockLocals<'_> {
    /// How many.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Self::From { count, .. } => *count,
            Self::Listed(locals) => row(locals.len()),
        }
    }
}

impl Plan {
    /// Shows all ranks in order, block by block.
    ///
    /// Cost: the blocks; with ranks by node and span those of each round. Memory: as for [`Plan::rows`].
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// Plan::default().each_block(|_| panic!("an empty plan has no ranks"));
    /// ```
    pub fn each_block(&self, mut visit: impl FnMut(RankBlock<'_>)) {
        let mut scratch = Vec::new();
        for block in PlanBlocks::new(self, 0) {
            let mut rows = block.rows.clone();
            while !rows.is_empty() {
                let (first, turn) = (rows.start / block.count, rows.start % block.count);
                let left = rows.end - rows.start;
                let is_asked = matches!(block.turns, NodeTurns::Asked { .. });
                let most = if is_asked { AT_ONCE } else { u32::MAX };
                let whole = turn == 0 && left >= block.count && block.count <= most;
                let (nodes, turns) = if whole {
                    (left / block.count, 0..block.count)
                } else {
                    let count = left.min(block.count - turn).min(most);
                    (1, turn..turn + count)
                };
                rows.start += nodes * (turns.end - turns.start);
                let locals = match block.turns.some(turns, &mut scratch) {
                    NodeTurns::From(first, count) => BlockLocals::From { first, count },
                    NodeTurns::Listed(locals) => BlockLocals::Listed(locals),
                    NodeTurns::Asked { .. } => unreachable!("some turns are always told"),
                };
                visit(RankBlock {
                    app: AppId::from_row(block.app as usize),
                    run: block.run,
                    first,
                    nodes,
                    locals,
                });
            }
        }
    }
}
