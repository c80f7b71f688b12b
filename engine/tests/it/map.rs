//! Apps placed side by side are placed as one after the other.

use proptest::prelude::*;
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::MapError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Machine, Mapped, map_resolved, map_shared};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::{SpawnRequest, Spoken, keys};
use stowplan_engine::stage::resolve::{Context, Files, Threading, resolve};
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft};

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
        let owner = Owner::App(u32::try_from(stowplan_engine::id::Id::row(app)).unwrap());
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
    match threading {
        Threading::Always => map_shared(resolved, machine()),
        Threading::Worthwhile | Threading::Within => map_resolved(resolved, machine()),
    }
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
