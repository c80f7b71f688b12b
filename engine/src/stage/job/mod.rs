//! The apps of a job: how many processes each has, which policy and component place it, and which apps compete for nodes.
//! Source: `semantics` 5, `per-app` 5, 8.

// How many processes each app has.
pub(crate) mod count;
// Which apps compete for nodes.
pub(crate) mod groups;
// Apps placed one after the other.
pub(crate) mod in_order;
// Apps placed side by side, and joined.
pub(crate) mod side_by_side;
// All apps, one way or the other.
pub(crate) mod all_apps;

use crate::error::{MapError, Note};
use crate::id::Id as _;
use crate::plan::Placed;
use crate::policy::{BindTo, MapBy, ObjKind};
use crate::stage::alloc::Pool;
use crate::stage::component::{AppIndex, Call, Components, Dispatch};
use crate::stage::map_word::word_of;
use crate::stage::place::app::{App, Procs};
use crate::stage::place::notes;
use crate::stage::resolve::{Resolved, size};
use crate::table::apps::{AppId, Policy, PolicyId};
use crate::table::origins::{Origin, Origins, Rule};

/// The results of placing the apps, besides the node states. Each placement of a job refills it and reuses its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobOutcome {
    /// Shape `[apps]`.
    pub(crate) placed: Vec<Placed>,
    pub(crate) notes: Vec<Note>,
    pub(crate) calls: Vec<Call>,
    /// How many processes each app has, as far as that is known before anything is placed. Shape `[apps]`.
    pub(crate) counts: Vec<Procs>,
    pub(crate) choices: Choices,
}

impl JobOutcome {
    /// Starts a new outcome in the memory of the last one.
    pub(crate) fn start(&mut self, resolved: &Resolved) {
        self.placed
            .resize_with(resolved.apps.len(), Placed::default);
        self.notes.clear();
        self.notes.extend_from_slice(&resolved.notes);
        self.calls.clear();
        self.choices.clear();
    }
}

/// How apps of each policy are placed, for the policies met so far. Shape `[policies]`.
pub(crate) type Choices = Vec<Option<Choice>>;

/// How an app is placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Its policy, with the binding decided.
    pub(crate) policy: Policy,
    pub(crate) policy_id: PolicyId,
    /// Row of the component that takes it.
    component: usize,
    /// Whether the size of the job decided its binding.
    by_size: bool,
}

/// Chooses how an app is placed. `None` for a hole, and for an app that is not asked for. `total`: processes of the job.
///
/// # Errors
/// `failed-map`.
pub(crate) fn choose(
    resolved: &mut Resolved,
    components: &Components,
    total: u64,
    app: AppId,
    choices: &mut Choices,
) -> Result<Option<Choice>, MapError> {
    let asked = match components.index {
        AppIndex::All => true,
        AppIndex::Only(only) => only == app.number(),
    };
    let Some(said) = resolved.apps.policy[app].filter(|_| asked) else {
        return Ok(None);
    };
    // What takes one app of a policy takes all of them that name no word.
    let by_policy = word_of(&resolved.request, app).is_none();
    if let Some(&Some(known)) = choices.get(said.row()).filter(|_| by_policy) {
        return Ok(Some(known));
    }
    let choice = Choice::from(resolved, components, total, (app, said), 0)?;
    if by_policy {
        choices.resize(choices.len().max(said.row() + 1), None);
        choices[said.row()] = Some(choice);
    }
    Ok(Some(choice))
}

impl Choice {
    /// An app by one component; `None` if that does not take it.
    pub(crate) fn of(
        resolved: &mut Resolved,
        components: &Components,
        total: u64,
        (app, said): (AppId, PolicyId),
        component: usize,
    ) -> Option<Self> {
        let found = Self::from(resolved, components, total, (app, said), component);
        found.ok().filter(|choice| choice.component == component)
    }

