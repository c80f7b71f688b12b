//! What comes out: a plan, small and immutable, which answers every question without expanding.
//!
//! A plan is per app a list of *placed runs*: neighbouring nodes that got equally many processes in an equal pattern. All
//! else follows by arithmetic: ranks from prefix sums, places from patterns.

// Ascending numbers, searched quickly.
mod steps;
// Items put in order by counting.
mod counted;
// What each process of a pattern gets, written out.
mod places;
// Which local process of a node is the r-th on an object: asked.
mod turns;
// The same, dealt out.
mod deal;
// Either, by how large a node is.
mod profile;
// Whose turn each place of a round is: written out, or searched.
mod blocks;
mod seats;
// Round by round.
mod rounds;
// Rank order of one app: prefix sums, rounds, entries.
mod order;
// What a question about a rank needs, side by side.
mod stretches;
// Which apps are on a node, where they are many.
mod guests;
// The questions: rank -> place, node -> ranks.
pub mod query;
// Every process in rank order.
mod rows;
// The explicit table.
mod table;
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

pub use bytes::BadPlan;
pub use order::{ListedRun, RankOrder};
pub use query::{Located, OnNode, ProcPlace};
pub use reorder::BadOrder;
pub use rows::Rows;
pub use table::ProcTable;

use crate::count::{ProcCount, Rank};
use crate::id::Id as _;
use crate::policy::ObjKind;
use crate::table::apps::{AppId, AppTable, PolicyId};
use crate::table::cpusets::Cpusets;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::patterns::{PatternId, Patterns};
use crate::table::pusets::PuSets;
use crate::table::states::{StateRuns, States};
use crate::table::topologies::Topologies;
use guests::Guests;
use order::{Met, Order};
use places::Places;
use rounds::Scratch;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use steps::Steps;
use stretches::Stretches;

/// Neighbouring nodes that got the same of one app.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PlacedRun {
    /// The nodes, in ascending order.
    pub nodes: NodeRange,
    /// Processes of the app on each of them, at least 1.
    pub procs: u32,
    /// What these get, in placement order: the first `procs` of the pattern.
    pub pattern: PatternId,
    /// The kind of the objects they were mapped to; `None`: to no object.
    pub kind: Option<ObjKind>,
    /// Processes of this job that each node held before: the first local rank.
    pub own_before: u32,
    /// Processes of any job that each node held before: the first node rank.
    pub used_before: u32,
}

/// One app, placed: what the stages hand to [`Plan::assemble`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Placed {
    /// The policy, with its binding settled; `None` for a hole.
    pub policy: Option<PolicyId>,
    /// Where its processes are: in the job's node order (`semantics` 6).
    pub runs: Vec<PlacedRun>,
    /// The order of its ranks.
    pub order: RankOrder,
}

/// One app of a plan.
#[derive(Clone, Debug)]
pub struct AppPlan {
    pub(crate) placed: Placed,
    /// The first rank of the app.
    pub(crate) base: Rank,
    /// Its processes.
    pub(crate) procs: ProcCount,
    /// Processes before each run, in run order, and all of them at the end. Shape `[runs + 1]`.
    before: Steps,
    /// The first node of each run, ascending.
    firsts: Steps,
    /// Runs by ascending node; empty when they stand so already.
    by_node: Vec<u32>,
    order: Order,
}

/// The world a plan speaks of: shared by all its apps.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The nodes' names.
    pub names: Names,
    /// Distinct topologies, shared with the machine that the job was placed on.
    pub topologies: Arc<Topologies>,
    /// Sets of PUs by OS number.
    pub cpusets: Cpusets,
    /// Sets of PUs by logical number.
    pub pusets: PuSets,
    /// Distinct node states.
    pub states: States,
    /// What the job found: the state of each node before its first app.
    pub before: StateRuns,
    /// What the job leaves: the state of each node after its last app.
    pub after: StateRuns,
    /// The node the launcher runs on, if it is one of these.
    pub local: Option<NodeId>,
}

