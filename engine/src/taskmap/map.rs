//! A task map: on which node each task of a job runs.

use super::blocks::{Block, Blocks, JobNode};
use super::error::TaskMapError;
use super::shorten;
use crate::count::{ProcCount, Rank};
use roaring::RoaringBitmap;
use std::ops::Range;

/// On which node each task of a job runs, or that this is unknown. Immutable.
///
/// Equal values are equal maps (taskmap "The one encoding of a map"), however they were written. Cost of equality: O(blocks).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskMap {
    /// Flux's encoding. Empty if the map is unknown.
    pub(super) flux: Blocks,
    /// The task behind the last task of each block: prefix sums. Shape: `[blocks]`.
    pub(super) ends: Vec<u32>,
    /// Largest node number + 1.
    pub(super) nodes: u32,
}

impl TaskMap {
    /// The unknown map: no nodes, no tasks, and every question about it is an error. Source: RFC 34.
    #[must_use]
    pub fn unknown() -> Self {
        Self::default()
    }

    pub(super) fn of_flux_blocks(flux: Blocks, nodes: u32) -> Self {
        let mut end = 0;
        let ends = flux.iter().map(|block| {
            end += block.tasks();
            end
        });
        let ends = ends.collect();
        Self { flux, ends, nodes }
    }

