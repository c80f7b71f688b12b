//! The loop over apps and components, for callers that run it themselves: which component is asked about which app, and when.

use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::map::{Components, Machine, Mapped, build_workspace, make_plan};
use crate::plan::Derived;
use crate::stage::component::{Answer, AppIndex, Call, Dispatch};
use crate::stage::job::all_apps::{counted, finish_job};
use crate::stage::job::in_order::place_chosen;
use crate::stage::job::{Before, Choice, JobOutcome};
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Policy};
use crate::table::states::StateRuns;

/// A job whose apps are mapped one at a time, by the components that the caller asks.
#[derive(Debug)]
pub struct MapJob {
    resolved: Resolved,
    components: Components,
    work: Workspace,
    /// The states in which the job finds the nodes.
    found: StateRuns,
    outcome: JobOutcome,
    total: u64,
    before: Before,
    /// Apps that are placed. Shape `[apps]`.
    done: Vec<bool>,
    /// Why the last component that was asked could not place its app.
    why: Option<MapError>,
}

impl MapJob {
    /// A job on the nodes that it names. Nothing is placed yet.
    ///
    /// # Errors
    /// Those of [`crate::map::map_resolved`] that concern the nodes and the counts of processes.
    pub fn new(
        mut resolved: Resolved,
        mut machine: Machine,
        components: Components,
    ) -> Result<Self, MapError> {
        let mut work = build_workspace(&resolved, &mut machine)?;
        let mut outcome = JobOutcome::default();
        let total = counted(&mut work, &mut resolved, &mut outcome)?;
        Ok(Self {
            found: work.pool.nodes.runs.clone(),
            done: vec![false; resolved.apps.len()],
            resolved,
            components,
            work,
            outcome,
            total,
            before: Before::default(),
            why: None,
        })
    }

    /// The resolved apps, and what their request says.
    #[must_use]
    pub const fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// The components.
    #[must_use]
    pub const fn components(&self) -> &Components {
        &self.components
    }

    /// Whether components are asked once for all apps, or app by app.
    #[must_use]
    pub const fn dispatch(&self) -> Dispatch {
        self.resolved.dispatch
    }

    /// The options of an app with every default decided. `None` for a hole and for a number beyond the apps.
    #[must_use]
    pub fn options(&self, app: u32) -> Option<Policy> {
        let id = self.id(app)?;
        Choice::settled(&self.resolved, self.total, id)
    }

    /// Why the last component that was asked is busy.
    #[must_use]
    pub const fn why(&self) -> Option<&MapError> {
        self.why.as_ref()
    }

    fn id(&self, app: u32) -> Option<AppId> {
        let there = (app as usize) < self.resolved.apps.len();
        there.then(|| AppId::from_row(app as usize))
    }

    /// Asks a component to map: one app, or all that are not mapped yet. A hole, a number beyond the apps and an app that is mapped
    /// already are success with nothing done.
    ///
    /// After [`Answer::TakeNextOption`] and [`Answer::ResourceBusy`] nothing has changed for the app that was asked about.
    ///
    /// # Errors
    /// The refusals of placing, other than those two answers: no room, no such objects, no cpus.
    pub fn ask(&mut self, index: AppIndex, component: usize) -> Result<Answer, MapError> {
        let apps: Vec<AppId> = match index {
            AppIndex::Only(app) => self.id(app).into_iter().collect(),
            AppIndex::All => self.resolved.apps.ids().collect(),
        };
        for id in apps {
            let answer = self.ask_about(id, component)?;
            if answer != Answer::Success {
                return Ok(self.answered(index, component, answer));
            }
        }
        Ok(self.answered(index, component, Answer::Success))
    }

    fn answered(&mut self, app: AppIndex, component: usize, answer: Answer) -> Answer {
        if let Some(row) = self.components.registry.components().get(component) {
            self.outcome.calls.push(Call {
                component: row.name.clone(),
                app,
                answer,
            });
        }
        answer
    }

    fn ask_about(&mut self, id: AppId, component: usize) -> Result<Answer, MapError> {
        let Some(said) = self.resolved.apps.policy[id].filter(|_| !self.done[id.row()]) else {
            return Ok(Answer::Success);
        };
        let (resolved, components) = (&mut self.resolved, &self.components);
        let Some(choice) = Choice::of(resolved, components, self.total, (id, said), component)
        else {
            return Ok(Answer::TakeNextOption);
        };
        let job = (components, self.total);
        let (work, outcome) = (&mut self.work, &mut self.outcome);
        match place_chosen(
            work,
            resolved,
            job,
            (id, &choice),
            &mut self.before,
            outcome,
        ) {
            Ok(()) => {
                self.done[id.row()] = true;
                Ok(Answer::Success)
            }
            Err(MapError::Place(PlaceError::TakeNextOption(_))) => Ok(Answer::TakeNextOption),
            Err(error @ MapError::Place(PlaceError::ResourceBusy { .. })) => {
                self.why = Some(error);
                Ok(Answer::ResourceBusy)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives the ranks, in one pass over all apps, and makes the plan. Apps that nobody mapped have no ranks.
    ///
    /// # Errors
    /// `not-enough-gpus`, `device-not-found`.
    pub fn finish(mut self) -> Result<Mapped, MapError> {
        finish_job(&mut self.work, &mut self.outcome);
        let derived = &mut Derived::default();
        make_plan(
            &self.work,
            self.resolved.apps,
            self.found,
            derived,
            &mut self.outcome,
        )
    }
}
