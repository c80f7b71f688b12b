//! Flux's encoding of a map, built piece by piece in task order.
//!
//! Flux appends one run after another and looks only at the last block (taskmap "The one encoding of a map"). The appender gets the same
//! result from stretches of equal runs, in O(1) per stretch. A stretch extends the last block until that equals the block before it. Then the
//! two become one, and the rest of the stretch starts a new block. The repeats of a block beyond the first two are only added up.

use super::blocks::{Block, Blocks, JobNode};
use super::error::{Field, MapPlace, TaskMapError};
use super::forms::Limits;
use super::map::TaskMap;
use crate::count::ProcCount;
use crate::limit::TASKMAP_TASKS_MAX;

/// Takes the pieces of a map in task order and makes the map. Cost: O(1) per piece, and 20 bytes per block of Flux's
/// encoding.
#[derive(Debug, Default)]
pub struct Appender {
    blocks: Vec<Block>,
    /// The last run, on one node: the next piece may add to it. None of it is in a block yet.
    run: Option<Block>,
    tasks: u32,
    nodes: u32,
}

impl Appender {
    /// Starts with no tasks at all, which is the unknown map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the tasks of a block: `repeat` times, for each of `nodes` nodes from `first` on, `ppn` tasks.
    ///
    /// # Errors
    /// `taskmap-value` when a number is too small, `taskmap-range` when one, the last node or the sum of all tasks is
    /// too large. The error names `at`.
    ///
    /// Cost: O(1). Source: taskmap "The one encoding of a map" and "How the fewest blocks are found".
    pub fn block(&mut self, block: Block, at: MapPlace) -> Result<(), TaskMapError> {
        self.admit(block, at)?;
        if block.nodes == 1 {
            self.extend_run(block.first, block.tasks());
        } else {
            self.copies(block);
        }
        Ok(())
    }

    /// Appends a block of several nodes. All its runs but the last are complete.
    fn copies(&mut self, block: Block) {
        let [first, nodes, ppn, repeat] = block.numbers();
        self.extend_run(first, ppn);
        self.flush_run();
        if repeat == 1 {
            self.stretch(first + 1, nodes - 2, ppn);
        } else {
            self.stretch(first + 1, nodes - 1, ppn);
            if let Some(middle) = repeat.checked_sub(3) {
                // The second copy starts a block of its own and ends as exactly this block, or adds to one.
                self.stretch(first, nodes, ppn);
                let copy = self.blocks.last_mut();
                copy.expect("the second copy of a block is a block").repeat += middle;
            }
            self.stretch(first, nodes - 1, ppn);
        }
        self.run = Some(Block::ramp(block.end() - 1, 1, ppn));
    }

    /// Appends `count` tasks on one node.
    ///
    /// # Errors
    /// As [`Appender::block`].
    ///
    /// Cost: O(1).
    #[inline]
    pub fn run(&mut self, node: u32, count: u32, at: MapPlace) -> Result<(), TaskMapError> {
        self.admit(Block::ramp(node, 1, count), at)?;
        self.extend_run(node, count);
        Ok(())
    }

    /// Tasks so far.
    #[must_use]
    pub fn tasks(&self) -> u64 {
        u64::from(self.tasks)
    }

    /// Blocks so far, without the last run.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The map of all that was appended. Cost: O(blocks).
    #[must_use]
    pub fn finish(mut self) -> TaskMap {
        self.flush_run();
        TaskMap::of_flux_blocks(Blocks(self.blocks), self.nodes)
    }

    /// Counts the block, or says what is wrong with it.
    #[inline]
    fn admit(&mut self, block: Block, at: MapPlace) -> Result<(), TaskMapError> {
        let [first, nodes, ppn, repeat] = block.numbers().map(u64::from);
        let (end, added) = (first + nodes, (nodes * ppn).saturating_mul(repeat));
        let tasks = added.saturating_add(u64::from(self.tasks));
        match (u32::try_from(end), u32::try_from(tasks)) {
            (Ok(end), Ok(tasks)) if added > 0 && end.max(tasks) <= TASKMAP_TASKS_MAX => {
                self.nodes = self.nodes.max(end);
                self.tasks = tasks;
                Ok(())
            }
            _ => Err(self.refused(block, at)),
        }
    }

