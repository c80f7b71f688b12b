//! The apps: one after the other, each on what the earlier ones left; side by side where they do not compete.
//! Source: `semantics` 5, `per-app` 5, 8.
//!
//! Side by side gives what one after the other gives, byte for byte: nothing but node states passes between apps. Where
//! anything is refused, or hangs on all that came before, the apps are placed in order after all: the first app that is
//! refused says why.

// Nodes, tables, a cache, scratch: what apps are placed on.
pub(crate) mod site;
// How many processes each app has.
pub(crate) mod count;
// One app, from its nodes to its place in the plan.
pub(crate) mod app;
// Which nodes an app that finds no room found full.
mod full;
// What is worth a note about what was placed.
pub(crate) mod notes;
// Which apps compete for nodes.
pub(crate) mod groups;
// Apps placed side by side, and joined.
pub(crate) mod branch;

use crate::count::ProcCount;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::limit::RANKS_MAX;
use crate::plan::Placed;
use crate::policy::{BindTo, MapBy, ObjKind};
use crate::spawn::request::owner;
use crate::stage::component::{AppIndex, Call, Dispatch, Registry};
use crate::stage::job::site::Site;
use crate::stage::parallel::Sharing;
use crate::stage::place::placement::Reuse;
use crate::stage::resolve::{Resolved, size};
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use app::{AppJob, place_app};
use branch::{Joined, TableSizes};
use count::Procs;
use groups::{AppGroup, app_groups};
use rayon::prelude::*;

/// From so many apps, on nodes of so many different states, it may pay to look for those that do not compete: where states
/// are few, what the first app finds serves the others.
const APPS_FROM: usize = 128;
const STATES_FROM: usize = 128;
/// Two threads lose by it: joining the branches in order costs as much as the second thread saves (measured: docs/scale.md,
/// "Threads").
const THREADS_FROM: usize = 3;
/// Branches for each thread: groups of apps are of different sizes.
const BRANCHES_EACH: usize = 2;

/// What all apps of a job share.
#[derive(Clone, Copy)]
pub(crate) struct Job<'r> {
    pub(crate) resolved: &'r Resolved,
    pub(crate) registry: &'r Registry,
    pub(crate) index: AppIndex,
    /// Processes of each app, as far as they are known.
    pub(crate) counts: &'r [Procs],
    /// Those of the job.
    pub(crate) total: u64,
    /// The last app of each policy, where the job is placed once only. Shape `[policies]`.
    pub(crate) last: Option<&'r [Option<AppId>]>,
}

/// What the apps come to, beside the states of the nodes: filled for every placement of a job, in the room of the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobOutcome {
    /// Shape `[apps]`.
    pub(crate) placed: Vec<Placed>,
    pub(crate) notes: Vec<Note>,
    pub(crate) calls: Vec<Call>,
    /// The job's policies, and behind them those whose binding the size of the job settled.
    pub(crate) policies: AppTable,
    /// Processes of each app, as far as they are known before anything is placed. Shape `[apps]`.
    pub(crate) counts: Vec<Procs>,
    ready_by_policy: ReadyByPolicy,
}

impl JobOutcome {
    /// Those of a job of which nothing is placed yet.
    pub(crate) fn new(resolved: &Resolved) -> Self {
        let mut outcome = Self::default();
        outcome.policies.copy_policies(&resolved.apps);
        outcome
    }

    /// Forgets what was placed, and keeps its room.
    pub(crate) fn start_again(&mut self, site: &mut Site, policies: usize) {
        let runs = self.placed.drain(..).map(|placed| placed.runs);
        site.keep_room(runs);
        self.notes.clear();
        self.calls.clear();
        self.ready_by_policy.clear();
        self.policies.keep_policies(policies);
    }
}

/// An app, its binding settled, and the component that takes it.
#[derive(Clone, Copy, Debug)]
struct Ready {
    app: AppId,
    policy: Policy,
    id: PolicyId,
    component: usize,
    /// The size of the job settled its binding.
    by_size: bool,
}

