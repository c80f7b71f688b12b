//! Apps of one job on nodes of which other jobs hold GPUs: each app uses the nodes that suit it.

use std::collections::BTreeSet;
use stowplan::{Cluster, Job, Machine, Plan, Topology};

/// Two nodes with eight cores and two GPUs each.
fn cluster() -> Cluster {
    let mut machine =
        Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("a topology"));
    machine
        .set_devices("n[0-1]", "gpu=package:1")
        .expect("devices");
    let mut cluster = Cluster::new(machine);
    cluster.add_nodes("n[0-1]:8").expect("nodes");
    cluster
}

fn job(line: &str) -> Job {
    Job::from_command_line(line.split(' ')).expect("the words are a job's")
}

/// Node and GPUs of each process of an app.
fn of_app(plan: &Plan, app: u32) -> Vec<(String, Vec<u32>)> {
    let procs = plan.procs().filter(|proc| proc.app() == app);
    let each = procs.map(|proc| (proc.node().name().to_owned(), proc.gpus().to_vec()));
    each.collect()
}

const HOLDS: &str = "-n 2 -H n0:8 --map-by slot --bind-to none --gpus-per-rank 1 ./holds";

#[test]
fn an_app_with_gpus_leaves_out_nodes_that_an_app_without_uses() {
    let mut cluster = cluster();
    cluster.place(&job(HOLDS)).unwrap();
    assert!(cluster.free_gpus("n0").unwrap().is_empty());
    let mixed = "-n 2 --map-by slot --bind-to none --gpus none ./host : \
                 -n 2 --map-by slot --bind-to none --gpus-per-rank 1 ./device";
    let plan = cluster.place(&job(mixed)).unwrap();
    let hosts = of_app(&plan, 0);
    assert!(
        hosts
            .iter()
            .all(|(node, gpus)| node == "n0" && gpus.is_empty())
    );
    let devices = of_app(&plan, 1);
    assert!(devices.iter().all(|(node, _)| node == "n1"), "{devices:?}");
    let given: BTreeSet<u32> = devices.iter().flat_map(|(_, gpus)| gpus.clone()).collect();
    assert_eq!(
        (given.len(), cluster.free_gpus("n1").unwrap().len()),
        (2, 0)
    );
    plan.check().unwrap();
    Plan::from_bytes(&plan.to_bytes()).unwrap().check().unwrap();
}

/// The numbers of processes follow the nodes that are left.
#[test]
fn an_app_without_a_count_has_the_slots_of_the_nodes_that_suit_it() {
    let mut cluster = cluster();
    cluster.place(&job(HOLDS)).unwrap();
    let mixed = "--map-by slot --bind-to none --gpus none -n 1 ./host : \
                 --map-by ppr:1:package --bind-to none --gpus-per-rank 1 ./device";
    let plan = cluster.place(&job(mixed)).unwrap();
    assert_eq!(of_app(&plan, 1).len(), 2, "one for each package of n1");
    plan.check().unwrap();
}

#[test]
fn an_app_that_names_such_a_node_is_refused_and_others_may_name_it() {
    let mut cluster = cluster();
    cluster.place(&job(HOLDS)).unwrap();
    let host = "-n 1 -H n0 --map-by slot --bind-to none --gpus none ./host";
    let device = |node: &str| {
        format!("-n 1 -H {node} --map-by slot --bind-to none --gpus-per-rank 1 ./device")
    };
    let refused = cluster.try_place(&job(&format!("{host} : {}", device("n0"))));
    let refused = refused.unwrap_err();
    assert_eq!(refused.class(), "not-enough-gpus");
    assert!(
        refused
            .message()
            .contains("node n0: other jobs hold 2 of 2 GPUs"),
        "{refused}"
    );
    let plan = cluster
        .place(&job(&format!("{host} : {}", device("n1"))))
        .unwrap();
    assert_eq!(of_app(&plan, 1), [("n1".to_owned(), vec![0])]);
    // A sequence names its nodes in a file.
    let listed = [
        "-n",
        "1",
        "--map-by",
        "seq:file=s",
        "--bind-to",
        "none",
        "--gpus-per-rank",
        "1",
        "./x",
    ];
    let listed = Job::from_command_line_with(listed, [("s", "n0\n")]).unwrap();
    let refused = cluster.try_place(&listed).unwrap_err();
    assert_eq!(refused.class(), "not-enough-gpus");
}