    /// An app by the first component from `first` on that takes it.
    ///
    /// # Errors
    /// `failed-map`.
    fn from(
        resolved: &mut Resolved,
        components: &Components,
        total: u64,
        (app, said): (AppId, PolicyId),
        first: usize,
    ) -> Result<Self, MapError> {
        let unsettled = resolved.apps.policies[said];
        let policy = size::settle(&unsettled, total);
        let word = word_of(&resolved.request, app);
        Ok(Self {
            component: components.registry.take(app, word, &policy, first)?,
            policy,
            policy_id: resolved.apps.intern(policy),
            by_size: unsettled.bind == BindTo::BySize,
        })
    }

    /// The policy of an app, with its binding decided. `None` for a hole.
    pub(crate) fn settled(resolved: &Resolved, total: u64, app: AppId) -> Option<Policy> {
        let policy = resolved.apps.policy(app)?;
        Some(size::settle(policy, total))
    }

    /// The app goes to the next component that takes it, after this one passed.
    ///
    /// # Errors
    /// `failed-map`.
    pub(crate) fn pass(
        &mut self,
        app: AppId,
        resolved: &Resolved,
        components: &Components,
    ) -> Result<(), MapError> {
        let from = self.component + 1;
        let word = word_of(&resolved.request, app);
        self.component = components.registry.take(app, word, &self.policy, from)?;
        Ok(())
    }

    /// Logs the components that were asked about the app.
    pub(crate) fn log(
        &self,
        app: AppId,
        resolved: &Resolved,
        components: &Components,
        calls: &mut Vec<Call>,
    ) {
        let Components { registry, index } = components;
        if resolved.dispatch == Dispatch::PerApp || *index != AppIndex::All {
            registry.log(calls, AppIndex::Only(app.number()), self.component);
        } else if calls.is_empty() {
            registry.log(calls, AppIndex::All, self.component);
        }
    }

    /// How the app is placed without the job's PE, if it may drop that PE.
    pub(crate) fn without_pe(
        &self,
        app: AppId,
        resolved: &mut Resolved,
        total: u64,
    ) -> Option<Self> {
        let without = resolved.apps.without_pe[app]?;
        let policy = size::settle(&resolved.apps.policies[without], total);
        Some(Self {
            policy,
            policy_id: resolved.apps.intern(policy),
            ..*self
        })
    }

    /// The app to place. `before`: what earlier apps took.
    pub(crate) fn app<'r>(
        &'r self,
        id: AppId,
        resolved: &'r Resolved,
        components: &'r Components,
        procs: Procs,
        before: Before,
    ) -> App<'r> {
        App {
            resolved,
            id,
            policy: &self.policy,
            policy_id: self.policy_id,
            procs,
            ranks_before: before.ranks,
            lines_before: before.lines,
            component: &components.registry.components()[self.component],
        }
    }

    /// Adds notes about bindings that nobody asked for, and about objects that leave cpus out. `own`: the row of the app's first note.
    pub(crate) fn note_bindings(
        &self,
        pool: &mut Pool,
        (app, origins): (AppId, Option<Origins>),
        placed: &Placed,
        own: usize,
        notes: &mut Vec<Note>,
    ) {
        let cpu = matches!(
            self.policy.bind,
            BindTo::Object(ObjKind::Core | ObjKind::Hwthread)
        );
        notes::by_objects(pool, (app, &self.policy), placed, own, notes);
        // A rankfile names the cpus itself.
        let listed = matches!(self.policy.map, MapBy::Rankfile | MapBy::Lsf);
        let by_default = origins.is_some_and(|own| {
            let map = Origin::Default(Rule::MapCore);
            own.map == map && own.bind == Origin::Default(Rule::BindAsMapped)
        });
        let by_size = self.by_size || by_default && processes(placed) <= 2;
        if by_size && cpu && !listed {
            notes::narrow(pool, app, placed, notes);
        }
    }
}

/// The ranks and file lines that earlier apps took: both are counted over the whole job.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    pub(crate) ranks: u32,
    pub(crate) lines: u32,
}

/// Processes of an app.
pub(crate) fn processes(placed: &Placed) -> u64 {
    let runs = placed.runs.iter();
    runs.map(|run| u64::from(run.procs) * u64::from(run.nodes.count))
        .sum()
}
