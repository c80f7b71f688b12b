//! Runs the stages in order: from a resolved request and a machine to a plan.

use crate::count::ProcCount;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::plan::{Derived, Placed, Plan};
use crate::policy::MapBy;
use crate::spawn::request::owner;
use crate::stage::alloc::build_pool::build_pool;
use crate::stage::component::Call;
pub use crate::stage::component::Components;
use crate::stage::job::count::{count, total};
use crate::stage::job::side_by_side::side_by_side;
use crate::stage::job::{Before, Choice, JobOutcome, choose, processes};
use crate::stage::map_all::Threading;
use crate::stage::place::app::{App, Procs};
use crate::stage::place::commit::commit;
use crate::stage::place::refuse::{check_size, no_processes};
use crate::stage::place::workspace::Workspace;
use crate::stage::place::{notes, place, select};
use crate::stage::resolve::Resolved;
use crate::stage::resolve::size::Size;
use crate::table::apps::AppId;
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
    let derived = Derived::default();
    let mut mapped = make_plan(&mut work, &mut resolved, before, derived, &mut outcome);
    mapped.plan.check_gpus(&mut mapped.notes)?;
    Ok(mapped)
}

/// Decides where the processes of every app go. Apps go in order, each on what the earlier apps left; apps that do not compete for nodes are
/// placed side by side. Afterwards the nodes have the states that the apps leave.
pub(crate) fn place_apps(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let total = counted(work, resolved, outcome)?;
    if side_by_side(work, resolved, components, total, place_app, outcome).is_none() {
        in_order(work, resolved, components, total, outcome)?;
    }
    finish_job(work, outcome);
    Ok(())
}

/// What comes after the last app.
pub(crate) fn finish_job(work: &mut Workspace, outcome: &mut JobOutcome) {
    notes::of_job(&work.pool, &mut outcome.notes);
    // Slots that hosts lowered were lowered for this job alone.
    let states = &mut work.pool.tables.states;
    work.pool.nodes.restore_slots(states);
}

/// As [`place_apps`], without any side by side.
pub(crate) fn place_in_order(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let total = counted(work, resolved, outcome)?;
    in_order(work, resolved, components, total, outcome)
}

/// How many processes each app has. Their sum, which is returned, settles the bindings that nobody asked for, in `choose`.
pub(crate) fn counted(
    work: &mut Workspace,
    resolved: &mut Resolved,
    outcome: &mut JobOutcome,
) -> Result<u64, MapError> {
    if resolved.threading != Threading::default() {
        work.pool.tables.threading = resolved.threading;
    }
    count(&mut work.pool, resolved, &mut outcome.counts)?;
    let total = total(resolved, &outcome.counts);
    work.memo.settle(Size::of(total));
    outcome.start(resolved);
    Ok(total)
}

/// Places the apps one after the other.
///
/// # Errors
/// The error of the first app that is refused.
fn in_order(
    work: &mut Workspace,
    resolved: &mut Resolved,
    components: &Components,
    total: u64,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    let mut before = Before::default();
    for id in resolved.apps.ids() {
        let choices = &mut outcome.choices;
        let Some(mut choice) = choose(resolved, components, total, id, choices)? else {
            continue;
        };
        let job = (components, total);
        loop {
            match place_chosen(work, resolved, job, (id, &choice), &mut before, outcome) {
                // The component looked at the nodes and passed.
                Err(MapError::Place(PlaceError::TakeNextOption(_))) => {
                    choice.pass(id, resolved, components)?;
                }
                placed => break placed?,
            }
        }
        choice.log(id, resolved, components, &mut outcome.calls);
    }
    Ok(())
}

/// Places an app by the component that was chosen for it.
pub(crate) fn place_chosen(
    work: &mut Workspace,
    resolved: &mut Resolved,
    (components, total): (&Components, u64),
    (id, choice): (AppId, &Choice),
    before: &mut Before,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    if let Some((_, error)) = resolved.deferred.iter().find(|(late, _)| *late == id) {
        return Err(error.clone().into());
    }
    let procs = outcome.counts[id.row()];
    // The vector that an earlier plan had for this app.
    work.scratch.runs = std::mem::take(&mut outcome.placed[id.row()].runs);
    let said = outcome.notes.len();
    let notes = &mut outcome.notes;
    let app = choice.app(id, resolved, components, procs, *before);
    let mut placed = place_app(work, &app, notes);
    // Objects may be too small for a PE of the job: then the app is placed without it (`semantics` 5.1).
    if let Err(MapError::Place(PlaceError::PeExceedsObject { .. })) = placed
        && let Some(without) = choice.without_pe(id, resolved, total)
    {
        notes.truncate(said);
        notes.push(Note::NoEffect {
            word: "the job's pe".to_owned(),
            owner: owner(id),
            why: "no object that the app is mapped to has as many cpus",
        });
        let procs = procs.without_pe();
        if procs == Procs::Counted(ProcCount(0)) {
            return Err(no_processes(&work.pool, id));
        }
        let app = without.app(id, resolved, components, procs, *before);
        placed = place_app(work, &app, notes);
    }
    if placed.is_err() {
        notes.truncate(said);
    }
    let placed = placed?;
    let origins = resolved.apps.origins[id];
    choice.note_bindings(&mut work.pool, (id, origins), &placed, said, notes);
    let ranks = check_size(u64::from(before.ranks) + processes(&placed))?;
    if choice.policy.map == MapBy::Lsf {
        before.lines += ranks - before.ranks;
    }
    before.ranks = ranks;
    outcome.placed[id.row()] = placed;
    Ok(())
}

