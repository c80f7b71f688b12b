//! A launcher's own components at the limits of what they may choose: shares, ranks, spans.

use crate::job::{machine, machine_of, resolved};
use std::sync::Arc;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::MapError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::map::{Components, Machine, Mapped, map_with};
use stowplan_engine::policy::{MapBy, ObjKind};
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::stage::component::{AppIndex, Component, Count, Registry, Share};

/// Three packages of three cores.
fn three_packages() -> Machine {
    machine_of(9, &[(ObjKind::Package, 3), (ObjKind::Core, 9)])
}

/// Apps with these maps. A component with this count places the last of them.
fn placed(
    machine: Machine,
    apps: &[(Option<u32>, &str)],
    count: Count,
) -> Result<Mapped, MapError> {
    let mut request = SpawnRequest::new();
    for &(procs, map) in apps {
        let app = request.push_app(procs.map(ProcCount), "true");
        request.set_mapping(owner(app), map).expect("it is sound");
    }
    let hosts = Value::String("node0:9,node1:9,node2:9".to_owned());
    request
        .set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global)
        .expect("hosts stand on apps");
    let mut registry = Registry::standard();
    let mine = Component::new(
        "mine",
        99,
        |policy| policy.map != MapBy::PeList,
        move |asked, rooms| count(asked, rooms),
        |_| MapBy::Object(ObjKind::Package),
    );
    registry.register(mine).expect("its name is new");
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    map_with(resolved(&request)?, machine, components)
}

/// (node, package) of the ranks from `first` on.
fn rows(mapped: &Mapped, first: u32) -> Vec<(String, u32)> {
    let place = |rank| {
        let place = mapped.plan.place(Rank(rank)).expect("ranks are contiguous");
        let name = mapped.plan.world().names.name(place.node);
        (name, place.object.expect("mapped to a package").1)
    };
    (first..mapped.plan.ranks()).map(place).collect()
}

fn share(nodes: u32, procs: u32) -> Share {
    Share { nodes, procs }
}

#[test]
fn shares_of_no_nodes_say_nothing() {
    let count: Count = Arc::new(|_, _| {
        let shares = [(0, 5), (1, 1), (0, 6), (2, 2), (0, 1)];
        Ok(shares.map(|(nodes, procs)| share(nodes, procs)).into())
    });
    let mapped = placed(machine(), &[(Some(5), "slot")], count).unwrap();
    let nodes: Vec<String> = rows(&mapped, 0).into_iter().map(|row| row.0).collect();
    assert_eq!(nodes, ["node0", "node1", "node1", "node2", "node2"]);
}

#[test]
fn more_than_ranks_can_count_is_no_share() {
    // A ppr app is not counted before its turn.
    let class = |count: Count| {
        placed(machine(), &[(None, "ppr:1:node")], count)
            .unwrap_err()
            .class()
    };
    assert_eq!(
        class(Arc::new(|_, _| Ok(vec![
            share(1, RANKS_MAX),
            share(1, 1),
            share(1, 0)
        ]))),
        "failed-map"
    );
    // The largest count possible is refused for the lack of slots.
    assert_eq!(
        class(Arc::new(|_, _| Ok(vec![share(1, RANKS_MAX), share(2, 0)]))),
        "not-enough-slots"
    );
}

/// Objects are filled node by node, even if the app says SPAN: SPAN is about sharing over nodes, and here the component counts for
/// each node.
#[test]
fn counted_nodes_are_filled_one_by_one() {
    let count: Count = Arc::new(|_, _| Ok(vec![share(1, 6), share(1, 2), share(1, 0)]));
    let apps = [(Some(2), "pe-list=1-2:ordered"), (Some(8), "package:span")];
    let mapped = placed(three_packages(), &apps, count).unwrap();
    let world = mapped.plan.world();
    let mut places: Vec<(String, u32, u32)> = (2..10)
        .map(|rank| mapped.plan.place(Rank(rank)).expect("there are ten"))
        .map(|at| {
            let package = at.object.expect("mapped to a package").1;
            (world.names.name(at.node), at.local_rank, package)
        })
        .collect();
    places.sort_unstable();
    let packages: Vec<u32> = places.iter().map(|place| place.2).collect();
    assert_eq!(packages, [0, 1, 2, 1, 2, 1, 0, 1]);
}

/// When a component places an app whose file gives its ranks, the app is ranked by slot, because nothing reads the file then.
#[test]
fn an_app_of_a_file_is_ranked_by_slot() {
    let count: Count = Arc::new(|_, _| Ok(vec![share(2, 2), share(1, 0)]));
    let mapped = placed(machine(), &[(Some(4), "seq")], count).unwrap();
    let nodes: Vec<String> = rows(&mapped, 0).into_iter().map(|row| row.0).collect();
    assert_eq!(nodes, ["node0", "node0", "node1", "node1"]);
}
