//! The result of mapping: a plan, small and immutable. It answers every question without writing out a row per rank.
//!
//! For each app a plan holds a list of *placed runs*: neighbouring nodes that got the same number of processes in the same
//! pattern. Everything else follows by arithmetic: ranks from prefix sums, places from patterns.

// Ascending numbers, searched by halves.
mod sorted_index;
// What an app claimed of the nodes.
pub(crate) mod claimed;
// The result of placing.
mod placed;
// The object and cpus of each process of a pattern, written out.
mod places;
// The order of the ranks.
mod rank;
// One app.
mod app;
// Which apps are on a node, for plans with many apps.
mod node_apps;
// The questions: rank -> place, node -> ranks.
pub(crate) mod query;
// Writes ranks in order, some at a time.
mod row_writer;
// Writes rounds of many different nodes side by side.
mod round_writer;
// The explicit table.
mod table;
// Every process in rank order.
mod rows;
// The compact forms, to save or broadcast a plan.
pub mod bytes;
// The same places with ranks in another order.
mod reorder;
// Which GPUs each process is given.
pub mod gpus;
// Which devices each process is mapped to.
mod mapped_devices;
// Which network cards.
mod nics;
// Nodes that stay in a plan while the others leave it.
pub(crate) mod kept;
// The same places on other hosts.
mod onto;
// The part of a plan that the daemon of one node needs.
pub mod slice;
// Which node each rank is on, as blocks.
mod task_map;

pub use app::AppPlan;
pub use bytes::BadPlan;
pub use claimed::Claimed;
pub use mapped_devices::OnDevices;
pub use nics::{MappedNics, NicRow};
pub use onto::{Carried, HostCount};
pub use placed::{ListedRun, PassRun, Placed, PlacedRun, RankOrder, World};
pub use query::{Located, OnNode, ProcPlace};
pub use reorder::BadOrder;
pub use rows::Rows;
pub use table::ProcTable;

#[doc(hidden)]
pub mod inside {
    //! For the tests in `engine/tests/it/` alone, which are another crate: nothing else names these.

    pub use crate::plan::node_apps::{AppRun, NodeApp, NodeApps};
    pub use crate::plan::places::{Packed, visit, write};
    pub use crate::plan::rank::object_index::ObjectIndex;
}

use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::{AppId, AppTable};
use crate::table::patterns::Patterns;
use crate::table::thread_words::ThreadWords;
use gpus::given::GivenGpus;
use node_apps::NodeApps;
use places::Places;
use rank::ranges::RankRanges;
use rank::turns_on_node::{MetOrders, PlanOrders};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Where every process of a job is.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(crate) world: World,
    pub(crate) table: AppTable,
    pub(crate) patterns: Arc<Patterns>,
    pub(crate) apps: Vec<AppPlan>,
    /// First rank of each app, and the size of the job at the end. Shape `[apps + 1]`.
    bases: Vec<u32>,
    /// The places of the patterns, written out.
    places: Arc<Places>,
    /// The turns of the processes of each node.
    orders: PlanOrders,
    /// Where each rank is.
    ranges: RankRanges,
    /// The apps on each node, for plans with many apps. Built when the first question about a node is asked, because few
    /// callers ask one.
    node_apps: OnceLock<NodeApps>,
    /// The GPUs of its processes, if they were read or set; otherwise they are dealt when somebody asks for them.
    told: Option<Arc<GivenGpus>>,
    /// The network cards that its processes are mapped to. Found when somebody asks for them, unless they were read.
    nics: OnceLock<MappedNics>,
}

/// What a plan derived from its patterns, kept for a later plan with the same patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    places: Arc<Places>,
    orders: PlanOrders,
}

impl Plan {
    /// Puts a plan together: one prefix sum over the apps, and for each app the data that its rank order needs.
    ///
    /// `placed`: shape `[apps]`; holes have no runs. The caller has checked that the number of processes fits in a rank.
    /// Cost: the runs; for rank by fill and span also the distinct patterns; for rank by node and span also the rounds.
    #[must_use]
    pub fn assemble(
        world: World,
        table: AppTable,
        patterns: impl Into<Arc<Patterns>>,
        placed: Vec<Placed>,
    ) -> Self {
        let patterns = patterns.into();
        Self::assemble_again(world, table, patterns, Derived::default(), placed)
    }

    /// Like [`Plan::assemble`], but reuses what an earlier plan derived from the same patterns.
    pub(crate) fn assemble_again(
        world: World,
        table: AppTable,
        patterns: Arc<Patterns>,
        earlier: Derived,
        placed: Vec<Placed>,
    ) -> Self {
        let Derived {
            mut places,
            mut orders,
        } = earlier;
        Places::again(&mut places, &placed, &patterns);
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
        join_parts(&mut apps, table.part_of());
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
            nics: OnceLock::new(),
        }
    }

    /// What it derived from its patterns, for the next plan.
    pub(crate) fn derived(&self) -> Derived {
        Derived {
            places: Arc::clone(&self.places),
            orders: self.orders.clone(),
        }
    }

    /// The nodes, topologies and states that the plan refers to.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }
    /// The resolved apps.
    #[must_use]
    pub const fn resolved_apps(&self) -> &AppTable {
        &self.table
    }
    /// What the job says about the threads of its processes.
    #[must_use]
    pub const fn thread_words(&self) -> &ThreadWords {
        &self.table.thread_words
    }
    /// Says what the job says about the threads of its processes.
    pub fn set_thread_words(&mut self, words: ThreadWords) {
        self.table.thread_words = words;
    }
    /// The patterns.
    #[must_use]
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }
    /// The apps, including holes.
    #[must_use]
    pub fn apps(&self) -> &[AppPlan] {
        &self.apps
    }
    /// One app.
    #[must_use]
    pub fn app(&self, app: AppId) -> &AppPlan {
        &self.apps[app.row()]
    }
    /// The number of processes of the job.
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

/// Counts the ranks of earlier parts of the same app. `part_of`: shape `[apps]`, or empty.
fn join_parts(apps: &mut [AppPlan], part_of: &[u32]) {
    let mut so_far = HashMap::new();
    for (app, part_of) in apps.iter_mut().zip(part_of) {
        let ranks = so_far.entry(part_of).or_insert(0);
        app.earlier = *ranks;
        *ranks += app.procs.0;
    }
}
