//! Plans made again: on the same nodes, and after some of them were lost.

use stowplan_engine::count::Rank;
use stowplan_engine::map::{Mapped, map_resolved};
use stowplan_engine::planner::Planner;
use stowplan_judge::check;
use stowplan_scale_tests::job::{App, Job};
use stowplan_scale_tests::shapes::{EQUAL, Shape, regular};

use stowplan_scale_tests::size::named;

/// Everything that a plan says about its ranks.
fn said(mapped: &Mapped) -> Vec<String> {
    let plan = &mapped.plan;
    let world = plan.world();
    let ranks = (0..plan.ranks()).map(|rank| {
        let mut place = plan.place(Rank(rank)).unwrap();
        let cpus = place.cpus.take().map(|id| world.cpusets.get(id));
        format!("{} {place:?} {cpus:?}", world.names.name(place.node))
    });
    ranks.collect()
}

/// Equal nodes with 16 slots each, without the lost ones; `np` processes.
fn without(nodes: u32, lost: &[u32], (np, map): (u32, &str)) -> Shape {
    let left = (0..nodes).filter(|node| !lost.contains(node));
    let hosts: Vec<String> = left.map(|node| format!("n{node}:16")).collect();
    let topology = "package:2 numa:2 l3:2 core:2 pu:1";
    let mut shape = regular("replan", topology, nodes, 16, map);
    let job = Job {
        apps: vec![App {
            hosts: Some(hosts.join(",")),
            np: Some(np),
            map: Some(map.to_owned()),
            ..Default::default()
        }],
        ..Default::default()
    };
    shape.resolved = job.resolve().unwrap().0;
    shape
}

/// Nodes are lost one after the other. Each plan is that of a job that never had the lost nodes.
#[test]
fn a_plan_without_a_lost_node_is_that_of_a_smaller_machine() {
    for map in ["slot", "core", "numa", "node", "ppr:1:numa", "package:span"] {
        let nodes = 100;
        let np = if map == "ppr:1:numa" { 90 * 4 } else { 90 * 16 };
        let shape = without(nodes, &[], (np, map));
        let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
        let mut lost = Vec::new();
        for node in [50, 0, 99, 51, 7] {
            planner.plan().unwrap();
            planner.lose(&format!("n{node}")).unwrap();
            lost.push(node);
            let fresh = without(nodes, &lost, (np, map));
            let fresh = map_resolved(fresh.resolved, fresh.machine).unwrap();
            let again = planner.plan().unwrap();
            assert_eq!(said(&again), said(&fresh), "{map} without {lost:?}");
            assert_eq!(again.notes, fresh.notes, "{map}");
            check(&again.plan).unwrap();
        }
    }
}

#[test]
fn a_second_plan_is_the_first() {
    for name in stowplan_scale_tests::shapes::NAMES {
        let shape = named(name);
        let fresh = map_resolved(shape.resolved.clone(), shape.machine.clone()).unwrap();
        let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
        for _ in 0..3 {
            let again = planner.plan().unwrap();
            assert!(again.plan.to_bytes() == fresh.plan.to_bytes(), "{name}");
            assert_eq!(again.notes, fresh.notes, "{name}");
        }
    }
}

/// Nodes of which no two are alike: after a loss the other nodes keep their places, and the judge agrees.
#[test]
fn distinct_nodes_are_planned_again() {
    let shape = named("crumbs");
    let nodes = shape.nodes;
    let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
    planner.plan().unwrap();
    planner.lose("n5").unwrap();
    // Every slot was asked for, so a job that lost some is refused. The planner can still be used.
    assert!(planner.plan().is_err());
    assert_eq!(planner.nodes(), nodes - 1);
    let gone = planner.lose("n5").unwrap_err();
    assert_eq!((gone.name.as_str(), gone.nodes), ("n5", nodes - 1));
}

/// Two apps on nodes of which no two are alike, without the lost ones. The second app takes what the first one left.
fn torn_without(nodes: u32, lost: &[u32], (map, rank): (&str, &str)) -> Shape {
    let mut shape = stowplan_scale_tests::shapes::named("crumbs", 16_384 / nodes).unwrap();
    let left = (0..nodes).filter(|node| !lost.contains(node));
    let hosts: Vec<String> = left
        .map(|node| format!("n{node}:{}", 20 + node % 7))
        .collect();
    let app = |np| App {
        np: Some(np),
        map: Some(map.to_owned()),
        rank: Some(rank.to_owned()),
        ..Default::default()
    };
    let first = App {
        hosts: Some(hosts.join(",")),
        ..app(nodes * 13)
    };
    let job = Job {
        apps: vec![first, app(nodes / 2)],
        ..Default::default()
    };
    shape.resolved = job.resolve().unwrap().0;
    shape
}