    /// Whether this is the unknown map.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.flux.is_empty()
    }

    /// Flux's encoding of the map (taskmap "The one encoding of a map"). Cost: none.
    #[must_use]
    pub fn flux_blocks(&self) -> &Blocks {
        &self.flux
    }

    /// The number of nodes, including nodes without tasks: the largest node number + 1.
    ///
    /// # Errors
    /// `taskmap-unknown`.
    pub fn node_count(&self) -> Result<u32, TaskMapError> {
        self.known("the number of nodes").map(|_| self.nodes)
    }

    /// The number of tasks.
    ///
    /// # Errors
    /// `taskmap-unknown`.
    pub fn task_count(&self) -> Result<ProcCount, TaskMapError> {
        self.known("the number of tasks")
            .map(|last| ProcCount(last + 1))
    }

    /// The node of a task.
    ///
    /// # Errors
    /// `taskmap-unknown`, `taskmap-no-such-task`.
    ///
    /// Cost: O(log blocks).
    pub fn node_of(&self, task: Rank) -> Result<JobNode, TaskMapError> {
        let last = self.known("the node of a task")?;
        if task.0 > last {
            return Err(TaskMapError::NoSuchTask {
                asked: task,
                last: Rank(last),
            });
        }
        let at = self.ends.partition_point(|&end| end <= task.0);
        let block = self.flux.0[at];
        Ok(JobNode(
            block.first + (task.0 - self.start(at)) % block.period() / block.ppn,
        ))
    }

    /// The tasks of a node, as ranges that ascend and do not touch.
    ///
    /// # Errors
    /// `taskmap-unknown`, `taskmap-no-such-node` (also for a node that has no task).
    ///
    /// Cost: O(blocks + ranges) to walk them all.
    pub fn tasks_of(&self, node: JobNode) -> Result<TaskRanges<'_>, TaskMapError> {
        self.blocks_of(node).map(|_| TaskRanges {
            map: self,
            node: node.0,
            at: 0,
            repeat: 0,
        })
    }

    /// The tasks of a node as a set.
    ///
    /// # Errors
    /// As [`TaskMap::tasks_of`].
    ///
    /// Cost: O(blocks + ranges).
    pub fn task_set_of(&self, node: JobNode) -> Result<RoaringBitmap, TaskMapError> {
        let mut tasks = RoaringBitmap::new();
        for range in self.tasks_of(node)? {
            tasks.insert_range(range);
        }
        Ok(tasks)
    }

    /// How many tasks a node has.
    ///
    /// # Errors
    /// As [`TaskMap::tasks_of`].
    ///
    /// Cost: O(blocks).
    pub fn count_of(&self, node: JobNode) -> Result<ProcCount, TaskMapError> {
        Ok(ProcCount(
            self.blocks_of(node)?
                .map(|block| block.ppn * block.repeat)
                .sum(),
        ))
    }

    /// The blocks that a node is in.
    pub(super) fn blocks_of(
        &self,
        node: JobNode,
    ) -> Result<impl Iterator<Item = Block>, TaskMapError> {
        self.known("the tasks of a node")?;
        let mut blocks = self
            .flux
            .iter()
            .filter(move |block| block.has(node.0))
            .peekable();
        if blocks.peek().is_none() {
            return Err(TaskMapError::NoSuchNode {
                asked: node,
                last: JobNode(self.nodes - 1),
            });
        }
        Ok(blocks)
    }

    /// Runs in task order: a node, and how many tasks in a row are on it. Neighboring runs have different nodes.
    ///
    /// Cost: O(1) per run. Even a short map may have two billion runs.
    pub fn runs(&self) -> impl Iterator<Item = (JobNode, ProcCount)> + '_ {
        self.flux
            .iter()
            .flat_map(|block| {
                let copy = move |_| (block.first..block.end()).map(move |node| (node, block.ppn));
                (0..block.repeat).flat_map(copy)
            })
            .map(|(node, count)| (JobNode(node), ProcCount(count)))
    }

    /// The number of tasks of each node, as ascending stretches of neighboring nodes with equal numbers. Nodes without
    /// tasks are included.
    ///
    /// Cost: O(blocks log blocks). The unknown map has none.
    #[must_use]
    pub fn counts(&self) -> Vec<NodeStretch> {
        let edges = |block: Block| {
            let tasks = i64::from(block.ppn) * i64::from(block.repeat);
            [(block.first, tasks), (block.end(), -tasks)]
        };
        let mut edges: Vec<(u32, i64)> = self.flux.iter().flat_map(edges).collect();
        edges.sort_unstable();
        let mut stretches: Vec<NodeStretch> = Vec::new();
        let (mut from, mut tasks) = (0, 0);
        for (node, change) in edges {
            if node > from {
                let count =
                    ProcCount(u32::try_from(tasks).expect("a node has no more tasks than the map"));
                match stretches.last_mut() {
                    Some(last) if last.count == count => last.nodes.end = node,
                    Some(_) | None => stretches.push(NodeStretch {
                        nodes: from..node,
                        count,
                    }),
                }
                from = node;
            }
            tasks += change;
        }
        stretches
    }

    /// Checks that the other map has as many nodes and as many tasks, in total, as this one.
    ///
    /// # Errors
    /// `taskmap-unknown` if either map is unknown; `taskmap-mismatch`.
    ///
    /// Cost: none. Source: taskmap "The one encoding of a map".
    pub fn check(&self, other: &Self) -> Result<(), TaskMapError> {
        let (nodes, tasks) = (self.node_count()?, self.task_count()?.0);
        let (other_nodes, other_tasks) = (other.node_count()?, other.task_count()?.0);
        if (nodes, tasks) == (other_nodes, other_tasks) {
            return Ok(());
        }
        Err(TaskMapError::Mismatch {
            nodes,
            tasks,
            other_nodes,
            other_tasks,
        })
    }

    /// The canonical encoding: Flux's, unless strictly fewer blocks are enough; then one with the fewest.
    ///
    /// Cost: one pass over the blocks of Flux's encoding. Source: taskmap "The one encoding of a map".
    #[must_use]
    pub fn fewest_blocks(&self) -> Blocks {
        shorten::fewest(&self.flux, shorten::Target::Flux)
    }

    /// The canonical encoding for PMI, whose blocks have no repeat. Each block is to be written `repeat` times in a
    /// row.
    ///
    /// Cost: as [`TaskMap::fewest_blocks`]. Source: taskmap "Writing".
    #[must_use]
    pub fn fewest_pmi_blocks(&self) -> Blocks {
        shorten::fewest(&self.flux, shorten::Target::Pmi)
    }

    /// The last task, or the error that the map is unknown.
    #[inline]
    pub(super) fn known(&self, asked: &'static str) -> Result<u32, TaskMapError> {
        self.ends
            .last()
            .map(|end| end - 1)
            .ok_or(TaskMapError::Unknown { asked })
    }

    /// The tasks of a node in one repeat of a block that it is in.
    pub(super) fn tasks_in(&self, at: usize, node: u32, repeat: u32) -> Range<u32> {
        let block = self.flux.0[at];
        let start = self.start(at) + repeat * block.period() + (node - block.first) * block.ppn;
        start..start + block.ppn
    }

    /// The first task of a block.
    #[inline]
    fn start(&self, at: usize) -> u32 {
        at.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

/// Neighboring nodes with equal numbers of tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeStretch {
    /// The nodes.
    pub nodes: Range<u32>,
    /// Tasks of each.
    pub count: ProcCount,
}

/// The tasks of one node as ranges; see [`TaskMap::tasks_of`].
#[derive(Clone, Debug)]
pub struct TaskRanges<'a> {
    map: &'a TaskMap,
    node: u32,
    /// The current block.
    at: usize,
    /// The next repeat of that block.
    repeat: u32,
}

impl Iterator for TaskRanges<'_> {
    type Item = Range<u32>;

    fn next(&mut self) -> Option<Range<u32>> {
        // Flux's encoding keeps runs whole, so ranges of different repeats and blocks never touch.
        loop {
            let block = self.map.flux.get(self.at)?;
            if block.has(self.node) && self.repeat < block.repeat {
                self.repeat += 1;
                return Some(self.map.tasks_in(self.at, self.node, self.repeat - 1));
            }
            (self.at, self.repeat) = (self.at + 1, 0);
        }
    }
}
