//! The list of stages: from a resolved request and a machine to a plan.

use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::plan::{Placed, Plan};
use crate::policy::{BindTo, MapBy, ObjKind};
use crate::spawn::request::owner;
use crate::stage::app::{Turn, place_app};
use crate::stage::component::{AppIndex, Call, Dispatch, Registry};
use crate::stage::parallel::Sharing;
use crate::stage::resolve::Resolved;
use crate::stage::site::Site;
use crate::stage::{count, notes, pool};
use crate::table::apps::AppTable;
pub use crate::table::machine::{Candidates, CpuList, Machine};
use crate::table::topologies::Topologies;

/// A plan, and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// Where every process is.
    pub plan: Plan,
    /// Notes, in the order they were found.
    pub notes: Vec<Note>,
    /// Which components were asked, for what, and what they answered.
    pub calls: Vec<Call>,
}

/// Places a resolved job: the engine, in the order of the data.
///
/// # Errors
/// A [`MapError`] when the machine cannot honour the request; nothing is placed then.
pub fn map_resolved(resolved: Resolved, machine: Machine) -> Result<Mapped, MapError> {
    map_with(resolved, machine, Components::standard())
}

/// As [`map_resolved`], with everything that threads can share shared between them, be it ever so little: shows that the
/// number of threads changes nothing, also where one thread would do.
///
/// # Errors
/// As [`map_resolved`].
pub fn map_shared(resolved: Resolved, mut machine: Machine) -> Result<Mapped, MapError> {
    judge_cores(&resolved, &machine.topologies)?;
    let mut site = pool::build(&resolved, &mut machine)?;
    site.sharing = Sharing::Always;
    map_on(resolved, site, &Components::standard())
}

/// Who places a job, and which of its apps.
#[derive(Clone, Debug)]
pub struct Components {
    /// The mappers, by priority.
    pub registry: Registry,
    /// Which apps: `app_idx`.
    pub index: AppIndex,
}

impl Components {
    /// The engine's own five, for all apps.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            registry: Registry::standard(),
            index: AppIndex::All,
        }
    }
}

/// As [`map_resolved`], with a launcher's own components, for all apps or one alone.
///
/// # Errors
/// As [`map_resolved`]; `failed-map` where no component takes an app.
pub fn map_with(
    resolved: Resolved,
    mut machine: Machine,
    components: Components,
) -> Result<Mapped, MapError> {
    judge_cores(&resolved, &machine.topologies)?;
    // Which nodes there are, in which state.
    let site = pool::build(&resolved, &mut machine)?;
    map_on(resolved, site, &components)
}

/// Places a resolved job on nodes that are there.
pub(crate) fn map_on(
    resolved: Resolved,
    mut site: Site,
    components: &Components,
) -> Result<Mapped, MapError> {
    place_on(&resolved, &mut site, components)
}

/// The same on a site that is used again: the plan has its tables until they are taken back.
pub(crate) fn place_on(
    resolved: &Resolved,
    site: &mut Site,
    components: &Components,
) -> Result<Mapped, MapError> {
    let Components { registry, index } = components;
    let mut calls = Vec::new();
    let mut notes = resolved.notes.clone();
    let before = site.runs.clone();
    // How many processes, where nobody said; that settles bindings by size.
    let counts = count::count(site, resolved)?;
    let total = count::total(&count::for_size(resolved, &counts));
    // App by app, each on what the earlier ones left.
    let mut table = resolved.apps.clone();
    let mut placed = Vec::with_capacity(table.len());
    let (mut base, mut lines) = (0_u32, 0_u32);
    for (app, &procs) in resolved.apps.ids().zip(&counts) {
        let Some(policy) = resolved.apps.policy(app) else {
            placed.push(Placed::default());
            continue;
        };
        let number = u32::try_from(app.row()).unwrap_or(u32::MAX);
        if matches!(index, AppIndex::Only(only) if *only != number) {
            placed.push(Placed::default());
            continue;
        }
        let by_size = policy.bind == BindTo::BySize;
        let policy = count::settle(policy, total);
        let component = registry.take(app, &policy)?;
        if resolved.dispatch == Dispatch::PerApp || *index != AppIndex::All {
            registry.log(&mut calls, AppIndex::Only(number), component);
        } else if calls.is_empty() {
            registry.log(&mut calls, AppIndex::All, component);
        }
        let id = table.intern(policy);
        let turn = Turn {
            resolved,
            app,
            policy: &policy,
            id,
            procs,
            base,
            lines,
            functions: registry.components()[component].functions,
        };
        if let Some((_, error)) = resolved.deferred.iter().find(|(late, _)| *late == app) {
            return Err(error.clone().into());
        }
        let one = place_or_without_pe(site, turn, &mut table, total, &mut notes)?;
        if by_size
            && matches!(
                policy.bind,
                BindTo::Object(ObjKind::Core | ObjKind::Hwthread)
            )
        {
            notes::narrow(site, app, &one, &mut notes);
        }
        let procs: u32 = one.runs.iter().map(|run| run.procs * run.nodes.count).sum();
        count::too_large(u64::from(base) + u64::from(procs))?;
        base += procs;
        lines += if policy.map == MapBy::Lsf { procs } else { 0 };
        placed.push(one);
    }
    notes::of_job(site, &mut notes);
    let (world, patterns) = site.lend(before);
    Ok(Mapped {
        plan: Plan::assemble(world, table, patterns, placed),
        notes,
        calls,
    })
}

/// Places an app; where its objects are too small for a PE that is only the job's, without it (`semantics` 5.1).
fn place_or_without_pe(
    site: &mut Site,
    turn: Turn<'_>,
    table: &mut AppTable,
    total: u64,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let (said, without) = (notes.len(), turn.resolved.apps.without_pe[turn.app]);
    match (place_app(site, turn, notes), without) {
        (Err(MapError::Place(PlaceError::PeExceedsObject { .. })), Some(without)) => {
            notes.truncate(said);
            notes.push(Note::NoEffect {
                word: "the job's pe".to_owned(),
                owner: owner(turn.app),
                why: "no object that the app is mapped to has as many cpus",
            });
            let policy = count::settle(&turn.resolved.apps.policies[without], total);
            let id = table.intern(policy);
            place_app(
                site,
                Turn {
                    policy: &policy,
                    id,
                    ..turn
                },
                notes,
            )
        }
        (placed, _) => placed,
    }
}

/// What is refused for words whose meaning hangs on whether there are cores.
pub(crate) fn judge_cores(resolved: &Resolved, topologies: &Topologies) -> Result<(), MapError> {
    let Some(by_cores) = &resolved.by_cores else {
        return Ok(());
    };
    let cores = topologies
        .ids()
        .any(|topology| topologies.count(topology, ObjKind::Core) > 0);
    match &by_cores.without_cores {
        _ if cores => Err(by_cores.with_cores.clone().into()),
        Some(error) => Err(error.clone().into()),
        None => Ok(()),
    }
}
