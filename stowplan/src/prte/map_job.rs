//! The loop over apps and components, left to the caller.

use crate::component::{Answer, AppIndex, Options, Registry};
use crate::placing::resolve;
use crate::{Error, Job, Machine, Plan};
use std::fmt;
use stowplan_engine::map_job;
use stowplan_engine::stage::component::Dispatch;

/// A job whose apps are mapped one at a time, by the components that the caller asks: `prte_rmaps_base_map_job` without its loop.
///
/// Ranks come last, in one pass over all apps, so they run on from app to app in whatever order apps were mapped.
pub struct MapJob {
    inner: map_job::MapJob,
}

impl MapJob {
    /// A job on a machine, with every option resolved and every process counted. Nothing is placed yet.
    ///
    /// # Errors
    /// As [`Plan::new`], except for the errors that placement finds.
    pub fn new(job: &Job, machine: &Machine, registry: &Registry) -> Result<Self, Error> {
        let (resolved, machine) = resolve(job, machine)?;
        let components = registry.for_apps(AppIndex::All);
        let inner = map_job::MapJob::new(resolved, machine, components)?;
        Ok(Self { inner })
    }

    /// Whether PRRTE would ask once for the whole job ([`Dispatch::Single`]), or app by app because an app has directives of its own.
    #[must_use]
    pub const fn dispatch(&self) -> Dispatch {
        self.inner.dispatch()
    }

    /// The numbers of the apps, holes left out.
    #[must_use]
    pub fn apps(&self) -> Vec<u32> {
        let apps = 0..u32::try_from(self.inner.resolved().apps.len()).unwrap_or(u32::MAX);
        apps.filter(|app| self.inner.options(*app).is_some())
            .collect()
    }

    /// The resolved options of an app. `None` for a hole and for a number beyond the apps.
    #[must_use]
    pub fn options(&self, app: u32) -> Option<Options<'_>> {
        let policy = self.inner.options(app)?;
        Some(Options::new(policy, Some(&self.inner.resolved().apps)))
    }

    /// Asks a component, by its place in [`Registry::names`], to map one app, or all that are not mapped yet. A hole, a number beyond
    /// the apps and an app that is mapped already are success with nothing done.
    ///
    /// `TakeNextOption`: the app is not for this component, by its options or after a look at its nodes. `ResourceBusy`: nobody may
    /// map it, and [`MapJob::why`] says why. Nothing has changed for that app after either.
    ///
    /// # Errors
    /// The refusals of placing: no room, no such objects, no cpus. As in PRRTE, the map has failed then.
    pub fn ask(&mut self, app: AppIndex, component: usize) -> Result<Answer, Error> {
        Ok(self.inner.ask(app, component)?)
    }

    /// Why the last component that was busy was so.
    #[must_use]
    pub fn why(&self) -> Option<Error> {
        self.inner.why().map(|error| error.clone().into())
    }

    /// Gives the ranks (`prte_rmaps_base_compute_vpids`) and makes the plan. Apps that nobody mapped have no ranks.
    ///
    /// # Errors
    /// `not-enough-gpus`, `device-not-found`.
    pub fn finish(self) -> Result<Plan, Error> {
        Ok(Plan::of(self.inner.finish()?))
    }
}

impl fmt::Debug for MapJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapJob({} apps)", self.apps().len())
    }
}
