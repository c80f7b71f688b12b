//! Every number of threads gives the same bytes.

use stowplan_engine::count::Rank;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::ProcTable;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::compare::{Lab, Verdict, row};
use stowplan_scale_tests::crew::Crew;
use stowplan_scale_tests::job::{App, Job};
use stowplan_scale_tests::shapes::{NAMES, titled};
use stowplan_scale_tests::size::named;

#[test]
fn threads_change_nothing() {
    for name in NAMES {
        let shape = named(name);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
            pool.install(|| {
                let plan = map_resolved(resolved, machine).unwrap().plan;
                let table = plan.expand();
                (plan.to_bytes(), plan.broadcast_bytes(), table)
            })
        };
        let one = on(1);
        for threads in [2, 3, 8] {
            assert!(on(threads) == one, "{name} on {threads} threads");
        }
    }
}

#[test]
fn a_table_is_filled_again_without_its_last_content() {
    let mut table = ProcTable::default();
    for name in NAMES {
        let shape = named(name);
        let plan = map_resolved(shape.resolved, shape.machine).unwrap().plan;
        plan.expand_into(&mut table);
        assert!(table == plan.expand(), "{name}");
    }
}

#[test]
fn parts_of_a_table_say_what_each_rank_is_told() {
    for title in [
        "equal-1M numa/node",
        "equal-1M numa/span",
        "alps-mixed numa/node",
        "alps-mixed numa/span",
        "alps-mixed numa/fill",
        "mpmd-64apps",
    ] {
        let shape = titled(title, 4).unwrap();
        let plan = map_resolved(shape.resolved, shape.machine).unwrap().plan;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let table = pool.unwrap().install(|| plan.expand());
        assert!(!table.is_empty() && ProcTable::default().is_empty());
        let objects: Vec<(u32, u32)> = table.objects().collect();
        for rank in (0..plan.ranks()).step_by(61).map(Rank) {
            let told = plan.place(rank).unwrap();
            let row = (
                table.node(rank),
                table.local_rank(rank),
                table.node_rank(rank),
                table.object(rank),
                table.cpus(rank),
            );
            let wanted = (
                told.node,
                told.local_rank,
                told.node_rank,
                told.object,
                told.cpus,
            );
            assert_eq!(row, wanted, "{title}, rank {}", rank.0);
            let object = told.object.map(|(kind, at)| (kind as u32 + 1, at));
            assert_eq!(objects[rank.0 as usize], object.unwrap_or_default());
        }
    }
}

/// Apps placed side by side reach the same free cpus on two kinds of node in different ways. Neighbouring nodes still form one run.
#[test]
fn neighbours_of_two_kinds_are_joined_side_by_side() {
    let app = |hosts: &str, np, map: &str, bind: Option<&str>| App {
        hosts: Some(hosts.to_owned()),
        np: Some(np),
        map: Some(map.to_owned()),
        bind: bind.map(str::to_owned),
        ..App::default()
    };
    let wide = MACHINES
        .iter()
        .position(|machine| machine.topo == "package:2 core:4 pu:2");
    let job = Job {
        others: vec![("b".to_owned(), wide.unwrap())],
        apps: vec![
            // All of a's second package, and half of b's first package.
            app("a:8,b:8", 8, "pe-list=4-7:hwtcpus:ordered", None),
            app("a:2,b:2", 2, "package:span:hwtcpus", Some("package")),
            app("c:4", 2, "core", None),
        ],
        ..Job::default()
    };
    assert_eq!(Crew::new(1).compare_one(&job), Verdict::Mapped(12));
    let (resolved, _) = job.resolve().unwrap();
    let mapped = map_resolved(resolved, Lab::new().machine(&job)).unwrap();
    let cpus = |rank| row(&mapped.plan, rank).unwrap().tsv();
    assert!(cpus(8).ends_with("package:0\t0-3"), "{}", cpus(8));
    assert!(cpus(9).ends_with("package:0\t0-3"), "{}", cpus(9));
}
