//! Places groups of apps that do not compete side by side on copies of the nodes, and joins them in the order of the apps.
//!
//! The result is the same, byte for byte, as placing one app after the other: only node states pass between apps. When an app is
//! refused, or depends on all earlier apps, all apps are placed in order instead, and the first app that is refused gives the error.

use super::groups::{AppGroup, app_groups};
use super::in_order::place_app;
use super::{Before, Choice, Choices, JobOutcome, choose, processes};
use crate::error::Note;
use crate::id::Id;
use crate::limit::RANKS_MAX;
use crate::plan::Placed;
use crate::stage::alloc::{Pool, Tables};
use crate::stage::component::{AppIndex, Components};
use crate::stage::map_all::Threading;
use crate::stage::place::app::Procs;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::AppId;
use crate::table::cpusets::CpusetId;
use crate::table::patterns::{PatternDraft, PatternId};
use crate::table::pusets::PuSetId;
use crate::table::states::{NodeState, StateId};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Placing side by side may pay off from this many apps and this many different node states. With few states, the results
/// of the first app serve the others.
const APPS_FROM: usize = 128;
const STATES_FROM: usize = 128;
/// Two threads gain nothing: joining in order costs as much as the second thread saves (measured: docs/scale.md, "Threads").
const THREADS_FROM: usize = 3;
/// Copies of the nodes for each thread: several, because groups of apps differ in size.
const COPIES_EACH: usize = 2;

/// An app, placed on a copy.
struct Found {
    app: AppId,
    placed: Placed,
    notes: Vec<Note>,
    /// How many cpu sets the copy has after this app.
    cpusets: usize,
}

/// Some groups of apps, placed on a copy of the nodes.
struct Branch<'g> {
    work: Workspace,
    groups: &'g [AppGroup],
    /// By ascending app.
    found: Vec<Found>,
}

/// What all branches share.
#[derive(Clone, Copy)]
struct Job<'r> {
    resolved: &'r Resolved,
    components: &'r Components,
    /// Shape `[apps]`, like the counts.
    choices: &'r [Option<Choice>],
    counts: &'r [Procs],
}

/// Places all apps, group by group. `None` when that does not pay off, or when an app depends on all earlier apps.
pub(crate) fn side_by_side(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    total: u64,
    outcome: &mut JobOutcome,
) -> Option<()> {
    let copies = copies(&work.pool, resolved.apps.len());
    // A launcher's own components may keep state, and may look and pass: they see the apps in order.
    let in_order = components.index != AppIndex::All || components.registry.has_own();
    if copies < 2 || in_order || !resolved.deferred.is_empty() {
        return None;
    }
    let groups = app_groups(&work.pool, resolved)?;
    let policies = resolved.apps.policies.len();
    let (apps, mut known) = (resolved.apps.ids(), Choices::new());
    let choices = apps.map(|app| choose(resolved, components, total, app, &mut known).ok());
    let choices = choices.collect::<Option<Vec<_>>>();
    let branches = choices.as_deref().and_then(|choices| {
        let job = Job {
            resolved,
            components,
            choices,
            counts: &outcome.counts,
        };
        job.branches(work, &groups, copies)
    });
    let Some((choices, branches)) = choices.as_ref().zip(branches) else {
        resolved.apps.keep_policies(policies);
        return None;
    };
    for (app, choice) in resolved.apps.ids().zip(choices) {
        if let Some(choice) = choice {
            choice.log(app, resolved, components, &mut outcome.calls);
        }
    }
    join_all(work, branches, outcome);
    Some(())
}

/// On how many copies of the nodes the apps are placed.
fn copies(pool: &Pool, apps: usize) -> usize {
    match pool.tables.threading {
        Threading::Always => apps,
        // Asking rayon for its number of threads would start them.
        Threading::Worthwhile | Threading::Within
            if apps < APPS_FROM || pool.tables.states.len() < STATES_FROM =>
        {
            1
        }
        threading @ (Threading::Worthwhile | Threading::Within) => match threading.threads() {
            threads if threads < THREADS_FROM => 1,
            threads => threads * COPIES_EACH,
        },
    }
}

