//! Neighbouring nodes on which a job looks the same: equal states before the job, and the same runs of the same apps.

use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::states::StateId;

/// A run of an app: the app, and the row of the run among its runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AppRun {
    /// The app.
    pub app: AppId,
    /// The row.
    pub row: u32,
}

impl AppRun {
    /// The run itself.
    #[must_use]
    pub fn of(self, plan: &Plan) -> &PlacedRun {
        &plan.app(self.app).runs()[self.row as usize]
    }
}

/// Neighbouring nodes with the same state and runs.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The nodes.
    pub nodes: NodeRange,
    /// Their state before the job.
    pub state: StateId,
    /// Their runs, by ascending app.
    pub runs: Vec<AppRun>,
}

/// The nodes that have processes, in node order. Cost: a sort of the runs, then for each stretch the apps on it.
pub fn stretches(plan: &Plan) -> impl Iterator<Item = Stretch> + '_ {
    let mut starts: Vec<(u32, AppRun)> = Vec::new();
    for (app, placed) in plan.apps().iter().enumerate() {
        let app = AppId::from_row(app);
        for (row, run) in (0..).zip(placed.runs()) {
            starts.push((run.nodes.first, AppRun { app, row }));
        }
    }
    starts.sort_unstable();
    let mut starts = starts.into_iter().peekable();
    let mut live: Vec<AppRun> = Vec::new();
    let mut at = 0;
    std::iter::from_fn(move || {
        live.retain(|run| run.of(plan).nodes.end() > at);
        if live.is_empty() {
            at = starts.peek()?.0;
        }
        let before = live.len();
        while let Some((_, run)) = starts.next_if(|&(first, _)| first == at) {
            live.push(run);
        }
        if live.len() > before {
            live.sort_unstable();
        }
        let ends = live.iter().map(|run| run.of(plan).nodes.end());
        let end = ends.chain(starts.peek().map(|&(first, _)| first)).min()?;
        let nodes = NodeRange {
            first: at,
            count: end - at,
        };
        let (nodes, state) = plan.world().before.within(nodes).next()?;
        at = nodes.end();
        Some(Stretch {
            nodes,
            state,
            runs: live.clone(),
        })
    })
}
