//! Which apps are on a node, for plans with many apps: found without asking each app.
//!
//! The runs of all apps are sorted by length class (1 node, up to 3, up to 7, …), then by first node. In a class, the runs that may
//! hold a node are neighbours: they begin at most as many nodes before it as the class allows.

use super::app::AppPlan;
use crate::table::names::NodeRange;
use smallvec::SmallVec;

/// An app on a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeApp {
    /// The row of the app.
    pub app: u32,
    /// The row of its run.
    pub run: u32,
    /// The number of the node within the run.
    pub node: u32,
}

/// A placed run.
#[derive(Clone, Copy, Debug)]
pub struct AppRun {
    /// Its nodes.
    pub nodes: NodeRange,
    /// The row of its app.
    pub app: u32,
    /// Its row among the runs of the app.
    pub run: u32,
}

/// The runs of many apps, by ascending (length class, first node).
#[derive(Clone, Debug, Default)]
pub struct NodeApps(Vec<AppRun>);

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

    /// Cost: a sort of the runs.
    pub fn of(runs: impl Iterator<Item = AppRun>) -> Self {
        let mut runs: Vec<AppRun> = runs.collect();
        runs.sort_unstable_by_key(|run| (run.longest(), run.nodes.first));
        Self(runs)
    }

    /// The apps on a node, ascending. Cost: two searches for each length class in use, the apps found, and the apps on one other
    /// node for each class: a run of the class that begins near enough and ends too early is on the node half the class before.
    pub fn on(&self, node: u32) -> SmallVec<[NodeApp; 5]> {
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