impl Job<'_> {
    /// `None` when an app is refused, or depends on all earlier apps.
    fn branches<'g>(
        self,
        work: &Workspace,
        groups: &'g [AppGroup],
        copies: usize,
    ) -> Option<Vec<Branch<'g>>> {
        let shares = groups.par_chunks(groups.len().div_ceil(copies));
        let placed: Vec<Option<Branch<'g>>> =
            shares.map(|groups| self.branch(work, groups)).collect();
        let branches: Vec<Branch<'g>> = placed.into_iter().collect::<Option<_>>()?;
        let found = branches.iter().flat_map(|branch| &branch.found);
        let procs: u64 = found.map(|found| processes(&found.placed)).sum();
        (procs <= u64::from(RANKS_MAX)).then_some(branches)
    }

    fn branch<'g>(self, work: &Workspace, groups: &'g [AppGroup]) -> Option<Branch<'g>> {
        let mut work = Workspace::new(work.pool.branch());
        let apps = groups.iter().flat_map(|group| &group.apps);
        let mut apps: Vec<AppId> = apps.copied().collect();
        apps.sort_unstable();
        let mut found = Vec::with_capacity(apps.len());
        for id in apps {
            let choice = self.choices[id.row()].as_ref()?;
            let procs = self.counts[id.row()];
            let app = choice.app(id, self.resolved, self.components, procs, Before::default());
            let mut notes = Vec::new();
            let placed = place_app(&mut work, &app, &mut notes).ok()?;
            let origins = self.resolved.apps.origins[id];
            choice.note_bindings(&mut work.pool, (id, origins), &placed, 0, &mut notes);
            found.push(Found {
                app: id,
                placed,
                notes,
                cpusets: work.pool.tables.cpusets.len(),
            });
        }
        Some(Branch {
            work,
            groups,
            found,
        })
    }
}

/// Joins branches app by app: cpu sets get the ids that they would get from placing in order.
fn join_all(work: &mut Workspace, branches: Vec<Branch<'_>>, outcome: &mut JobOutcome) {
    let Pool { nodes, tables, .. } = &mut work.pool;
    let mut found: Vec<(usize, Found)> = Vec::new();
    let mut joined = Vec::with_capacity(branches.len());
    for (row, branch) in branches.into_iter().enumerate() {
        found.extend(branch.found.into_iter().map(|found| (row, found)));
        joined.push((Joined::new(branch.work.pool), branch.groups));
    }
    found.sort_unstable_by_key(|(_, found)| found.app);
    for (row, found) in found {
        let (joined, _) = &mut joined[row];
        joined.take_cpusets(tables, found.cpusets);
        outcome.placed[found.app.row()] = joined.placed(tables, found.placed);
        outcome.notes.extend(found.notes);
    }
    let mut changes = Vec::new();
    for (joined, groups) in &joined {
        nodes.lowered.extend(&joined.branch.nodes.lowered);
        for range in groups.iter().flat_map(|group| group.nodes.iter()) {
            let parts = joined.branch.nodes.runs.within(range);
            changes.extend(parts.map(|(part, state)| (part, joined.state(tables, state))));
        }
    }
    nodes.change(&mut changes);
}

/// A branch whose rows are taken over into the tables of the job.
struct Joined {
    branch: Pool,
    /// The job's ids of the branch's cpu sets, as far as they were taken over.
    cpusets: Vec<CpusetId>,
    patterns: HashMap<PatternId, PatternId>,
}

impl Joined {
    fn new(branch: Pool) -> Self {
        Self {
            branch,
            cpusets: Vec::new(),
            patterns: HashMap::new(),
        }
    }

    /// Takes over the first `until` cpu sets.
    fn take_cpusets(&mut self, tables: &mut Tables, until: usize) {
        for row in self.cpusets.len()..until {
            let set = self.branch.tables.cpusets.get(CpusetId::from_row(row));
            let own = Arc::make_mut(&mut tables.cpusets).intern(set.clone());
            self.cpusets.push(own);
        }
    }

    /// A placed app with the job's ids of its patterns.
    fn placed(&mut self, tables: &mut Tables, mut placed: Placed) -> Placed {
        for run in &mut placed.runs {
            run.pattern = self.pattern(tables, run.pattern);
        }
        // Two patterns of a branch may be one pattern of the job: neighbouring runs that became equal are joined.
        placed.runs.dedup_by(|run, last| last.join(run));
        placed
    }

    fn pattern(&mut self, tables: &mut Tables, pattern: PatternId) -> PatternId {
        let (own, before) = (&self.branch.tables, self.branch.tables.cpusets_before);
        let cpusets = &self.cpusets;
        *self.patterns.entry(pattern).or_insert_with(|| {
            let mut segments: PatternDraft = own.patterns.get(pattern).segments().into();
            for run in segments.iter_mut().flat_map(|segment| &mut segment.runs) {
                if let Some(cpus) = &mut run.place.cpus
                    && let Some(new) = cpus.row().checked_sub(before)
                {
                    *cpus = cpusets[new];
                }
            }
            tables.pattern(segments)
        })
    }

    fn state(&self, tables: &mut Tables, state: StateId) -> StateId {
        let own = &self.branch.tables;
        let mut set = |set: PuSetId| Arc::make_mut(&mut tables.pusets).intern(own.pusets.get(set));
        let row = *own.states.get(state);
        let state = NodeState {
            allowed: set(row.allowed),
            free: set(row.free),
            ..row
        };
        tables.state(state)
    }
}