/// Where every process of a job is.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(crate) world: World,
    pub(crate) table: AppTable,
    pub(crate) patterns: Patterns,
    pub(crate) apps: Vec<AppPlan>,
    /// First rank of each app, and the size of the job at the end. Shape `[apps + 1]`.
    bases: Steps,
    /// What the patterns say, written out.
    places: Places,
    /// Which turns the processes of a node have.
    orders: order::Shared,
    /// Where each rank is.
    stretches: Stretches,
    /// The apps on each node; `None`: few enough to be asked one by one.
    guests: Option<Guests>,
    /// The GPUs of its processes, where they were read; else they are dealt when they are asked for.
    told: Option<Arc<gpus::GivenGpus>>,
}

/// What a plan derived from its patterns, for a later plan of the same patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    places: Places,
    orders: order::Shared,
}

fn row(at: usize) -> u32 {
    u32::try_from(at).expect("limit.rs keeps tables below 2^32 rows")
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
        Self::assemble_again(world, table, (patterns, Derived::default()), placed)
    }

    /// The same, with what an earlier plan derived from the same patterns.
    pub(crate) fn assemble_again(
        world: World,
        table: AppTable,
        (patterns, earlier): (Patterns, Derived),
        placed: Vec<Placed>,
    ) -> Self {
        let places = earlier.places.again(&placed, &patterns);
        let mut orders = earlier.orders;
        let met = orders.meet(&placed, &patterns, &places);
        let mut scratch = Scratch::default();
        let mut apps = Vec::with_capacity(placed.len());
        let mut next = 0_u32;
        for (placed, met) in placed.into_iter().zip(met) {
            let app = AppPlan::new(placed, Rank(next), (met, &orders), &mut scratch);
            next += app.procs.0;
            apps.push(app);
        }
        let bases = apps.iter().map(|app| app.base.0).chain([next]);
        Self {
            bases: Steps::one(apps.len() + 1, bases),
            stretches: Stretches::new(&apps, &places),
            guests: Guests::new(&apps),
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
        impl Iterator<Item = Vec<PlacedRun>>,
    ) {
        let placed = self.apps.into_iter().map(|app| app.placed.runs);
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
        self.bases.row(0)
    }
}

impl AppPlan {
    fn new(
        placed: Placed,
        base: Rank,
        profiles: (Met, &order::Shared),
        scratch: &mut Scratch,
    ) -> Self {
        let runs = &placed.runs;
        let sums = runs.iter().scan(0_u32, |sum, run| {
            *sum += run.procs * run.nodes.count;
            Some(*sum)
        });
        let before = Steps::one(runs.len() + 1, std::iter::once(0).chain(sums));
        let by_node = if runs.is_sorted_by_key(|run| run.nodes.first) {
            Vec::new()
        } else {
            let mut rows: Vec<u32> = (0..row(runs.len())).collect();
            rows.sort_by_key(|&row| runs[row as usize].nodes.first);
            rows
        };
        let first = |at: usize| {
            let run = by_node.get(at).map_or(at, |&run| run as usize);
            runs[run].nodes.first
        };
        let firsts = Steps::one(runs.len(), (0..runs.len()).map(first));
        let order = Order::new(&placed, profiles, scratch);
        Self {
            procs: ProcCount(before.get(0, runs.len())),
            placed,
            base,
            before,
            firsts,
            by_node,
            order,
        }
    }

    /// The policy, with its binding settled; `None` for a hole.
    #[must_use]
    pub const fn policy(&self) -> Option<PolicyId> {
        self.placed.policy
    }
    /// Where its processes are, in the job's node order.
    #[must_use]
    pub fn runs(&self) -> &[PlacedRun] {
        &self.placed.runs
    }
    /// The order of its ranks.
    #[must_use]
    pub const fn order(&self) -> &RankOrder {
        &self.placed.order
    }
    /// Its first rank.
    #[must_use]
    pub const fn base(&self) -> Rank {
        self.base
    }
    /// Its processes.
    #[must_use]
    pub const fn procs(&self) -> ProcCount {
        self.procs
    }
    /// The run that holds a node.
    #[must_use]
    pub fn run_of(&self, node: NodeId) -> Option<usize> {
        let node = row(node.row());
        let lowest = self.firsts.row(0).first();
        lowest.filter(|&&first| first <= node)?;
        let at = self.firsts.find(0, node);
        let found = self.by_node.get(at).map_or(at, |&run| run as usize);
        (node < self.placed.runs[found].nodes.end()).then_some(found)
    }
}
