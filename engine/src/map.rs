//! Runs the stages in order: from a resolved request and a machine to a plan.

use crate::error::{MapError, Note};
use crate::plan::{Derived, Plan};
use crate::stage::alloc::build_pool::build_pool;
use crate::stage::component::Call;
pub use crate::stage::component::Components;
use crate::stage::job::JobOutcome;
use crate::stage::job::all_apps::place_apps;
use crate::stage::map_all::Threading;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::AppTable;
pub use crate::table::machine::{Candidates, CpuList, InUse, Machine};
use crate::table::states::StateRuns;

/// A plan, its notes, and the calls of components.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// Where every process is.
    pub plan: Plan,
    /// Notes, in the order they were found.
    pub notes: Vec<Note>,
    /// Which components were asked, for which app, and what they answered.
    pub calls: Vec<Call>,
}

/// Places a resolved job: runs all stages, in the order of the data.
///
/// # Errors
/// A [`MapError`] when the machine cannot honor the request; then nothing is placed.
pub fn map_resolved(resolved: Resolved, machine: Machine) -> Result<Mapped, MapError> {
    map_with(resolved, machine, Components::standard())
}

/// As [`map_resolved`], but shares all work that threads can share, even if there is little of it. Tests use it to show
/// that the number of threads changes nothing, even where one thread would do.
///
/// # Errors
/// As [`map_resolved`].
pub fn map_shared(resolved: Resolved, mut machine: Machine) -> Result<Mapped, MapError> {
    let mut work = build_workspace(&resolved, &mut machine)?;
    work.pool.tables.threading = Threading::Always;
    map_on(resolved, work, &Components::standard())
}

/// As [`map_resolved`], with a launcher's own components, for all apps or only for one.
///
/// # Errors
/// As [`map_resolved`]; `failed-map` when no component takes an app.
pub fn map_with(
    resolved: Resolved,
    mut machine: Machine,
    components: Components,
) -> Result<Mapped, MapError> {
    let work = build_workspace(&resolved, &mut machine)?;
    map_on(resolved, work, &components)
}

/// Builds the pool, which nodes there are and in which state, and an empty memo and scratch beside it.
///
/// # Errors
/// The errors of [`map_resolved`] that concern the nodes, and those of [`Resolved::check_cores`].
pub(crate) fn build_workspace(
    resolved: &Resolved,
    machine: &mut Machine,
) -> Result<Workspace, MapError> {
    resolved.check_cores(&machine.topologies)?;
    build_pool(resolved, machine).map(Workspace::new)
}

/// Places a resolved job on the nodes of a workspace.
pub(crate) fn map_on(
    mut resolved: Resolved,
    mut work: Workspace,
    components: &Components,
) -> Result<Mapped, MapError> {
    let before = work.pool.nodes.runs.clone();
    let mut outcome = JobOutcome::default();
    place_apps(&mut work, &mut resolved, components, &mut outcome)?;
    make_plan(
        &work,
        resolved.apps,
        before,
        &mut Derived::default(),
        &mut outcome,
    )
}

/// The last stage: gives ranks, as a prefix sum over the apps, and makes the plan, which shares the tables of the workspace. `before`: the
/// states in which the job found the nodes; `derived`: what an earlier plan derived from the same patterns, and then what this one did,
/// also where its GPUs refuse it.
///
/// # Errors
/// `not-enough-gpus`, `device-not-found`.
pub(crate) fn make_plan(
    work: &Workspace,
    apps: AppTable,
    before: StateRuns,
    derived: &mut Derived,
    outcome: &mut JobOutcome,
) -> Result<Mapped, MapError> {
    let (world, patterns) = work.world(before);
    let placed = std::mem::take(&mut outcome.placed);
    let earlier = std::mem::take(derived);
    let mut mapped = Mapped {
        plan: Plan::assemble_again(world, apps, patterns, earlier, placed),
        notes: std::mem::take(&mut outcome.notes),
        calls: std::mem::take(&mut outcome.calls),
    };
    *derived = mapped.plan.derived();
    mapped.plan.check_gpus(&mut mapped.notes)?;
    Ok(mapped)
}