/// The last app of each policy that was made ready: the next one fares alike. Shape `[policies]`, as far as they were met.
type ReadyByPolicy = Vec<Option<Ready>>;

/// What earlier apps took that is counted over the whole job.
#[derive(Clone, Copy, Default)]
struct Before {
    procs: u32,
    lines: u32,
}

/// Places all apps.
///
/// # Errors
/// That of the first app that is refused.
pub(crate) fn all(site: &mut Site, job: Job<'_>, outcome: &mut JobOutcome) -> Result<(), MapError> {
    if side_by_side(site, job, outcome).is_some() {
        return Ok(());
    }
    in_order(site, job, outcome)
}

impl Job<'_> {
    /// An app that is placed; `None` for a hole, and for one that nobody asked for.
    ///
    /// # Errors
    /// `failed-map`.
    fn ready(
        self,
        app: AppId,
        table: &mut AppTable,
        ready_by_policy: &mut ReadyByPolicy,
    ) -> Result<Option<Ready>, MapError> {
        let asked = match self.index {
            AppIndex::All => true,
            AppIndex::Only(only) => only as usize == app.row(),
        };
        let Some(said) = self.resolved.apps.policy[app].filter(|_| asked) else {
            return Ok(None);
        };
        if let Some(&Some(ready)) = ready_by_policy.get(said.row()) {
            return Ok(Some(Ready { app, ..ready }));
        }
        let policy = &self.resolved.apps.policies[said];
        let by_size = policy.bind == BindTo::BySize;
        let policy = size::settle(policy, self.total);
        let component = self.registry.take(app, &policy)?;
        let id = table.intern(policy);
        let ready = Ready {
            app,
            policy,
            id,
            component,
            by_size,
        };
        ready_by_policy.resize(ready_by_policy.len().max(said.row() + 1), None);
        ready_by_policy[said.row()] = Some(ready);
        Ok(Some(ready))
    }

    /// Notes who was asked.
    fn log(self, calls: &mut Vec<Call>, ready: &Ready) {
        if self.resolved.dispatch == Dispatch::PerApp || self.index != AppIndex::All {
            let number = u32::try_from(ready.app.row()).unwrap_or(u32::MAX);
            self.registry
                .log(calls, AppIndex::Only(number), ready.component);
        } else if calls.is_empty() {
            self.registry.log(calls, AppIndex::All, ready.component);
        }
    }

    /// Whether a later app, or a later placement, may ask for what an app finds.
    fn reuse(&self, app: AppId) -> Reuse {
        let said = self.resolved.apps.policy[app];
        let last = self.last.zip(said).map(|(last, said)| last[said.row()]);
        if last == Some(Some(app)) {
            Reuse::No
        } else {
            Reuse::Yes
        }
    }

    fn job_of_app<'a>(&'a self, ready: &'a Ready, before: Before) -> AppJob<'a> {
        let component = &self.registry.components()[ready.component];
        AppJob {
            resolved: self.resolved,
            app: ready.app,
            policy: &ready.policy,
            id: ready.id,
            procs: self.counts[ready.app.row()],
            reuse: self.reuse(ready.app),
            base: before.procs,
            lines: before.lines,
            functions: &component.functions,
            component: &component.name,
        }
    }
}

fn procs(placed: &Placed) -> u64 {
    let each = |run: &crate::plan::PlacedRun| u64::from(run.procs) * u64::from(run.nodes.count);
    placed.runs.iter().map(each).sum()
}

