//! Large and worst-case jobs through the full judge, and the bytes they take.

use std::num::NonZeroU32;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::NodeId;
use stowplan_judge::{check, check_ranks};
use stowplan_scale_tests::shapes::{self, NAMES, RANKED, Shape};
use stowplan_scale_tests::size::{divisor, is_long, named};

/// For how many ranks every large job is asked where they are.
const ASKED: u32 = 1 << 14;

fn plan(shape: Shape) -> Plan {
    let name = shape.name;
    match map_resolved(shape.resolved, shape.machine) {
        Ok(mapped) => mapped.plan,
        Err(error) => panic!("{name}: {error}"),
    }
}

fn judged(plan: &Plan, name: &str) {
    let step = NonZeroU32::new(plan.ranks() / ASKED).unwrap_or(NonZeroU32::MIN);
    if let Err(faults) = check_ranks(plan, step) {
        panic!("{name}: {} faults, the first: {}", faults.len(), faults[0]);
    }
}

#[test]
fn every_named_shape_is_judged_sound_and_comes_back_from_bytes() {
    for name in NAMES {
        let plan = plan(named(name));
        judged(&plan, name);
        let whole = plan.to_bytes();
        let back = Plan::from_bytes(&whole).unwrap();
        assert!(back.to_bytes() == whole, "{name}: whole bytes come back");
        assert!(check(&back).is_ok(), "{name}: what comes back is sound");
        let sent = plan.broadcast_bytes();
        let back = Plan::from_broadcast_bytes(&sent).unwrap();
        assert!(
            back.broadcast_bytes() == sent,
            "{name}: broadcast bytes come back"
        );
        println!(
            "{name}: {} ranks, whole {}, broadcast {} bytes",
            plan.ranks(),
            whole.len(),
            sent.len()
        );
    }
}

#[test]
fn a_million_regular_ranks_are_broadcast_in_four_kilobytes() {
    let million = |map: &str| {
        shapes::regular(
            "million",
            "package:2 numa:2 l3:2 core:8 pu:1",
            16_384,
            64,
            map,
        )
    };
    for map in shapes::EQUAL.into_iter().chain(["core:span"]) {
        let plan = plan(million(map));
        assert_eq!(plan.ranks(), 1 << 20);
        judged(&plan, map);
        let bytes = plan.broadcast_bytes().len();
        assert!(bytes <= 4096, "{map}: {bytes} bytes");
    }
    let node = "package:2 numa:4 l3:2 core:8 pu:2";
    let plan = plan(shapes::regular("launch", node, 1024, 128, "core"));
    let bytes = plan.broadcast_bytes().len();
    assert!(bytes <= 4096, "131,072 ranks on 1,024 nodes: {bytes} bytes");
}

#[test]
fn distinct_nodes_take_bytes_in_proportion() {
    let shape = named("hetero-worst");
    let nodes = shape.nodes as usize;
    let bytes = plan(shape).broadcast_bytes().len();
    // 4 MiB for 16,384 nodes.
    assert!(bytes <= 256 * nodes, "{bytes} bytes for {nodes} nodes");
}

#[test]
fn a_billion_ranks_are_placed_and_asked() {
    let shape = shapes::regular("billion", "package:2 core:128 pu:1", 1 << 22, 256, "core");
    let plan = plan(shape);
    assert_eq!(plan.ranks(), 1 << 30);
    judged(&plan, "billion");
    let place = plan.place(Rank((1 << 30) - 1)).unwrap();
    assert_eq!(plan.world().names.name(place.node), "n4194303");
    assert!(plan.broadcast_bytes().len() <= 4096);
}

#[test]
fn a_node_slice_is_small() {
    for name in NAMES {
        let plan = plan(named(name));
        let nodes = plan.world().names.len() as usize;
        for row in [0, nodes / 2, nodes - 1] {
            let bytes = plan.slice_bytes(NodeId::from_row(row)).len();
            assert!(bytes <= 4096, "{name}: node {row} takes {bytes} bytes");
        }
    }
}

/// Compares rows of the table with the plan's answer for each rank, and finds each of these ranks again by its place.
fn agrees(plan: &Plan, step: usize, name: &str) {
    let table = plan.expand();
    assert_eq!(table.len(), plan.ranks() as usize);
    for rank in (0..plan.ranks()).step_by(step).map(Rank) {
        let place = plan.place(rank).unwrap();
        let row = (
            table.node(rank),
            table.local_rank(rank),
            table.node_rank(rank),
        );
        assert_eq!(
            row,
            (place.node, place.local_rank, place.node_rank),
            "{name}: rank {rank}"
        );
        assert_eq!(
            (table.object(rank), table.cpus(rank)),
            (place.object, place.cpus),
            "{name}: rank {rank}"
        );
        let again = plan.rank_of(plan.locate(rank).unwrap());
        assert_eq!(again, rank, "{name}");
    }
}

#[test]
fn the_table_agrees_with_the_questions() {
    let step = if is_long() { 97 } else { 997 };
    for name in NAMES {
        agrees(&plan(named(name)), step, name);
    }
}

#[test]
fn every_order_is_judged_and_asked() {
    let packages = ["hetero-worst", "crumbs"].map(|name| (name, "package"));
    for (name, map) in RANKED.iter().copied().chain(packages) {
        for rank in ["slot", "node", "fill", "span"] {
            let title = format!("{name} {map}/{rank}");
            let plan = plan(shapes::titled(&title, divisor()).unwrap());
            judged(&plan, &title);
            agrees(&plan, if is_long() { 31 } else { 17 }, &title);
        }
    }
}

/// The class with which a job of such apps is refused.
fn refusal(apps: &[(u32, &str)]) -> Option<&'static str> {
    use stowplan_scale_tests::job::{App, Job};
    let app = |&(np, hosts): &(u32, &str)| App {
        np: Some(np),
        hosts: Some(hosts.to_owned()),
        ..App::default()
    };
    let job = Job {
        apps: apps.iter().map(app).collect(),
        ..Job::default()
    };
    let shape = shapes::regular("many", "core:4 pu:1", 2, 4, "core");
    let placed = job
        .resolve()
        .and_then(|(resolved, _)| map_resolved(resolved, shape.machine));
    placed.map_err(|error| error.class()).err()
}

#[test]
fn more_ranks_than_ids_count_are_refused_by_number() {
    let app = (3_000_000_000, "n[0-9]:4294967294");
    assert_eq!(refusal(&[app, app]), Some("job-too-large"));
}

#[test]
fn more_nodes_than_ids_count_are_refused_by_number() {
    for hosts in [
        "n[0-4294967295]",
        "n[0-4294967294]",
        "n[0-2999999999],m[0-2999999999]",
    ] {
        assert_eq!(refusal(&[(4, hosts)]), Some("job-too-large"), "{hosts}");
    }
    let apps = [(4, "n[0-2999999999]"), (4, "m[0-2999999999]")];
    assert_eq!(refusal(&apps), Some("job-too-large"));
    assert_eq!(refusal(&[(4, "n[0-4294967293]")]), None, "2^32 - 2 nodes");
}
