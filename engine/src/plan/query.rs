//! The questions that a plan answers by arithmetic: where is a rank, and who is on a node.
//!
//! The search for a rank is in `rank/find.rs`.

use super::Plan;
use super::app::{AppPlan, ProcInRun};
use super::node_apps::{NodeApp, NodeApps};
use super::placed::{PlacedRun, row};
use super::rank::find::FoundRank;
use super::rank::ranges::RunNodes;
use crate::count::Rank;
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::apps::AppId;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use crate::table::patterns::Place;

/// Up to this many apps are asked one by one whether they are on a node; for more apps there is an index.
const ASKED_APPS_MAX: usize = 16;

/// Everything about one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcPlace {
    /// Its rank in the job.
    pub rank: Rank,
    /// Its app.
    pub app: AppId,
    /// Its rank in the app.
    pub app_rank: u32,
    /// Its node.
    pub node: NodeId,
    /// Its number on the node among the job's processes, in placement order.
    pub local_rank: u32,
    /// Its number on the node among the processes of all jobs.
    pub node_rank: u32,
    /// The object it was mapped to: kind and logical index on the node.
    pub object: Option<(ObjKind, u32)>,
    /// The cpus it is bound to; `None`: unbound.
    pub cpus: Option<CpusetId>,
}

/// Where a process is: its placed run in its app, the node within the run, and its number among the app's processes on the
/// node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The app.
    pub app: AppId,
    /// Row in [`AppPlan::runs`].
    pub run: u32,
    /// Which node of the run, from 0.
    pub node: u32,
    /// Which process of the app on that node, in placement order.
    pub local: u32,
}

/// The processes of one app on one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnNode<'p> {
    /// The app.
    pub app: AppId,
    /// Row in [`AppPlan::runs`].
    pub row: u32,
    /// The run.
    pub run: &'p PlacedRun,
    /// Which node of the run, from 0.
    pub node: u32,
}

impl Plan {
    /// Where a rank is. Cost: a search over runs and phases; for ranks by node and span another search over the runs of a
    /// phase. Each takes a few cache lines.
    #[must_use]
    pub fn locate(&self, rank: Rank) -> Option<Located> {
        let FoundRank { app, proc, .. } = self.find(rank.0)?;
        Some(Located {
            app: AppId::from_row(app as usize),
            run: proc.run,
            node: proc.node,
            local: proc.local,
        })
    }

    /// The rank of a process: the inverse of [`Plan::locate`].
    #[must_use]
    pub fn rank_of(&self, at: Located) -> Rank {
        let proc = ProcInRun {
            run: at.run,
            node: at.node,
            local: at.local,
        };
        Rank(self.rank_of_proc(at.app.row(), proc))
    }

    /// Everything about a rank.
    ///
    /// ```
    /// use stowplan_engine::{count::Rank, plan::Plan};
    /// assert_eq!(Plan::default().place(Rank(0)), None, "an empty plan has no ranks");
    /// ```
    #[must_use]
    pub fn place(&self, rank: Rank) -> Option<ProcPlace> {
        Some(self.describe(rank, self.find(rank.0)?))
    }

    #[inline]
    fn describe(&self, rank: Rank, found: FoundRank) -> ProcPlace {
        let FoundRank {
            app,
            proc,
            nodes,
            kind,
            packed,
        } = found;
        let place = Place::from(packed);
        ProcPlace {
            rank,
            app: AppId::from_row(app as usize),
            app_rank: rank.0 - self.bases()[app as usize] + self.apps[app as usize].earlier,
            node: NodeId::from_row((nodes.first + proc.node) as usize),
            local_rank: nodes.own_before + proc.local,
            node_rank: nodes.used_before + proc.local,
            object: kind.zip(place.object),
            cpus: place.cpus,
        }
    }

    /// The apps on a node, ascending. Cost: for up to 16 apps, a search for each app. For more apps, a few searches (one if all
    /// runs are short) and the apps found; the first such question also sorts the runs of all apps.
    pub fn on_node(&self, node: NodeId) -> impl Iterator<Item = OnNode<'_>> + '_ {
        let node = row(node.row());
        let here = if self.apps.len() > ASKED_APPS_MAX {
            let node_apps = self.node_apps.get_or_init(|| NodeApps::new(&self.apps));
            node_apps.on(node)
        } else {
            let apps = (0..).zip(&self.apps);
            apps.filter_map(|(at, app)| app.on_node(at, node)).collect()
        };
        here.into_iter().map(|on| OnNode {
            app: AppId::from_row(on.app as usize),
            row: on.run,
            run: &self.apps[on.app as usize].placed.runs[on.run as usize],
            node: on.node,
        })
    }

    /// The processes on a node, by local rank.
    pub fn procs_on(&self, node: NodeId) -> impl Iterator<Item = ProcPlace> + '_ {
        self.on_node(node).flat_map(move |on| {
            (0..on.run.procs).map(move |local| {
                let at = Located {
                    app: on.app,
                    run: on.row,
                    node: on.node,
                    local,
                };
                let found = FoundRank {
                    app: row(on.app.row()),
                    proc: ProcInRun {
                        run: on.row,
                        node: on.node,
                        local,
                    },
                    nodes: RunNodes::from(on.run),
                    kind: on.run.kind,
                    packed: self.places.packed(on.run.pattern, local, &self.patterns),
                };
                self.describe(self.rank_of(at), found)
            })
        })
    }
}

impl AppPlan {
    /// This app on a node. `app`: its row.
    fn on_node(&self, app: u32, node: u32) -> Option<NodeApp> {
        let run = self.run_of(NodeId::from_row(node as usize))?;
        Some(NodeApp {
            app,
            run: row(run),
            node: node - self.placed.runs[run].nodes.first,
        })
    }
}
