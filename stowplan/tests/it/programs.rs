//! Programs as users write them, and what they see.

use stowplan::{App, Cluster, Job, Machine, NodeSlice, Plan, Planner, Rank, Topology};

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:2").expect("it is sound"))
}

fn job(line: &str) -> Job {
    Job::from_command_line(line.split(' ')).expect("the words are right")
}

#[test]
fn a_launcher_hands_each_node_its_slice_and_starts_a_second_job_on_what_is_left() {
    let mut cluster = Cluster::new(machine());
    let two = Job::builder()
        .map_by("core")
        .bind_to("core")
        .app(App::new("./ocean").procs(10).hosts("n[0-2]:8"))
        .app(
            App::new("./io")
                .procs(3)
                .map_by("ppr:1:node")
                .hosts("n[0-2]:8"),
        )
        .build()
        .expect("the words are right");
    let plan = cluster.place(&two).expect("there is room");
    // Every daemon reads from the broadcast what the launcher knows.
    let there = Plan::from_bytes(&plan.to_broadcast()).expect("it was just written");
    let mut seen = Vec::new();
    for (node, same) in plan.nodes().zip(there.nodes()) {
        let slice = NodeSlice::from_bytes(&node.to_bytes()).expect("it was just written");
        assert_eq!((slice.name(), same.name()), (node.name(), node.name()));
        for (proc, known) in slice.procs().zip(node.procs()) {
            assert_eq!(proc.rank(), known.rank());
            assert_eq!(
                (proc.app(), proc.app_rank()),
                (known.app(), known.app_rank())
            );
            assert_eq!(
                (proc.local_rank(), proc.node_rank()),
                (known.local_rank(), known.node_rank())
            );
            assert_eq!((proc.object(), proc.cpus()), (known.object(), known.cpus()));
            seen.push(u32::from(proc.rank()));
        }
        assert_eq!(slice.len(), node.procs().len());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..13).collect::<Vec<_>>());
    let second = cluster
        .place(&job("-n 9 --map-by core --bind-to core ./second"))
        .expect("eleven cores are left");
    for late in second.procs() {
        let before = plan.node(late.node().name()).expect("the same pool");
        let taken: Vec<u32> = before
            .procs()
            .flat_map(|proc| proc.cpus().iter().collect::<Vec<_>>())
            .collect();
        assert!(
            late.cpus().iter().all(|cpu| !taken.contains(&cpu)),
            "{late:?}"
        );
    }
    cluster.release(&plan).expect("it was placed here");
    cluster.release(&second).expect("it was placed here");
    let again = cluster.place(&two).expect("all is free again");
    assert_eq!(again.table().node(), plan.table().node());
}

#[test]
fn the_table_says_what_questions_say() {
    for line in [
        "-n 13 -H a:8,b:8,c:8 --map-by core --bind-to core ./x",
        "-n 13 -H a:8,b:8,c:8 --map-by node --rank-by span ./x : -n 5 --map-by ppr:2:package ./y",
        "-n 7 -H a:8,b:8,c:8 --bind-to none ./x",
    ] {
        let Ok(plan) = Plan::new(&job(line), &machine()) else {
            continue;
        };
        let table = plan.table();
        let kinds = stowplan::ObjKind::ALL;
        for (at, proc) in plan.procs().enumerate() {
            assert_eq!(table.app()[at], proc.app());
            assert_eq!(table.app_rank()[at], proc.app_rank());
            assert_eq!(table.node()[at], proc.node().number());
            assert_eq!(table.local_rank()[at], proc.local_rank());
            assert_eq!(table.node_rank()[at], proc.node_rank());
            let object = proc.object();
            let kind =
                object.and_then(|object| kinds.iter().position(|&kind| kind == object.kind()));
            assert_eq!(
                table.object_kind()[at] as usize,
                kind.map_or(0, |kind| kind + 1)
            );
            assert_eq!(
                table.object()[at],
                object.map_or(0, |object| object.index())
            );
            assert_eq!(table.cpus(table.cpuset()[at]), proc.cpus());
        }
        assert_eq!(table.len(), plan.len());
    }
}

#[test]
fn a_planner_gives_what_a_new_plan_gives() {
    let whole = job("-n 12 -H n[0-3]:8 --map-by node --bind-to core ./x");
    let less = job("-n 12 -H n0:8,n2:8,n3:8 --map-by node --bind-to core ./x");
    let mut planner = Planner::new(&whole, &machine()).expect("the nodes are there");
    let kept = planner.plan().expect("there is room").clone();
    assert_eq!(kept, Plan::new(&whole, &machine()).expect("there is room"));
    planner.lose("n1").expect("it is there");
    let names = |plan: &Plan| -> Vec<String> {
        plan.procs()
            .map(|proc| proc.node().name().to_owned())
            .collect()
    };
    let after = names(&planner.plan().expect("there is room"));
    assert_eq!(
        after,
        names(&Plan::new(&less, &machine()).expect("there is room"))
    );
    assert_eq!(planner.lose("n1").unwrap_err().class(), "no-such-host");
    assert_eq!(names(&planner.plan().expect("there is room")), after);
    assert_eq!(kept.nodes().len(), 4, "what was kept is as it was");
}

#[test]
fn eight_threads_ask_one_plan() {
    let plan = Plan::new(&job("-n 4000 -H n[0-499]:8 --map-by core ./x"), &machine())
        .expect("there is room");
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let plan = &plan;
            scope.spawn(move || {
                for rank in (thread..4000).step_by(8) {
                    let proc = plan.proc(Rank::new(rank)).expect("it has this rank");
                    assert_eq!(proc.node().number(), rank / 8);
                }
                assert_eq!(plan.table().len(), 4000);
                assert!(plan.notes().is_empty());
            });
        }
    });
}