/// What changes when distinct nodes are lost, in every rank order. Patterns, places and turns stay those of the last plan, and new
/// ones take the rows of the lost nodes.
#[test]
fn distinct_nodes_without_lost_ones_are_those_of_a_smaller_machine() {
    let nodes = 32;
    for map in [
        "slot",
        "core",
        "package",
        "node",
        "package:span",
        "ppr:8:package",
    ] {
        for rank in ["slot", "fill", "node", "span"] {
            if ["slot", "node"].contains(&map) && ["fill", "span"].contains(&rank) {
                continue;
            }
            let words = (map, rank);
            let shape = torn_without(nodes, &[], words);
            let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
            let lost = [0, 17, 31, 16, 3];
            let mut plans = Vec::new();
            for node in lost {
                plans.push(planner.plan().unwrap());
                planner.lose(&format!("n{node}")).unwrap();
            }
            plans.push(planner.plan().unwrap());
            // Earlier plans still give the same answers.
            for (gone, again) in plans.iter().enumerate() {
                let fresh = torn_without(nodes, &lost[..gone], words);
                let fresh = map_resolved(fresh.resolved, fresh.machine).unwrap();
                assert_eq!(said(again), said(&fresh), "{words:?}, {gone} lost");
                assert_eq!(again.notes, fresh.notes, "{words:?}");
                check(&again.plan).unwrap();
            }
        }
    }
}

/// Tells the child which job to plan twice.
const JOB: &str = "STOWPLAN_PLAN_TWICE";

/// How many allocations the stages make to place a job again, and how many a second plan makes. Counted in a process of its own.
fn allocations(job: &str) -> (u64, u64) {
    let test = "replan::placed_twice_here";
    let counts = crate::child::again(test, (JOB, job), "again: ");
    println!(
        "{job}: placed again with {} allocations, planned again with {}",
        counts[0], counts[1]
    );
    (counts[0], counts[1])
}

/// The body of the child process, not a promise: without a job it does nothing.
#[test]
fn placed_twice_here() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let shape = crate::child::shape(&job);
    let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
    let counted = |planner: &mut Planner, plan: fn(&mut Planner)| {
        plan(planner);
        let region = stats_alloc::Region::new(&stats_alloc::INSTRUMENTED_SYSTEM);
        plan(planner);
        let change = region.change();
        change.allocations + change.reallocations
    };
    // Queues between threads grow now and then, whatever the stages do. So the least of a few counts is taken.
    let place = |_| {
        counted(&mut planner, |planner| {
            planner.place().unwrap();
        })
    };
    let placed = (0..5).map(place).min().unwrap();
    let planned = counted(&mut planner, |planner| {
        planner.plan().unwrap();
    });
    println!("again: {placed} {planned}");
}

/// The stages refill the tables that they kept. A plan's own allocations serve its questions; they grow neither with nodes nor with states.
#[test]
fn stages_that_place_again_allocate_nothing() {
    for map in EQUAL {
        let job = |nodes: u32| format!("package:2 numa:2 l3:2 core:8 pu:1|{nodes}|64|{map}");
        let ((few_placed, few), (placed, many)) =
            (allocations(&job(1 << 8)), allocations(&job(1 << 14)));
        assert_eq!((few_placed, placed), (0, 0), "{map}");
        // Samples of the rank order are vectors that double in size.
        assert!(many <= few + 8 && many <= 64, "{map}: {few}, {many}");
    }
    for divisor in [256, 16] {
        for name in ["hetero-worst", "crumbs"] {
            let (placed, planned) = allocations(&format!("{name}|{divisor}"));
            assert_eq!(placed, 0, "{name} / {divisor}");
            // `crumbs` has two apps.
            assert!(planned <= 2 * 64, "{name} / {divisor}: {planned}");
        }
    }
    for divisor in [64, 1] {
        let (placed, _) = allocations(&format!("mpmd-64apps|{divisor}"));
        assert_eq!(placed, 0, "mpmd-64apps / {divisor}");
    }
}

/// Default bindings depend on the size of the job, and that depends on the nodes that are left.
#[test]
fn a_job_that_shrank_is_bound_as_a_smaller_one() {
    let job = |hosts: &str| {
        let mut shape = regular("replan", "package:2 numa:2 l3:2 core:2 pu:1", 2, 2, "slot");
        let app = App {
            hosts: Some(hosts.to_owned()),
            ..Default::default()
        };
        let job = Job {
            apps: vec![app],
            ..Default::default()
        };
        shape.resolved = job.resolve().unwrap().0;
        shape
    };
    let shape = job("n0:2,n1:2");
    let mut planner = Planner::new(shape.resolved, shape.machine).unwrap();
    planner.plan().unwrap();
    planner.lose("n0").unwrap();
    let fresh = job("n1:2");
    let fresh = map_resolved(fresh.resolved, fresh.machine).unwrap();
    let again = planner.plan().unwrap();
    assert_eq!(said(&again), said(&fresh));
    assert_eq!(again.notes, fresh.notes);
}
