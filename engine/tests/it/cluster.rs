//! Jobs start on a cluster and leave it in any order: their slots and cpus come back.

use crate::job::{machine, resolved};
use proptest::prelude::*;
use stowplan_engine::cluster::{Among, Cluster};
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::MapError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Candidates, Machine, map_resolved};
use stowplan_engine::plan::Plan;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::table::names::NameRange;

const MAPS: &[&str] = &[
    "core",
    "slot",
    "node",
    "package",
    "ppr:1:package",
    "slot:pe=2",
    "core:oversubscribe",
];
const BINDS: &[&str] = &["", "none", "core", "core:overload-allowed"];

fn job(procs: u32, map: &str, bind: &str, hosts: Option<&str>) -> SpawnRequest {
    let mut request = SpawnRequest::new();
    request.push_app(Some(ProcCount(procs)), "");
    if let Some(hosts) = hosts {
        let hosts = Value::String(hosts.to_owned());
        request
            .set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global)
            .expect("it is sound");
    }
    request.set_mapping(Owner::Job, map).expect("it is sound");
    if !bind.is_empty() {
        request.set_binding(Owner::Job, bind).expect("it is sound");
    }
    request
}

/// (slots, processes, free PUs) of each node.
fn left(cluster: &Cluster) -> Vec<(u32, u32, u64)> {
    let nodes = (0..cluster.len()).map(|row| cluster.node(row).expect("a row"));
    nodes
        .map(|node| (node.state.slots, node.state.used, node.free_cpus().len()))
        .collect()
}

fn place(cluster: &mut Cluster, request: &SpawnRequest) -> Result<Plan, MapError> {
    let mapped = cluster.place(resolved(request).expect("it is sound"), &Among::default())?;
    Ok(mapped.plan)
}

proptest! {
    #[test]
    fn what_a_job_took_is_there_again_when_it_ends(
        jobs in prop::collection::vec((1..6_u32, 0..MAPS.len(), 0..BINDS.len(), prop::option::of(0..3_usize)), 1..8),
        order in any::<prop::sample::Index>(),
    ) {
        let mut cluster = Cluster::new(machine());
        let first = place(&mut cluster, &job(1, "slot", "none", Some("node0:4,node1:4,node2:4"))).unwrap();
        let mut before = vec![left(&cluster)];
        let mut plans: Vec<Plan> = Vec::new();
        for (procs, map, bind, hosts) in jobs {
            // The claims stay within the slots. A job whose claims raise the slots is not tested here.
            let hosts = hosts.map(|at| ["node0:1", "node1:2,node2:1", "+n2"][at]);
            let request = job(procs, MAPS[map], BINDS[bind], hosts);
            let Ok(resolved) = resolved(&request) else {
                continue;
            };
            if let Ok(mapped) = cluster.place(resolved, &Among::default()) {
                plans.push(mapped.plan);
                before.push(left(&cluster));
            }
        }
        // Returns the last job: everything is as it was before this job came.
        if let Some(last) = plans.pop() {
            cluster.release(&last);
            before.pop();
            prop_assert_eq!(&left(&cluster), before.last().unwrap());
        }
        // Returns the others in another order.
        if !plans.is_empty() {
            let at = order.index(plans.len());
            plans.rotate_left(at);
        }
        for plan in &plans {
            cluster.release(plan);
        }
        cluster.release(&first);
        for node in left(&cluster) {
            prop_assert_eq!(node, (4, 0, 8));
        }
    }
}

#[test]
fn a_refused_job_leaves_the_cluster_as_it_was() {
    let mut cluster = Cluster::new(machine());
    place(&mut cluster, &job(1, "slot", "", Some("node0"))).unwrap();
    let before = left(&cluster);
    assert!(place(&mut cluster, &job(9, "slot", "", None)).is_err());
    assert!(place(&mut cluster, &job(9, "slot", "", Some("node0,node1"))).is_err());
    assert_eq!(left(&cluster), before);
}

/// The tables have the rows of the present states, however many jobs came and went.
#[test]
fn what_nobody_uses_is_dropped() {
    let mut cluster = Cluster::new(machine());
    let pool = job(1, "slot", "none", Some("node[0-39]:4"));
    place(&mut cluster, &pool).unwrap();
    let mut plans: std::collections::VecDeque<Plan> = Default::default();
    for at in 0..3000_u32 {
        let request = job(1 + at % 5, MAPS[at as usize % MAPS.len()], "", None);
        if let Ok(plan) = place(&mut cluster, &request) {
            plans.push_back(plan);
        }
        while plans.len() > (at % 30) as usize {
            cluster.release(&plans.pop_front().unwrap());
        }
        let (states, sets) = cluster.rows();
        assert!(
            states < 512 && sets < 512,
            "{states} states and {sets} sets after {at} jobs"
        );
    }
}

/// On nodes that an earlier job uses, a job counts only its own processes, and nodes without its own processes count as empty.
#[test]
fn a_later_job_starts_afresh_on_shared_nodes() {
    let mut cluster = Cluster::new(machine());
    let first = job(2, "slot", "none", Some("node0:4,node1:4,node2:4"));
    place(&mut cluster, &first).unwrap();
    let second = job(3, "node", "none", Some("+e:3"));
    let plan = place(&mut cluster, &second).unwrap();
    let places = (0..3).map(|rank| plan.place(Rank(rank)).unwrap());
    let local: Vec<u32> = places.map(|place| place.local_rank).collect();
    assert_eq!(local, [0, 0, 0]);
}

/// Hosts must be nodes of the job's sessions.
#[test]
fn hosts_outside_the_sessions_are_refused() {
    let node = |number| NameRange {
        prefix: "node".to_owned(),
        first: number,
        count: 1,
        width: 1,
        suffix: String::new(),
    };
    let machine = Machine {
        candidates: Some(Candidates {
            nodes: vec![node(0), node(2)],
            sessions: "session 7".to_owned(),
        }),
        ..machine()
    };
    let place = |hosts| {
        map_resolved(
            resolved(&job(1, "slot", "", hosts)).unwrap(),
            machine.clone(),
        )
    };
    let refused = place(Some("node0,node1")).unwrap_err();
    assert_eq!(refused.class(), "not-in-session");
    assert!(refused.to_string().contains("node1"), "{refused}");
    assert!(place(Some("node2,node0")).is_ok());
    assert_eq!(place(None).unwrap().plan.world().names.len(), 2);
}
