//! Which apps are on a node, for plans with many apps: found without asking each app.
//!
//! Every run is divided into a few *blocks* of nodes, and is stored with each of them. A block has a power of four nodes and is
//! as large as fits. A node is in one block of each size, so the runs stored with these blocks are the runs on the node. With
//! powers of two a run would have fewer blocks, but there would be twice as many sizes to search.

use super::app::AppPlan;
use super::placed::row;
use super::sorted_index::SortedIndex;
use crate::table::names::NodeRange;
use smallvec::SmallVec;

/// Two to this power blocks of one size make a block of the next size.
const STEP: u32 = 2;

/// An app on a node: the row of the app, the row of its run, and the number of the node within the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct NodeApp {
    pub(super) app: u32,
    pub(super) run: u32,
    pub(super) node: u32,
}

/// A placed run: its nodes, its app, and its row among the runs of the app.
#[derive(Clone, Copy, Debug)]
struct AppRun {
    nodes: NodeRange,
    app: u32,
    run: u32,
}

/// The runs stored with blocks of one size.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// A block has two to this power nodes; a multiple of [`STEP`].
    size: u32,
    /// The blocks that have runs, and where the runs of each block end.
    blocks: SortedIndex,
    ends: Vec<u32>,
    /// The runs, block by block; those of a block by ascending app.
    runs: Vec<AppRun>,
}

/// The runs of many apps by their nodes, for each block size in use.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeApps(Vec<Blocks>);

impl NodeApps {
    /// Cost: for each run up to six blocks of each size up to the largest that fits; a sort of these blocks.
    pub(super) fn new(apps: &[AppPlan]) -> Self {
        Self::of((0..).zip(apps).flat_map(|(app, plan)| {
            let runs = (0..).zip(&plan.placed.runs);
            runs.map(move |(run, placed)| AppRun {
                nodes: placed.nodes,
                app,
                run,
            })
        }))
    }

    /// `runs`: by ascending app.
    fn of(runs: impl Iterator<Item = AppRun>) -> Self {
        let mut sizes: Vec<Vec<(u32, AppRun)>> = Vec::new();
        for run in runs {
            let (mut first, mut end, mut size) = (run.nodes.first, run.nodes.end(), 0);
            while first < end {
                if sizes.len() == size {
                    sizes.push(Vec::new());
                }
                let (inner, outer) = (first.next_multiple_of(1 << STEP), end >> STEP << STEP);
                let head = first..inner.min(end);
                let tail = outer.max(head.end)..end;
                sizes[size].extend(head.chain(tail).map(|block| (block, run)));
                (first, end, size) = (inner >> STEP, outer >> STEP, size + 1);
            }
        }
        let filled = (0..)
            .step_by(STEP as usize)
            .zip(sizes)
            .filter(|(_, runs)| !runs.is_empty());
        Self(filled.map(|(size, runs)| Blocks::new(size, runs)).collect())
    }

    /// The apps on a node, ascending. Cost: a search for each block size, at most 16 of them, and the apps found.
    pub(super) fn on(&self, node: u32) -> SmallVec<[NodeApp; 5]> {
        let mut found = SmallVec::new();
        for blocks in &self.0 {
            found.extend(blocks.on(node).iter().map(|run| run.at(node)));
        }
        if self.0.len() > 1 {
            found.sort_unstable();
        }
        found
    }
}

impl AppRun {
    /// This run on one of its nodes.
    const fn at(&self, node: u32) -> NodeApp {
        NodeApp {
            app: self.app,
            run: self.run,
            node: node - self.nodes.first,
        }
    }
}

impl Blocks {
    fn new(size: u32, mut runs: Vec<(u32, AppRun)>) -> Self {
        runs.sort_by_key(|&(block, _)| block);
        let alike = || runs.chunk_by(|a, b| a.0 == b.0);
        let ends = alike().scan(0, |end, alike| {
            *end += row(alike.len());
            Some(*end)
        });
        Self {
            size,
            blocks: SortedIndex::new(alike().map(|alike| alike[0].0)),
            ends: ends.collect(),
            runs: runs.iter().map(|&(_, run)| run).collect(),
        }
    }

    /// The runs stored with the block of a node.
    fn on(&self, node: u32) -> &[AppRun] {
        let (block, blocks) = (node >> self.size, self.blocks.numbers());
        if block < blocks[0] {
            return &[];
        }
        let at = self.blocks.find(block);
        if blocks[at] != block {
            return &[];
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.runs[start as usize..self.ends[at] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_runs_that_hold_it() {
        // Runs close together or far apart; none, some or all of them long.
        for (apart, long) in [(1, 0), (1, 100), (4, 7), (1, 1), (1000, 0), (1000, 9)] {
            let runs = (0..400_u32).map(|at| {
                let is_long = at.checked_rem(long) == Some(0);
                let count = if is_long { 300 + at } else { 1 + at % 5 };
                let first = 5 + at * 37 % 101 * apart;
                AppRun {
                    nodes: NodeRange { first, count },
                    app: at / 4,
                    run: at % 4,
                }
            });
            let node_apps = NodeApps::of(runs.clone());
            let nodes = (0..9).chain(runs.clone().flat_map(|run| {
                let NodeRange { first, count } = run.nodes;
                [first - 1, first, first + count - 1, first + count]
            }));
            for node in nodes {
                let here = runs
                    .clone()
                    .filter(|run| (run.nodes.first..run.nodes.end()).contains(&node));
                let here = here.map(|run| NodeApp {
                    app: run.app,
                    run: run.run,
                    node: node - run.nodes.first,
                });
                let here: Vec<NodeApp> = here.collect();
                assert_eq!(node_apps.on(node).to_vec(), here, "{node} {apart} {long}");
            }
        }
    }

    #[test]
    fn a_run_stands_at_six_blocks_of_a_size_at_most() {
        for count in [1, 2, 3, 64, 1000, 65_535] {
            for first in [0, 1, 7, 64] {
                let nodes = NodeRange { first, count };
                let NodeApps(sizes) = NodeApps::of(std::iter::once(AppRun {
                    nodes,
                    app: 0,
                    run: 0,
                }));
                let blocks = sizes.iter().flat_map(|of_size| {
                    assert!(of_size.runs.len() <= 6, "{count} nodes from {first} on");
                    let blocks = of_size.blocks.numbers().iter();
                    blocks.map(|block| (block << of_size.size, 1 << of_size.size))
                });
                let mut blocks: Vec<(u32, u32)> = blocks.collect();
                blocks.sort_unstable();
                let end = blocks.iter().fold(first, |end, block| {
                    assert_eq!(block.0, end, "they follow each other");
                    end + block.1
                });
                assert_eq!(end, nodes.end());
            }
        }
    }
}
