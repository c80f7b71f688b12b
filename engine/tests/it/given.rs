//! Plans of masks that somebody else decided.

use stowplan_engine::count::Rank;
use stowplan_engine::given::{GivenApp, GivenJob, GivenProcs, GivenRun, plan};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::plan::{Plan, RankOrder};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::{NameRange, Names, NodeId, NodeRange};
use stowplan_engine::table::topologies::{DraftObject, Topologies, TopologyDraft};

fn job() -> GivenJob {
    let object = |kind, first: u32, end: u32| DraftObject {
        kind,
        os: Some(first),
        pus: std::iter::once(first..end).collect(),
    };
    let mut objects = vec![object(ObjKind::Machine, 0, 4)];
    objects.extend((0..4).map(|at| object(ObjKind::Core, at, at + 1)));
    let draft = TopologyDraft {
        pus_os: (0..4).collect(),
        objects,
        ..TopologyDraft::default()
    };
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = topologies.add(draft, &mut cpusets).expect("it is sound");
    let mut names = Names::default();
    let range = NameRange {
        prefix: "n".to_owned(),
        first: 0,
        count: 4,
        width: 1,
        suffix: String::new(),
    };
    names.add(&range).expect("there are few");
    let mask = |cpus: &[u32]| GivenProcs {
        count: 1,
        object: None,
        cpus: Some(cpus.iter().copied().collect()),
        gpus: None,
    };
    let nodes = |first, count| NodeRange { first, count };
    let run = |nodes, pattern| GivenRun {
        nodes,
        pattern,
        kind: None,
    };
    let app = |number, runs, order| GivenApp {
        number,
        program: vec!["./x".to_owned(), "-v".to_owned()],
        runs,
        order,
    };
    GivenJob {
        names,
        nodes: vec![(4, topology, 4)],
        topologies: topologies.into(),
        cpusets: cpusets.into(),
        local: None,
        patterns: vec![vec![mask(&[0, 1]), mask(&[3])], vec![mask(&[0, 1])]],
        apps: vec![
            app(0, vec![run(nodes(0, 2), 0)], RankOrder::Node),
            app(1, vec![run(nodes(1, 3), 1)], RankOrder::Slot),
        ],
    }
}

#[test]
fn a_plan_of_given_masks_is_a_plan() {
    let plan = plan(job()).expect("it is small");
    assert_eq!(plan.ranks(), 7);
    let places = (0..7).filter_map(|rank| plan.place(Rank(rank)));
    let rows: Vec<_> = places
        .map(|place| (place.node.row(), place.local_rank))
        .collect();
    let promised = [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (2, 0), (3, 0)];
    assert_eq!(rows, promised);
    let read = Plan::from_bytes(&plan.to_bytes()).expect("it was just written");
    assert_eq!(read.to_bytes(), plan.to_bytes());
    assert_eq!(read.locate(Rank(4)).map(|at| at.local), Some(0));
}

#[test]
fn parts_of_one_app_are_counted_as_one() {
    let mut parts = job();
    let last = parts.apps[0].clone();
    parts.apps.push(last);
    parts.apps[2].number = 0;
    let plan = plan(parts).expect("it is small");
    assert_eq!((plan.apps().len(), plan.resolved_apps().count()), (3, 2));
    let apps = |plan: &Plan| -> Vec<_> {
        let places = (0..plan.ranks()).filter_map(|rank| plan.place(Rank(rank)));
        let number = |app| plan.resolved_apps().number(app);
        places
            .map(|place| (number(place.app), place.app_rank))
            .collect()
    };
    let first = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)];
    let last = [(0, 4), (0, 5), (0, 6), (0, 7)];
    assert_eq!(apps(&plan), [&first[..], &last[..]].concat());
    let bytes = plan.to_bytes();
    let read = Plan::from_bytes(&bytes).expect("it was just written");
    assert_eq!((apps(&read), read.to_bytes()), (apps(&plan), bytes));
    let sent = plan.broadcast_bytes();
    let read = Plan::from_broadcast_bytes(&sent).expect("it was just written");
    assert_eq!(apps(&read), apps(&plan));
    let slice = plan.slice_bytes(NodeId::from_row(0));
    let slice = NodeSlice::from_bytes(&slice).expect("it was just written");
    let of_slice = slice
        .procs
        .iter()
        .map(|proc| (proc.app.row(), proc.app_rank));
    let own = [(0, 0), (0, 2), (0, 4), (0, 6)];
    assert_eq!(of_slice.collect::<Vec<_>>(), own);
}
