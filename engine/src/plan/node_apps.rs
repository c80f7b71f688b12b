//! Which apps are on a node, for plans with many apps: found without asking each app.
//!
//! The runs of all apps are sorted by length class (1 node, up to 3, up to 7, …), then by first node. In a class, the runs that may
//! hold a node are neighbours: they begin at most as many nodes before it as the class allows.

use super::app::AppPlan;
use crate::table::names::NodeRange;
use smallvec::SmallVec;

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

/// The runs of many apps, by ascending (length class, first node).
#[derive(Clone, Debug, Default)]
pub(super) struct NodeApps(Vec<AppRun>);

impl NodeApps {
    /// Cost: a sort of the runs of all apps.
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

    fn of(runs: impl Iterator<Item = AppRun>) -> Self {
        let mut runs: Vec<AppRun> = runs.collect();
        runs.sort_unstable_by_key(|run| (run.longest(), run.nodes.first));
        Self(runs)
    }

    /// The apps on a node, ascending. Cost: two searches for each length class in use, the apps found, and the apps on one other
    /// node for each class: a run of the class that begins near enough and ends too early is on the node half the class before.
    pub(super) fn on(&self, node: u32) -> SmallVec<[NodeApp; 5]> {
        let mut found = SmallVec::new();
        let mut rest = &self.0[..];
        while let Some(longest) = rest.first().map(AppRun::longest) {
            let (class, longer) =
                rest.split_at(rest.partition_point(|run| run.longest() <= longest));
            rest = longer;
            let first = node.saturating_sub(longest - 1);
            let near = &class[class.partition_point(|run| run.nodes.first < first)..];
            let near = near.iter().take_while(|run| run.nodes.first <= node);
            found.extend(
                near.filter(|run| run.nodes.holds(node))
                    .map(|run| run.at(node)),
            );
        }
        found.sort_unstable();
        found
    }
}

impl AppRun {
    /// The most nodes that a run of its length class has: 1, 3, 7, …, less than twice its own nodes.
    const fn longest(&self) -> u32 {
        u32::MAX >> self.nodes.count.leading_zeros()
    }

    /// This run on one of its nodes.
    const fn at(&self, node: u32) -> NodeApp {
        NodeApp {
            app: self.app,
            run: self.run,
            node: node - self.nodes.first,
        }
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
}