/// App by app, each on what the earlier ones left.
fn in_order(site: &mut Site, job: Job<'_>, outcome: &mut JobOutcome) -> Result<(), MapError> {
    let resolved = job.resolved;
    let JobOutcome {
        placed,
        notes,
        calls,
        policies,
        ready_by_policy,
        ..
    } = outcome;
    placed.reserve(resolved.apps.len());
    let mut before = Before::default();
    for app in resolved.apps.ids() {
        let Some(ready) = job.ready(app, policies, ready_by_policy)? else {
            placed.push(Placed::default());
            continue;
        };
        job.log(calls, &ready);
        if let Some((_, error)) = resolved.deferred.iter().find(|(late, _)| *late == app) {
            return Err(error.clone().into());
        }
        let job_of_app = job.job_of_app(&ready, before);
        let one = place_or_without_pe(site, job, job_of_app, policies, notes)?;
        narrow(site, &ready, &one, notes);
        let all = u64::from(before.procs) + procs(&one);
        count::too_large(all)?;
        let procs = u32::try_from(procs(&one)).expect("checked against RANKS_MAX");
        before.procs += procs;
        if ready.policy.map == MapBy::Lsf {
            before.lines += procs;
        }
        placed.push(one);
    }
    Ok(())
}

fn narrow(site: &mut Site, ready: &Ready, placed: &Placed, notes: &mut Vec<Note>) {
    let cpu = matches!(
        ready.policy.bind,
        BindTo::Object(ObjKind::Core | ObjKind::Hwthread)
    );
    // A rankfile names the cpus itself.
    let listed = matches!(ready.policy.map, MapBy::Rankfile | MapBy::Lsf);
    if ready.by_size && cpu && !listed {
        notes::narrow(site, ready.app, placed, notes);
    }
}

/// Places an app; where its objects are too small for a PE that is only the job's, without it (`semantics` 5.1).
fn place_or_without_pe(
    site: &mut Site,
    job: Job<'_>,
    job_of_app: AppJob<'_>,
    table: &mut AppTable,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let (said, without) = (
        notes.len(),
        job_of_app.resolved.apps.without_pe[job_of_app.app],
    );
    if without.is_some() {
        site.pool.nodes.watch_claims();
    }
    let placed = place_app(site, job_of_app, notes);
    let before = site.pool.nodes.claimed_before();
    match (placed, without) {
        (Err(MapError::Place(PlaceError::PeExceedsObject { .. })), Some(without)) => {
            notes.truncate(said);
            // What the first try claimed is claimed anew.
            if let Some((runs, lowered)) = before {
                site.pool.nodes.slots_back(runs, lowered);
            }
            notes.push(Note::NoEffect {
                word: "the job's pe".to_owned(),
                owner: owner(job_of_app.app),
                why: "no object that the app is mapped to has as many cpus",
            });
            let policy = size::settle(&job_of_app.resolved.apps.policies[without], job.total);
            let id = table.intern(policy);
            let procs = job.counts[job_of_app.app.row()].without_pe();
            if procs == Procs::Counted(ProcCount(0)) {
                return Err(count::none(site, job_of_app.app));
            }
            let job_of_app = AppJob {
                policy: &policy,
                id,
                procs,
                ..job_of_app
            };
            place_app(site, job_of_app, notes)
        }
        (placed, _) => placed,
    }
}

/// An app placed on a branch.
struct Found {
    app: AppId,
    placed: Placed,
    notes: Vec<Note>,
    /// The rows of the branch behind it.
    sizes: TableSizes,
}

/// Some groups of apps, placed on a copy of the site.
struct Branch {
    site: Site,
    found: Vec<Found>,
    app_groups: Vec<AppGroup>,
}

