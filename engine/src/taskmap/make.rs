//! Task maps made of blocks, of runs, of text.

use super::append::Appender;
use super::blocks::Block;
use super::error::{MapPlace, TaskMapError};
use super::forms::Limits;
use super::job_node::JobNode;
use super::map::TaskMap;
use super::parse;
use crate::count::ProcCount;

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
        let mut appender = Appender::new();
        for (at, block) in blocks.into_iter().enumerate() {
            appender.block(block, MapPlace::Block(at))?;
        }
        Ok(appender.finish())
    }

    /// The map of blocks, if Flux's encoding of it has no more blocks than `limits.items`: rounds that skip nodes may need
    /// more blocks than anybody can hold, and nothing shorter says the same (taskmap "How the fewest blocks are found").
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
            let (items, most) = (appender.blocks() as u64, limits.items);
            if items > most {
                return Err(TaskMapError::TooLarge {
                    asked: "the task map",
                    items,
                    unit: "blocks",
                    most,
                });
            }
        }
        Ok(appender.finish())
    }

    /// The map of runs in task order: so many tasks on that node. Neighbours on the same node are one run.
    ///
    /// # Errors
    /// `taskmap-value`, `taskmap-range`: see [`Appender::block`].
    ///
    /// Cost: one comparison a run. Source: taskmap "The one encoding of a map".
    pub fn from_runs(
        runs: impl IntoIterator<Item = (JobNode, ProcCount)>,
    ) -> Result<Self, TaskMapError> {
        let mut appender = Appender::new();
        for (at, (node, count)) in runs.into_iter().enumerate() {
            appender.run(node.0, count.0, MapPlace::Block(at))?;
        }
        Ok(appender.finish())
    }

    /// Reads a map of any form: JSON array or object, PMI vector, raw task ids; the first character tells which.
    ///
    /// # Errors
    /// The classes of errors "Plans, sessions, task maps, output" from `taskmap-syntax` to `taskmap-gap`, each with a byte offset or the task.
    ///
    /// Cost: time and memory by the length of the text alone. Source: taskmap "Reading".
    pub fn read(text: &[u8]) -> Result<Self, TaskMapError> {
        parse::read(text)
    }
}
