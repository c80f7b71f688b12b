//! What is said of some nodes gives what the same facts give when they are said in another way.

use stowplan::{Cluster, Job, Machine, Plan, Topology, Traffic};

fn job(words: &str) -> Job {
    Job::from_command_line(words.split(' ')).expect("the words are a job's")
}

fn topology(text: &str) -> Topology {
    Topology::parse(text).expect("the text is a topology's")
}

/// Each process: its node, its cpus.
fn rows(job: &Job, machine: &Machine) -> Vec<(String, String)> {
    of_plan(&Plan::new(job, machine).expect("the job fits"))
}

fn of_plan(plan: &Plan) -> Vec<(String, String)> {
    let procs = plan.procs();
    let row = |proc: stowplan::Proc<'_>| (proc.node().name().to_owned(), proc.cpus().to_string());
    procs.map(row).collect()
}

const WORDS: &[&str] = &[
    "-H n[0-3]:* --map-by core --bind-to core ./x",
    "-H n[0-3]:* --map-by package --bind-to package ./x",
    "-H n[0-3]:* --map-by slot ./x",
    "-H n0:2,n1:2,n2:2 --map-by ppr:1:package ./x",
    "-H n[1-2]:1 --map-by hwthread --bind-to hwthread ./x : -H n3:2 --map-by node ./y",
];

#[test]
fn limited_nodes_are_nodes_of_a_smaller_topology() {
    let mut limited = Machine::uniform(topology("package:2 core:4 pu:2"));
    limited.set_cpus("n[1-2]", "0-2,4-6").unwrap();
    limited.set_cpus("n2", "0-1,3-4").unwrap();
    let mut other = Machine::uniform(topology("package:2 core:4 pu:2"));
    // Of package 1 the cores are cpus 8 to 13: a topology in which they have these numbers.
    other
        .set_topology(
            "n[1-2]",
            topology("package:2 core:4 pu:2")
                .restrict("0-5,8-13")
                .unwrap(),
        )
        .unwrap();
    other
        .set_topology(
            "n2",
            topology("package:2 core:4 pu:2")
                .restrict("0-3,8-11")
                .unwrap(),
        )
        .unwrap();
    let mut again = Machine::uniform(topology("package:2 core:4 pu:2"));
    again.restrict("n[1-2]", "0-5,8-13").unwrap();
    again.restrict("n2", "0-3,8-11").unwrap();
    for words in WORDS {
        let job = job(words);
        assert_eq!(rows(&job, &limited), rows(&job, &other), "{words}");
        assert_eq!(rows(&job, &again), rows(&job, &other), "{words}");
    }
}

#[test]
fn what_is_said_of_more_nodes_keeps_what_was_said_of_fewer() {
    let mut machine = Machine::uniform(topology("numa:2 core:4 pu:1"));
    machine.set_cpus("n0", "0-1").unwrap();
    machine.set_topology("n2", topology("core:3 pu:1")).unwrap();
    machine.set_cpus("n[0-3]", "0").unwrap();
    machine.set_devices("n[0-1]", "gpu=numa:1").unwrap();
    let plan = Plan::new(&job("-H n[0-3]:*,n4:* ./x"), &machine).unwrap();
    let procs = plan.nodes().map(|node| node.procs().len());
    assert_eq!(procs.collect::<Vec<_>>(), [1, 1, 1, 1, 8]);
}

#[test]
fn slots_are_those_that_a_host_file_would_give() {
    let mut machine = Machine::uniform(topology("package:2 core:4 pu:2"));
    machine.set_slots("n[0-2]", 3).unwrap();
    machine.set_max_slots("n[1-3]", 4).unwrap();
    let said = "n0 slots=3\nn1 slots=3 max_slots=4\nn2 slots=3 max_slots=4\nn3 slots=8\nn4\n";
    let bare = "n0\nn1\nn2\nn3\nn4\n";
    let plain = Machine::uniform(topology("package:2 core:4 pu:2"));
    for words in [
        "--hostfile hosts --map-by slot ./x",
        "--hostfile hosts -n 14 --map-by core ./x",
        "--hostfile hosts -n 11 --map-by node ./x",
        "--hostfile hosts -n 30 --map-by slot:oversubscribe ./x",
    ] {
        let with =
            |hosts| Job::from_command_line_with(words.split(' '), [("hosts", hosts)]).unwrap();
        // max_slots of n3 is below what its topology gives: it holds no more than that.
        let known = of(Plan::new(&with(bare), &machine));
        let told = of(Plan::new(
            &with(&said.replace("n3 slots=8", "n3 slots=8 max_slots=8")),
            &plain,
        ));
        let without_n3 = |rows: Vec<(String, String)>| {
            rows.into_iter()
                .filter(|(node, _)| node != "n3")
                .collect::<Vec<_>>()
        };
        let n3 = known.iter().filter(|(node, _)| node == "n3").count();
        assert!(n3 <= 4, "{words}: {n3}");
        if n3 == told.iter().filter(|(node, _)| node == "n3").count() {
            assert_eq!(without_n3(known), without_n3(told), "{words}");
        }
    }
}

fn of(plan: Result<Plan, stowplan::Error>) -> Vec<(String, String)> {
    plan.map(|plan| of_plan(&plan)).unwrap_or_default()
}