/// Group of apps by group of apps, on branches of the site; `None` where that does not pay, or where only the order tells.
fn side_by_side(site: &mut Site, job: Job<'_>, outcome: &mut JobOutcome) -> Option<()> {
    let resolved = job.resolved;
    let branches = match site.pool.tables.sharing {
        // Asking for the threads would start them.
        Sharing::Worthwhile
            if resolved.apps.len() < APPS_FROM || site.pool.tables.states.len() < STATES_FROM =>
        {
            1
        }
        Sharing::Worthwhile => match rayon::current_num_threads() {
            threads if threads < THREADS_FROM => 1,
            threads => threads * BRANCHES_EACH,
        },
        Sharing::Always => resolved.apps.len(),
    };
    if branches < 2 || job.index != AppIndex::All || !resolved.deferred.is_empty() {
        return None;
    }
    let app_groups = app_groups(site, resolved)?;
    let mut own = AppTable::default();
    own.copy_policies(&outcome.policies);
    let mut ready_by_policy = ReadyByPolicy::default();
    let ready: Vec<Option<Ready>> = resolved
        .apps
        .ids()
        .map(|app| job.ready(app, &mut own, &mut ready_by_policy).ok())
        .collect::<Option<_>>()?;
    let dealt = deal(app_groups, branches);
    let placed: Vec<Option<Branch>> = dealt
        .into_par_iter()
        .map(|app_groups| on_branch(site, job, &ready, app_groups))
        .collect();
    let placed: Vec<Branch> = placed.into_iter().collect::<Option<_>>()?;
    let procs: u64 = placed
        .iter()
        .flat_map(|branch| &branch.found)
        .map(|found| procs(&found.placed))
        .sum();
    if procs > u64::from(RANKS_MAX) {
        return None;
    }
    outcome.policies = own;
    for ready in ready.iter().flatten() {
        job.log(&mut outcome.calls, ready);
    }
    joined(site, resolved.apps.len(), placed, outcome);
    Some(())
}

/// Groups in so many shares of about as many apps.
fn deal(app_groups: Vec<AppGroup>, shares: usize) -> Vec<Vec<AppGroup>> {
    let apps: usize = app_groups.iter().map(|group| group.apps.len()).sum();
    let mut dealt: Vec<Vec<AppGroup>> = (0..shares).map(|_| Vec::new()).collect();
    let mut before = 0;
    for group in app_groups {
        let share = before * shares / apps.max(1);
        before += group.apps.len();
        dealt[share].push(group);
    }
    dealt.retain(|share| !share.is_empty());
    dealt
}

/// `None` when an app is refused, or needs what only the order tells.
fn on_branch(
    site: &Site,
    job: Job<'_>,
    ready: &[Option<Ready>],
    app_groups: Vec<AppGroup>,
) -> Option<Branch> {
    let mut site = site.branch();
    let mut apps: Vec<AppId> = app_groups
        .iter()
        .flat_map(|group| &group.apps)
        .copied()
        .collect();
    apps.sort_unstable();
    let mut found = Vec::with_capacity(apps.len());
    for app in apps {
        let ready = ready[app.row()].as_ref()?;
        let mut notes = Vec::new();
        let job_of_app = job.job_of_app(ready, Before::default());
        let placed = place_app(&mut site, job_of_app, &mut notes).ok()?;
        narrow(&mut site, ready, &placed, &mut notes);
        found.push(Found {
            app,
            placed,
            notes,
            sizes: site.sizes(),
        });
    }
    Some(Branch {
        site,
        found,
        app_groups,
    })
}

/// Joins branches app by app: ids come in the order in which one after the other would have given them.
fn joined(site: &mut Site, apps: usize, branches: Vec<Branch>, outcome: &mut JobOutcome) {
    let mut joined_rows: Vec<Joined> = branches.iter().map(|_| Joined::new(site)).collect();
    let mut sites = Vec::with_capacity(branches.len());
    let mut found: Vec<(usize, Found)> = Vec::with_capacity(apps);
    for (row, branch) in branches.into_iter().enumerate() {
        found.extend(branch.found.into_iter().map(|found| (row, found)));
        sites.push((branch.site, branch.app_groups));
    }
    found.sort_unstable_by_key(|(_, found)| found.app);
    let JobOutcome { placed, notes, .. } = outcome;
    placed.reserve(apps);
    for (row, found) in found {
        let joint = &mut joined_rows[row];
        joint.take(site, &sites[row].0, found.sizes);
        placed.resize_with(found.app.row(), Placed::default);
        placed.push(joint.placed(found.placed));
        notes.extend(found.notes);
    }
    placed.resize_with(apps, Placed::default);
    let mut changes = Vec::new();
    for (joint, (branch, app_groups)) in joined_rows.iter().zip(&sites) {
        for group in app_groups {
            joint.left(branch, group, &mut changes);
        }
    }
    site.pool.nodes.change(&mut changes);
}
