//! What comes out: a plan, small and immutable, which answers every question without expanding.
//!
//! A plan is per app a list of *placed runs*: neighbouring nodes that got equally many processes in an equal pattern. All
//! else follows by arithmetic: ranks from prefix sums, places from patterns.

// Ascending numbers, searched quickly.
mod sorted_index;
// Items put in order by counting.
mod counted;
// What placing gives.
mod placed;
// What each process of a pattern gets, written out.
mod places;
// The order of the ranks.
mod rank;
// One app.
mod app;
// Which apps are on a node, where they are many.
mod node_apps;
// The questions: rank -> place, node -> ranks.
pub(crate) mod query;
// Ranks in order, written some at a time.
mod row_writer;
// Rounds of nodes that differ, written side by side.
mod round_writer;
// The explicit table.
mod table;
// Every process in rank order.
mod rows;
// The compact forms: saved, broadcast.
pub mod bytes;
// The same places with other ranks.
mod reorder;
// Which GPUs each process is given.
pub mod gpus;
// What one node's daemon needs.
pub mod slice;
// Which node each rank is on, as blocks.
mod tasks;

pub use app::AppPlan;
pub use bytes::BadPlan;
pub use placed::{ListedRun, PassRun, Placed, PlacedRun, RankOrder, World};
pub use query::{Located, OnNode, ProcPlace};
pub use reorder::BadOrder;
pub use rows::Rows;
pub use table::ProcTable;

use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::{AppId, AppTable};
use crate::table::patterns::Patterns;
use gpus::given::GivenGpus;
use node_apps::NodeApps;
use places::Places;
use rank::node_order::{MetOrders, PlanOrders};
use rank::ranges::RankRanges;
use std::sync::{Arc, OnceLock};

/// Where every process of a job is.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(crate) world: World,
    pub(crate) table: AppTable,
    pub(crate) patterns: Patterns,
    pub(crate) apps: Vec<AppPlan>,
    /// First rank of each app, and the size of the job at the end. Shape `[apps + 1]`.
    bases: Vec<u32>,
    /// What the patterns say, written out.
    places: Places,
    /// Which turns the processes of a node have.
    orders: PlanOrders,
    /// Where each rank is.
    ranges: RankRanges,
    /// The apps on each node where apps are many, found out when a node is first asked for: few who plan ask.
    node_apps: OnceLock<NodeApps>,
    /// The GPUs of its processes, where they were read; else they are dealt when they are asked for.
    told: Option<Arc<GivenGpus>>,
}

/// What a plan derived from its patterns, for a later plan of the same patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    places: Places,
    orders: PlanOrders,
}

impl Plan {
    /// Puts a plan together: one prefix sum over apps, and per app what its rank order needs.
    ///
    /// `placed`: shape `[apps]`, holes with no runs. The caller has checked that the sum of processes fits a rank.
    /// Cost: the runs; for rank by fill and span also the distinct patterns; for by node and span the rounds.
    #[must_use]
    pub fn assemble(
        world: World,
        table: AppTable,
        patterns: Patterns,
        placed: Vec<Placed>,
    ) -> Self {
        Self::assemble_again(world, table, patterns, Derived::default(), placed)
    }

    /// The same, with what an earlier plan derived from the same patterns.
    pub(crate) fn assemble_again(
        world: World,
        table: AppTable,
        patterns: Patterns,
        earlier: Derived,
        placed: Vec<Placed>,
    ) -> Self {
        let places = earlier.places.again(&placed, &patterns);
        let mut orders = earlier.orders;
        let met = orders.meet(&placed, &patterns, &places);
        let mut bases = vec![0];
        let mut next = 0_u32;
        let app = |(placed, met): (Placed, MetOrders)| {
            let orders = met.map(|(by, of_run)| orders.of_app(by, of_run));
            let app = AppPlan::new(placed, Rank(next), orders);
            next += app.procs.0;
            bases.push(next);
            app
        };
        let mut apps: Vec<AppPlan> = placed.into_iter().zip(met).map(app).collect();
        Self {
            ranges: RankRanges::new(&mut apps, &places),
            node_apps: OnceLock::new(),
            bases,
            world,
            table,
            patterns,
            apps,
            places,
            orders,
            told: None,
        }
    }

    /// The tables, given back to whoever plans next.
    pub(crate) fn into_tables(
        self,
    ) -> (
        World,
        AppTable,
        Patterns,
        Derived,
        impl Iterator<Item = Placed>,
    ) {
        let placed = self.apps.into_iter().map(|app| app.placed);
        let (places, orders) = (self.places, self.orders);
        let derived = Derived { places, orders };
        (self.world, self.table, self.patterns, derived, placed)
    }

    /// The nodes, topologies and states that the plan speaks of.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }
    /// The resolved apps.
    #[must_use]
    pub const fn table(&self) -> &AppTable {
        &self.table
    }
    /// The patterns.
    #[must_use]
    pub const fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    /// The apps, holes among them.
    #[must_use]
    pub fn apps(&self) -> &[AppPlan] {
        &self.apps
    }
    /// One app.
    #[must_use]
    pub fn app(&self, app: AppId) -> &AppPlan {
        &self.apps[app.row()]
    }
    /// Processes of the job.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        self.bases().last().copied().unwrap_or(0)
    }
    /// First rank of each app, and the size of the job at the end. Shape `[apps + 1]`.
    #[must_use]
    pub fn bases(&self) -> &[u32] {
        &self.bases
    }
}
