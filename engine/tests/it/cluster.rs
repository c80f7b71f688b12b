//! Jobs start on a cluster and leave it in any order: their slots and cpus come back.

use crate::job::{machine, resolved};
use proptest::prelude::*;
use stowplan_engine::cluster::{Cluster, ReleaseError};
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Candidates, Machine, map_resolved};
use stowplan_engine::plan::{Plan, World};
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
fn left(world: &World) -> Vec<(u32, u32, String)> {
    let of = |(nodes, state): (stowplan_engine::table::names::NodeRange, _)| {
        let row = world.states.get(state);
        let free = world.pusets.get(row.free);
        (0..nodes.count).map(move |_| (row.slots, row.used, format!("{free}")))
    };
    world.after.iter().flat_map(of).collect()
}

proptest! {
    #[test]
    fn what_a_job_took_is_there_again_when_it_ends(
        jobs in prop::collection::vec((1..6_u32, 0..MAPS.len(), 0..BINDS.len(), prop::option::of(0..3_usize)), 1..8),
        order in any::<prop::sample::Index>(),
    ) {
        let mut cluster = Cluster::new(machine());
        let first = cluster.place(resolved(&job(1, "slot", "none", Some("node0:4,node1:4,node2:4"))).unwrap()).unwrap();
        let mut before = vec![left(cluster.world().unwrap())];
        let mut plans: Vec<Plan> = Vec::new();
        for (procs, map, bind, hosts) in jobs {
            // The claims stay within the slots. A job whose claims raise the slots is not tested here.
            let hosts = hosts.map(|at| ["node0:1", "node1:2,node2:1", "+n2"][at]);
            let request = job(procs, MAPS[map], BINDS[bind], hosts);
            let Ok(resolved) = resolved(&request) else {
                continue;
            };
            if let Ok(mapped) = cluster.place(resolved) {
                plans.push(mapped.plan);
                before.push(left(cluster.world().unwrap()));
            }
        }
        // Returns the last job: everything is as it was before this job came.
        if let Some(last) = plans.pop() {
            cluster.release(&last).unwrap();
            before.pop();
            prop_assert_eq!(&left(cluster.world().unwrap()), before.last().unwrap());
        }
        // Returns the others in another order.
        if !plans.is_empty() {
            let at = order.index(plans.len());
            plans.rotate_left(at);
        }
        for plan in &plans {
            cluster.release(plan).unwrap();
        }
        cluster.release(&first.plan).unwrap();
        for (slots, used, free) in left(cluster.world().unwrap()) {
            prop_assert_eq!((slots, used, free.as_str()), (4, 0, "[1, 1, 1, 1, 1, 1, 1, 1]"));
        }
    }
}

#[test]
fn a_plan_of_elsewhere_is_not_taken_back() {
    let mut here = Cluster::new(machine());
    let mut elsewhere = Cluster::new(machine());
    let plan = elsewhere
        .place(resolved(&job(1, "slot", "", Some("node0,node1"))).unwrap())
        .unwrap()
        .plan;
    assert_eq!(here.release(&plan).unwrap_err(), ReleaseError::Empty);
    here.place(resolved(&job(1, "slot", "", Some("node0"))).unwrap())
        .unwrap();
    assert_eq!(
        here.release(&plan).unwrap_err(),
        ReleaseError::OtherNodes { plan: 2, here: 1 }
    );
    // A refused job leaves the cluster as it was.
    let before = left(here.world().unwrap());
    assert!(
        here.place(resolved(&job(9, "slot", "", None)).unwrap())
            .is_err()
    );
    assert_eq!(left(here.world().unwrap()), before);
}

/// On nodes that an earlier job uses, a job counts only its own processes, and nodes without its own processes count as empty.
#[test]
fn a_later_job_starts_afresh_on_shared_nodes() {
    let mut cluster = Cluster::new(machine());
    let first = job(2, "slot", "none", Some("node0:4,node1:4,node2:4"));
    cluster.place(resolved(&first).unwrap()).unwrap();
    let second = job(3, "node", "none", Some("+e:3"));
    let plan = cluster.place(resolved(&second).unwrap()).unwrap().plan;
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