/// Places one app: the stages that run for every app.
fn place_app(
    work: &mut Workspace,
    app: &App<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    // Which nodes it may use, or the nodes that a file lists for it.
    let nodes = select(work, app, notes)?;
    // How many processes go to each node, on which objects and cpus, and what is left.
    let outcome = place(work, app, nodes, notes)?;
    // The nodes get the states that the app leaves.
    Ok(commit(work, outcome))
}

/// The last stage: gives ranks, as a prefix sum over the apps, and makes the plan. The plan takes the tables, also the
/// table of the resolved apps. `before`: the states in which the job found the nodes; `derived`: what an earlier plan
/// derived from the same patterns.
pub(crate) fn make_plan(
    work: &mut Workspace,
    resolved: &mut Resolved,
    before: StateRuns,
    derived: Derived,
    outcome: &mut JobOutcome,
) -> Mapped {
    let (world, patterns) = work.take_world(before);
    let (apps, placed) = (&mut resolved.apps, &mut outcome.placed);
    let (apps, placed) = (std::mem::take(apps), std::mem::take(placed));
    Mapped {
        plan: Plan::assemble_again(world, apps, patterns, derived, placed),
        notes: std::mem::take(&mut outcome.notes),
        calls: std::mem::take(&mut outcome.calls),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::ProcCount;
    use crate::error::spec::Owner;
    use crate::policy::ObjKind;
    use crate::spawn::attributes::{Scope, Value};
    use crate::spawn::{SpawnRequest, Spoken, keys};
    use crate::stage::resolve::{Context, Files, resolve};
    use crate::table::topologies::{DraftObject, TopologyDraft};
    use proptest::prelude::*;

    struct Written;

    impl Files for Written {
        fn read(&self, path: &str) -> Result<Vec<u8>, String> {
            let text = match path {
                "few" => "n1 slots=2\nn2 slots=1\n",
                "more" => "n3\nn4 slots=4 max_slots=5\nn5\nn5\n",
                "seq" => "n6\nn7 1\nn6 0\n",
                _ => "rank 0=n8 slot=1\nrank 1=n8 slot=0\nrank 2=n9\n",
            };
            Ok(text.as_bytes().to_vec())
        }
    }

    /// Two packages of two cores of two PUs.
    fn machine() -> Machine {
        let object = |kind, first: u32, end: u32| DraftObject {
            kind,
            os: Some(first),
            pus: std::iter::once(first..end).collect(),
        };
        let mut objects = vec![object(ObjKind::Machine, 0, 8)];
        objects.extend((0..2).map(|at| object(ObjKind::Package, at * 4, at * 4 + 4)));
        objects.extend((0..2).map(|at| object(ObjKind::Numa, at * 4, at * 4 + 4)));
        objects.extend((0..4).map(|at| object(ObjKind::Core, at * 2, at * 2 + 2)));
        let draft = TopologyDraft {
            pus_os: (0..8).collect(),
            objects,
            ..TopologyDraft::default()
        };
        let mut machine = Machine::uniform(draft).expect("it is sound");
        machine.local = Some("n3".to_owned());
        machine
    }

    const HOSTS: &[&str] = &[
        "n0:2",
        "n1:1",
        "n1:3,n2",
        "n2:*",
        "n3:2,n4:2",
        "n4",
        "n5:3",
        "n6:1,n5:1",
        "n[7-9]:2",
        "n8",
        "n10:9",
        "n[10-12]:3",
        "n12:*",
        "+n2",
        "n13:2,n14:2",
        "n15:1",
        "9:1",
        "n2:0",
        "+e:1",
    ];
    const MAPS: &[&str] = &[
        "slot",
        "node",
        "core",
        "package",
        "numa:span",
        "ppr:1:core",
        "ppr:2:node",
        "slot:pe=2",
        "package:pe=2",
        "hwthread",
        "pe-list=0-1",
        "pe-list=1,0:ordered",
        "slot:nolocal",
        "seq",
        "seq:file=seq",
        "rankfile:file=ranks",
        "core:ordered",
    ];
    const JOBS: &[&str] = &[
        "slot",
        "core",
        ":oversubscribe",
        "package:pe=2",
        "node:span",
        "",
    ];
    const BINDS: &[&str] = &[
        "none",
        "core",
        "package:overload-allowed",
        ":limit=1",
        "hwthread",
    ];

    type AppWords = (
        usize,
        Option<u32>,
        Option<usize>,
        Option<usize>,
        Option<usize>,
    );

    fn request(job: usize, apps: &[AppWords]) -> SpawnRequest {
        let mut request = SpawnRequest::new();
        if !JOBS[job].is_empty() {
            request.set_mapping(Owner::Job, JOBS[job]).ok();
        }
        for &(hosts, np, map, bind, file) in apps {
            if hosts == HOSTS.len() {
                request.push_hole();
                continue;
            }
            let app = request.push_app(np.map(ProcCount), "");
            let owner = Owner::App(u32::try_from(crate::id::Id::row(app)).unwrap());
            let mut set = |key, text: &str| {
                let value = Value::String(text.to_owned());
                request
                    .set_attribute(owner, key, value, Scope::Global)
                    .unwrap();
            };
            match file {
                Some(file) => set(keys::APP_HOSTFILE, ["few", "more"][file]),
                None => set(keys::APP_DASH_HOST, HOSTS[hosts]),
            }
            if let Some(map) = map {
                request.set_mapping(owner, MAPS[map]).unwrap();
            }
            if let Some(bind) = bind {
                request.set_binding(owner, BINDS[bind]).unwrap();
            }
        }
        request
    }

    fn mapped(request: &SpawnRequest, threading: Threading) -> Result<Mapped, MapError> {
        let context = Context {
            parent: None,
            spoken: &Spoken::default(),
            affinity: None,
            files: &Written,
        };
        let resolved = resolve(request.clone(), context)?;
        let mut machine = machine();
        let mut work = build_workspace(&resolved, &mut machine)?;
        work.pool.tables.threading = threading;
        map_on(resolved, work, &Components::standard())
    }

    fn same(one: &Result<Mapped, MapError>, other: &Result<Mapped, MapError>) {
        match (one, other) {
            (Ok(one), Ok(other)) => {
                assert_eq!(one.plan.to_bytes(), other.plan.to_bytes());
                assert_eq!((&one.notes, &one.calls), (&other.notes, &other.calls));
            }
            (one, other) => assert_eq!(one.as_ref().err(), other.as_ref().err()),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn side_by_side_is_one_after_the_other(
            job in 0..JOBS.len(),
            apps in prop::collection::vec(
                (
                    prop_oneof![12 => 0..HOSTS.len() - 1, 1 => HOSTS.len() - 1..=HOSTS.len()],
                    prop::option::weighted(0.7, 1..4_u32),
                    prop::option::weighted(0.4, 0..MAPS.len()),
                    prop::option::weighted(0.2, 0..BINDS.len()),
                    prop::option::weighted(0.02, 0..2_usize),
                ),
                1..9,
            ),
        ) {
            let request = request(job, &apps);
            let alone = mapped(&request, Threading::Worthwhile);
            same(&alone, &mapped(&request, Threading::Always));
        }
    }

    #[test]
    fn many_apps_are_the_same_on_any_number_of_threads() {
        // 600 apps on 200 nodes, three on each node, in mixed order; every eighth app counts its processes itself.
        let mut request = SpawnRequest::new();
        for number in 0..600_u32 {
            let np = (number % 8 > 0).then_some(ProcCount(1));
            request.push_app(np, "");
            let hosts = format!("m{}:2", number * 37 % 200);
            let (owner, value) = (Owner::App(number), Value::String(hosts));
            request
                .set_attribute(owner, keys::APP_DASH_HOST, value, Scope::Global)
                .unwrap();
            let map = ["core", "slot", "slot:nolocal"][number as usize / 200];
            request.set_mapping(owner, map).unwrap();
        }
        let on = |threads, sharing| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| mapped(&request, sharing))
        };
        let alone = on(1, Threading::Worthwhile);
        assert!(alone.is_ok(), "{alone:?}");
        for (threads, sharing) in [
            (2, Threading::Worthwhile),
            (3, Threading::Worthwhile),
            (8, Threading::Worthwhile),
            (1, Threading::Always),
            (3, Threading::Always),
        ] {
            same(&alone, &on(threads, sharing));
        }
    }
}