#[test]
fn what_others_have_is_what_a_cluster_would_have_given_them() {
    for words in WORDS {
        let machine = Machine::uniform(topology("package:2 core:4 pu:2"));
        let mut cluster = Cluster::new(machine.clone());
        cluster.add_nodes("n[0-3]:8").unwrap();
        let others = "-H n0:1,n1:3,n2:2,n3:1 --map-by core --bind-to core ./others";
        let others = cluster.place(&job(others)).unwrap();
        let mut left = machine;
        left.set_slots("n[0-3]", 8).unwrap();
        for node in others.nodes() {
            let cpus: Vec<String> = node.procs().map(|proc| proc.cpus().to_string()).collect();
            let procs = u32::try_from(cpus.len()).unwrap();
            left.set_taken(node.name(), procs, &cpus.join(",")).unwrap();
        }
        let job = job(words);
        let among = cluster.try_place(&job).map(|plan| of_plan(&plan));
        let beside = Plan::new(&job, &left).map(|plan| of_plan(&plan));
        match (among, beside) {
            (Ok(among), Ok(beside)) => assert_eq!(beside, among, "{words}"),
            (among, beside) => panic!("{words}: {among:?}, {beside:?}"),
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_the_words_of_the_call_and_changes_nothing() {
    let mut machine = Machine::uniform(topology("core:4 pu:1"));
    let before = rows(&job("-H n0:* ./x"), &machine);
    let refused = [
        machine.set_cpus("n[0-", "0"),
        machine.set_cpus("n0", "0-4"),
        machine.set_cpus("n0", "x"),
        machine.restrict("n0", "4"),
        machine.restrict("n0:2", "0"),
        machine.set_devices("n0", "gpu=moon:2"),
        machine.set_devices("+n0", "gpu=numa:2"),
        machine.set_slots("", 2),
        machine.set_max_slots("n0,,n1", 2),
        machine.set_taken("n0", 1, "1-0"),
        machine.set_topology("n0:2", topology("core:2 pu:1")),
    ];
    for refused in refused {
        let message = refused.unwrap_err().message().to_owned();
        let foreign = ["--topo", "--devices", "--prtemca", "hwloc_", "--host"];
        let names_one = foreign.iter().any(|word| message.contains(word));
        assert!(!names_one, "{message}");
    }
    assert_eq!(rows(&job("-H n0:* ./x"), &machine), before);
    machine.set_taken("n0", 0, "7").unwrap();
    let late = Plan::new(&job("-H n0:* ./x"), &machine).unwrap_err();
    assert_eq!(late.class(), "bad-cpu-list");
    assert!(
        late.message().contains('7') && late.message().contains("n0"),
        "{late}"
    );
}

#[test]
fn a_job_says_what_it_says_on_the_command_line() {
    let plain = Machine::uniform(topology("numa:2 core:4 pu:1"));
    let mut told = plain.clone();
    told.set_cpus("n0", "0-1").unwrap();
    told.set_devices("n[0-1]", "gpu=numa:1").unwrap();
    let words = "-H n0:*,n1:* --map-by core";
    let said =
        format!("{words} --prtemca hwloc_default_cpu_list n0=0-1 --devices n[0-1]=gpu=numa:1 ./x");
    let words = job(&format!("{words} ./x"));
    assert_eq!(rows(&job(&said), &plain), rows(&words, &told));
    assert_ne!(rows(&words, &plain), rows(&words, &told));
    // What it says travels with it.
    let again = Job::from_bytes(&job(&said).to_bytes()).unwrap();
    assert_eq!(rows(&again, &plain), rows(&words, &told));
    // Ranks in another order: the first four of a grid of cells of two by two are on one node.
    let cells = job("-n 16 -H n[0-3]:4 --map-by slot --rank-order cells:4x4:2x2 ./x");
    let plan = Plan::new(&cells, &plain).unwrap();
    let nodes: Vec<u32> = plan.procs().map(|proc| proc.node().number()).collect();
    assert_eq!(nodes, [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]);
    assert_eq!(
        Plan::new(&Job::from_bytes(&cells.to_bytes()).unwrap(), &plain).unwrap(),
        plan
    );
    // Where it cannot be done it is refused.
    let mut cluster = Cluster::new(plain);
    for job in [job(&said), cells] {
        let refused = cluster.place(&job).unwrap_err();
        assert_eq!(refused.class(), "bad-option");
    }
}

/// What a saved plan does not keep places no process.
#[test]
fn a_node_of_a_saved_plan_has_the_hardware_that_the_plan_was_made_with() {
    use std::hash::{BuildHasher as _, RandomState};
    let hash = RandomState::new();
    for name in ["builtin:frontier", "builtin:elcap", "package:2 core:4 pu:2"] {
        let own = topology(name);
        let plan = Plan::new(&job("-n 2 -H a:2 ./x"), &Machine::uniform(own.clone())).unwrap();
        let saved = Plan::from_bytes(&plan.to_bytes()).unwrap();
        for plan in [&plan, &saved] {
            let found = plan.node("a").unwrap().topology().unwrap();
            assert_eq!(found, own, "{name}");
            assert_eq!(hash.hash_one(&found), hash.hash_one(&own), "{name}");
            assert_ne!(found, own.restrict("1").unwrap());
        }
    }
}

#[test]
fn machines_tables_and_advice_are_equal_if_the_same_was_said() {
    let small = || Machine::uniform(topology("core:8 pu:1"));
    let mut other = small();
    assert_eq!(small(), other);
    other.set_slots("n0", 3).expect("a name and a number");
    assert_ne!(small(), other);
    let words = "-n 8 -H n0:4,n1:4 --map-by slot ./x";
    let table = |words: &str| Plan::new(&job(words), &small()).map(|plan| plan.table());
    assert_eq!(table(words), table(words));
    assert_ne!(table(words), table("-n 7 -H n0:4,n1:4 --map-by slot ./x"));
    let advice =
        |grid| Traffic::new(grid).and_then(|traffic| traffic.advise(words.split(' '), &small()));
    assert_eq!(advice("halo:4x2"), advice("halo:4x2"));
    assert_ne!(advice("halo:4x2"), advice("halo:2x4"));
}