    #[cold]
    fn refused(&self, block: Block, at: MapPlace) -> TaskMapError {
        let [_, nodes, ppn, repeat] = block.numbers();
        let counts = [
            (Field::Nnodes, nodes),
            (Field::Ppn, ppn),
            (Field::Repeat, repeat),
        ];
        if let Some((field, found)) = counts.into_iter().find(|&(_, count)| count == 0) {
            let found = found.to_string();
            return TaskMapError::Value { field, found, at };
        }
        let [first, nodes, ppn, repeat] = block.numbers().map(u128::from);
        let (what, found) = if first + nodes > u128::from(TASKMAP_TASKS_MAX) {
            ("nodeid + nnodes is", first + nodes)
        } else {
            let tasks = u128::from(self.tasks) + nodes * ppn * repeat;
            ("the number of tasks is", tasks)
        };
        TaskMapError::Range {
            what,
            found: found.to_string(),
            most: TASKMAP_TASKS_MAX,
            at,
        }
    }

    #[inline]
    fn extend_run(&mut self, node: u32, count: u32) {
        match self.run.as_mut() {
            Some(run) if run.first == node => run.ppn += count,
            Some(_) | None => {
                self.flush_run();
                self.run = Some(Block::ramp(node, 1, count));
            }
        }
    }

    fn flush_run(&mut self) {
        if let Some(run) = self.run.take() {
            self.stretch(run.first, 1, run.ppn);
        }
    }

    /// Appends `nodes` runs of `ppn` tasks, each on the node after the one before it.
    fn stretch(&mut self, mut first: u32, mut nodes: u32, ppn: u32) {
        while nodes > 0 {
            let goes_on = |last: &Block| last.repeat == 1 && last.end() == first && last.ppn == ppn;
            if !self.blocks.last().is_some_and(goes_on) {
                self.blocks.push(Block::ramp(first, 0, ppn));
            }
            let Some((last, before)) = self.blocks.split_last_mut() else {
                return;
            };
            let twin = before.last_mut().filter(|before| {
                (before.first, before.ppn) == (last.first, ppn) && before.nodes > last.nodes
            });
            let grow = twin
                .as_ref()
                .map_or(nodes, |twin| nodes.min(twin.nodes - last.nodes));
            last.nodes += grow;
            (first, nodes) = (first + grow, nodes - grow);
            if let Some(twin) = twin
                && twin.nodes == last.nodes
            {
                twin.repeat += 1;
                self.blocks.pop();
            }
        }
    }
}

impl TaskMap {
    /// The map of blocks in task order: the planner's phases and stretches, or any other list, in any spelling.
    ///
    /// # Errors
    /// `taskmap-value`, `taskmap-range`: see [`Appender::block`].
    ///
    /// Cost: O(blocks). Source: taskmap "How the fewest blocks are found".
    /// ```
    /// use stowplan_engine::taskmap::{Block, TaskMap};
    /// let round = |repeat| Block { first: 0, nodes: 4096, ppn: 1, repeat };
    /// assert_eq!(TaskMap::from_blocks([round(200), round(56)])?, TaskMap::from_blocks([round(256)])?);
    /// assert_eq!(TaskMap::from_blocks([round(0)]).unwrap_err().class(), "taskmap-value");
    /// # Ok::<(), stowplan_engine::taskmap::TaskMapError>(())
    /// ```
    pub fn from_blocks(blocks: impl IntoIterator<Item = Block>) -> Result<Self, TaskMapError> {
        Self::from_blocks_within(blocks, Limits::NONE)
    }

    /// The map of blocks, if Flux's encoding of it has no more blocks than `limits.items`. Rounds that skip nodes may need more blocks than
    /// memory holds, and no shorter encoding says the same (taskmap "How the fewest blocks are found").
    ///
    /// # Errors
    /// As [`TaskMap::from_blocks`]; `taskmap-too-large`, as soon as there are more.
    pub fn from_blocks_within(
        blocks: impl IntoIterator<Item = Block>,
        limits: Limits,
    ) -> Result<Self, TaskMapError> {
        let mut appender = Appender::new();
        for (at, block) in blocks.into_iter().enumerate() {
            appender.block(block, MapPlace::Block(at))?;
            limits.allow("the task map", appender.blocks() as u64, "blocks")?;
        }
        Ok(appender.finish())
    }

    /// The map of runs in task order, each a node and its number of tasks. Neighboring runs on the same node are one
    /// run.
    ///
    /// # Errors
    /// `taskmap-value`, `taskmap-range`: see [`Appender::block`].
    ///
    /// Cost: one comparison per run. Source: taskmap "The one encoding of a map".
    pub fn from_runs(
        runs: impl IntoIterator<Item = (JobNode, ProcCount)>,
    ) -> Result<Self, TaskMapError> {
        let mut appender = Appender::new();
        for (at, (node, count)) in runs.into_iter().enumerate() {
            appender.run(node.0, count.0, MapPlace::Block(at))?;
        }
        Ok(appender.finish())
    }
}
