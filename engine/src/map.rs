//! The list of stages: from a resolved request and a machine to a plan.

use crate::error::{MapError, Note};
use crate::plan::Plan;
use crate::stage::alloc::build;
use crate::stage::component::{AppIndex, Call, Registry};
use crate::stage::job::site::Site;
use crate::stage::job::{self, Job, JobOutcome};
use crate::stage::job::{count, notes};
use crate::stage::parallel::{Sharing, both};
use crate::stage::resolve::Resolved;
use crate::stage::resolve::size::Size;
use crate::table::apps::AppId;
pub use crate::table::machine::{Candidates, CpuList, Machine};
use crate::table::states::StateRuns;
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
    let mut site = Site::new(build::build(&resolved, &mut machine)?);
    site.pool.tables.sharing = Sharing::Always;
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
    let site = Site::new(build::build(&resolved, &mut machine)?);
    // Names that say where topologies are may be one a node: they go while a thread has nothing to do.
    let (mapped, ()) = both(
        machine.assigned.len(),
        site.pool.tables.sharing,
        || map_on(resolved, site, &components),
        || drop(machine),
    );
    mapped
}

/// Places a resolved job on nodes that are there.
pub(crate) fn map_on(
    mut resolved: Resolved,
    mut site: Site,
    components: &Components,
) -> Result<Mapped, MapError> {
    let before = site.pool.nodes.runs.clone();
    let mut outcome = JobOutcome::new(&resolved);
    let last = resolved.apps.last_of_policies();
    place_on(&resolved, &mut site, components, Some(&last), &mut outcome)?;
    // So do the entries that name hosts.
    let hosts = std::mem::take(&mut resolved.hosts);
    let (mapped, ()) = both(
        before.len(),
        site.pool.tables.sharing,
        || planned(&mut resolved, &mut site, before, &mut outcome),
        || drop(hosts),
    );
    let mut mapped = mapped;
    mapped.plan.judge_gpus(&mut mapped.notes)?;
    Ok(mapped)
}

/// The stages: decides where the processes of every app go. The site has the states that they leave, `turns` all else.
/// `last`: the last app of each policy, where the job is placed once only: nobody asks for what that app finds.
pub(crate) fn place_on(
    resolved: &Resolved,
    site: &mut Site,
    components: &Components,
    last: Option<&[Option<AppId>]>,
    outcome: &mut JobOutcome,
) -> Result<(), MapError> {
    // How many processes, where nobody said; that settles bindings by size.
    let mut counts = std::mem::take(&mut outcome.counts);
    count::count(site, resolved, &mut counts)?;
    let total = count::total(resolved, &counts);
    site.cache.settle(Size::of(total));
    // App by app, each on what the earlier ones left; side by side where they do not meet.
    let job = Job {
        resolved,
        registry: &components.registry,
        index: components.index,
        total,
        counts: &counts,
        last,
    };
    outcome.notes.extend_from_slice(&resolved.notes);
    job::all(site, job, outcome)?;
    outcome.counts = counts;
    notes::of_job(site, &mut outcome.notes);
    site.pool.put_back();
    Ok(())
}

/// Makes a plan of what the stages decided. `before`: the states in which the job found the nodes. The plan has the tables
/// then, also that of the resolved apps.
pub(crate) fn planned(
    resolved: &mut Resolved,
    site: &mut Site,
    before: StateRuns,
    outcome: &mut JobOutcome,
) -> Mapped {
    let mut table = std::mem::take(&mut resolved.apps);
    table.copy_policies(&outcome.policies);
    let (world, patterns, derived) = site.lend(before);
    let placed = std::mem::take(&mut outcome.placed);
    Mapped {
        // Ranks: one prefix sum over the apps.
        plan: Plan::assemble_again(world, table, patterns, derived, placed),
        notes: std::mem::take(&mut outcome.notes),
        calls: std::mem::take(&mut outcome.calls),
    }
}

/// What is refused for words whose meaning hangs on whether there are cores.
pub(crate) fn judge_cores(resolved: &Resolved, topologies: &Topologies) -> Result<(), MapError> {
    match &resolved.by_cores {
        Some(by_cores) => by_cores.judge(topologies),
        None => Ok(()),
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

    fn mapped(request: &SpawnRequest, sharing: Sharing) -> Result<Mapped, MapError> {
        let context = Context {
            parent: None,
            spoken: &Spoken::default(),
            affinity: None,
            files: &Written,
        };
        let resolved = resolve(request.clone(), context)?;
        let mut machine = machine();
        let mut site = Site::new(build::build(&resolved, &mut machine)?);
        site.pool.tables.sharing = sharing;
        map_on(resolved, site, &Components::standard())
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
            let alone = mapped(&request, Sharing::Worthwhile);
            same(&alone, &mapped(&request, Sharing::Always));
        }
    }

    #[test]
    fn many_apps_are_the_same_on_any_number_of_threads() {
        // 600 apps on 200 nodes, three on each, in an order that mixes them; every eighth counts its processes.
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
        let alone = on(1, Sharing::Worthwhile);
        assert!(alone.is_ok(), "{alone:?}");
        for (threads, sharing) in [
            (2, Sharing::Worthwhile),
            (3, Sharing::Worthwhile),
            (8, Sharing::Worthwhile),
            (1, Sharing::Always),
            (3, Sharing::Always),
        ] {
            same(&alone, &on(threads, sharing));
        }
    }
}
