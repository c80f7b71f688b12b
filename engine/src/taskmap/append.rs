//! Flux's encoding of a map, built piece by piece in task order.
//!
//! Flux appends one run after the other and looks at the last block only (taskmap "The one encoding of a map"). The same result comes from
//! whole stretches of equal runs in O(1) each: a stretch extends the last block until that equals the one before it,
//! the two become one, and the rest starts a new block. The repeats of a block beyond the first two are a sum.

use super::blocks::{Block, Blocks};
use super::error::{Field, MapPlace, TaskMapError};
use super::map::TaskMap;
use crate::limit::{TASKMAP_NODE_MAX, TASKMAP_TASKS_MAX};

/// Takes pieces of a map in task order, ends as the map. Cost: O(1) a piece, 20 bytes a block of Flux's encoding.
#[derive(Debug, Default)]
pub struct Appender {
    /// All blocks but the last two.
    blocks: Blocks,
    /// The last block but one, then the last: apart, because all the work is on them.
    before: Option<Block>,
    last: Option<Block>,
    /// The last run: the next piece may add to it. None of it is in a block yet.
    run: Option<Run>,
    tasks: u64,
    nodes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    node: u32,
    count: u32,
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
    /// too large. `at` is said in the error.
    ///
    /// Cost: O(1). Source: taskmap "The one encoding of a map" and "How the fewest blocks are found".
    pub fn block(&mut self, block: Block, at: MapPlace) -> Result<(), TaskMapError> {
        self.admit(block, at)?;
        let Block {
            first,
            nodes,
            ppn,
            repeat,
        } = block;
        if nodes == 1 {
            self.extend_run(first, ppn * repeat);
            return Ok(());
        }
        let last = Run {
            node: first + nodes - 1,
            count: ppn,
        };
        self.extend_run(first, ppn);
        self.flush_run();
        if repeat == 1 {
            self.stretch(first + 1, nodes - 2, ppn);
        } else {
            self.stretch(first + 1, nodes - 1, ppn);
            if let Some(middle) = repeat.checked_sub(3) {
                // The second copy starts a block of its own and ends as exactly this block, or adds to one.
                self.stretch(first, nodes, ppn);
                let same = self
                    .last
                    .as_mut()
                    .filter(|last| (last.first, last.nodes, last.ppn) == (first, nodes, ppn));
                same.expect("the second copy of a block is a block").repeat += middle;
            }
            self.stretch(first, nodes - 1, ppn);
        }
        self.run = Some(last);
        Ok(())
    }

    /// Appends `count` tasks on one node.
    ///
    /// # Errors
    /// As [`Appender::block`].
    ///
    /// Cost: O(1).
    #[inline]
    pub fn run(&mut self, node: u32, count: u32, at: MapPlace) -> Result<(), TaskMapError> {
        let tasks = self.tasks + u64::from(count);
        if count == 0 || node > TASKMAP_NODE_MAX || tasks > u64::from(TASKMAP_TASKS_MAX) {
            return self.admit(
                Block {
                    first: node,
                    nodes: 1,
                    ppn: count,
                    repeat: 1,
                },
                at,
            );
        }
        self.tasks = tasks;
        self.nodes = self.nodes.max(node + 1);
        self.extend_run(node, count);
        Ok(())
    }

    /// Tasks so far.
    #[must_use]
    pub fn tasks(&self) -> u64 {
        self.tasks
    }

    /// Blocks so far, but for the last run.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len() + usize::from(self.before.is_some()) + usize::from(self.last.is_some())
    }

    /// The map of all that was appended. Cost: O(blocks).
    #[must_use]
    pub fn finish(mut self) -> TaskMap {
        self.flush_run();
        self.blocks.extend(self.before.into_iter().chain(self.last));
        TaskMap::of_flux_blocks(self.blocks, self.nodes)
    }

    /// Counts the block, or says what is wrong with it.
    fn admit(&mut self, block: Block, at: MapPlace) -> Result<(), TaskMapError> {
        let Block {
            first,
            nodes,
            ppn,
            repeat,
        } = block;
        for (field, found) in [
            (Field::Nnodes, nodes),
            (Field::Ppn, ppn),
            (Field::Repeat, repeat),
        ] {
            if found == 0 {
                return Err(TaskMapError::Value {
                    field,
                    found: found.to_string(),
                    at,
                });
            }
        }
        let end = u64::from(first) + u64::from(nodes);
        let end = u32::try_from(end)
            .ok()
            .filter(|&end| end <= TASKMAP_TASKS_MAX)
            .ok_or(TaskMapError::Range {
                what: "nodeid + nnodes is",
                found: end.to_string(),
                most: TASKMAP_TASKS_MAX,
                at,
            })?;
        let tasks =
            u128::from(self.tasks) + u128::from(nodes) * u128::from(ppn) * u128::from(repeat);
        self.tasks = u64::try_from(tasks)
            .ok()
            .filter(|&tasks| tasks <= u64::from(TASKMAP_TASKS_MAX))
            .ok_or(TaskMapError::Range {
                what: "the number of tasks is",
                found: tasks.to_string(),
                most: TASKMAP_TASKS_MAX,
                at,
            })?;
        self.nodes = self.nodes.max(end);
        Ok(())
    }

    #[inline]
    fn extend_run(&mut self, node: u32, count: u32) {
        if let Some(run) = self.run.as_mut()
            && run.node == node
        {
            run.count += count;
            return;
        }
        self.flush_run();
        self.run = Some(Run { node, count });
    }

    #[inline]
    fn flush_run(&mut self) {
        if let Some(Run { node, count }) = self.run.take() {
            self.stretch(node, 1, count);
        }
    }

    /// Appends `nodes` runs of `count` tasks, each on the node after the one before it.
    fn stretch(&mut self, mut first: u32, mut nodes: u32, count: u32) {
        while nodes > 0 {
            let Some(last) = self.last.as_mut() else {
                self.last = Some(Block {
                    first,
                    nodes,
                    ppn: count,
                    repeat: 1,
                });
                return;
            };
            if last.repeat != 1 || last.first + last.nodes != first || last.ppn != count {
                if let Some(before) = self.before.replace(*last) {
                    self.blocks.push(before);
                }
                *last = Block {
                    first,
                    nodes: 1,
                    ppn: count,
                    repeat: 1,
                };
                (first, nodes) = (first + 1, nodes - 1);
                continue;
            }
            let like = self
                .before
                .filter(|before| before.first == last.first && before.ppn == last.ppn);
            let room = like.map_or(0, |before| before.nodes.saturating_sub(last.nodes));
            let grow = if room == 0 { nodes } else { nodes.min(room) };
            last.nodes += grow;
            (first, nodes) = (first + grow, nodes - grow);
            if room == grow
                && let Some(before) = like
            {
                self.last = Some(Block {
                    repeat: before.repeat + 1,
                    ..before
                });
                self.before = self.blocks.pop();
            }
        }
    }
}
