//! A million ranks with GPUs cost what they cost without: the dealing works on kinds of nodes, and the bytes grow with kinds of nodes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::NodeId;
use stowplan_judge::check;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::compare::{Lab, Verdict};
use stowplan_scale_tests::{arbitrary, shapes};

const NODES: u32 = 1 << 17;
const SLOTS: u32 = 8;
/// The most bytes of a saved, broadcast or sliced plan.
const BYTES_MAX: usize = 4096;

/// Frontier's node without its GPUs, as far as placement depends on it.
const BARE: &str = "package:1 numa:4 l3:2 core:7 pu:2";

fn plan(topology: &str, map: &str) -> Plan {
    let shape = shapes::regular("gpus", topology, NODES, SLOTS, map);
    map_resolved(shape.resolved, shape.machine).unwrap().plan
}

/// The least time of several runs: placing, dealing, saving.
fn least(topology: &str, map: &str) -> Duration {
    let once = || {
        let start = Instant::now();
        let plan = plan(topology, map);
        assert_eq!(plan.ranks(), NODES * SLOTS);
        assert!(plan.broadcast_bytes().len() < BYTES_MAX);
        assert_eq!(plan.given_gpus().any(), topology != BARE);
        start.elapsed()
    };
    (0..7).map(|_| once()).min().unwrap()
}

#[test]
fn a_million_ranks_with_gpus_are_as_small_as_without() {
    for map in ["gpu", "core", "slot", "mpibind", "node"] {
        let plan = plan("builtin:frontier", map);
        let given = plan.given_gpus();
        assert!(given.any() && given.nodes().len() == 1, "{map}");
        assert_eq!(check(&plan), Ok(()), "{map}");
        let slice = plan.slice_bytes(NodeId::from_row(NODES as usize / 2));
        for bytes in [plan.to_bytes(), plan.broadcast_bytes(), slice] {
            assert!(bytes.len() < BYTES_MAX, "{map}: {} bytes", bytes.len());
        }
    }
}

#[test]
fn a_million_ranks_with_gpus_cost_what_they_cost_without() {
    let (with, without) = (least("builtin:frontier", "core"), least(BARE, "core"));
    // Half as much again, plus the few milliseconds that a busy machine adds.
    let most = without * 3 / 2 + Duration::from_millis(3);
    println!("with GPUs {with:?}, without {without:?}");
    assert!(with <= most, "with GPUs {with:?}, without {without:?}");
}

#[test]
fn two_thousand_million_processes_on_a_node_take_turns() {
    let shape = shapes::regular("gpus", "builtin:frontier", 1, 2_000_000_000, "slot");
    let mut resolved = shape.resolved;
    for id in resolved.apps.policies.ids().collect::<Vec<_>>() {
        let policy = &mut resolved.apps.policies[id];
        policy.gpus = Some(stowplan_engine::policy::GpuShare::PerRank(3));
        policy.bind = stowplan_engine::policy::BindTo::Nothing;
    }
    let plan = map_resolved(resolved, shape.machine).unwrap().plan;
    let given = plan.given_gpus();
    let of = |local| given.of(NodeId::from_row(0), local);
    // Logical order is 4 5 2 3 6 7 0 1.
    assert_eq!((of(0), of(1)), (&[2, 4, 5][..], &[3, 6, 7][..]));
    assert_eq!(of(1_999_999_992), of(0));
    assert!(plan.to_bytes().len() < BYTES_MAX);
}

#[test]
fn random_jobs_with_devices_are_placed_and_dealt_as_the_plain_mapper_does() {
    let jobs = if stowplan_scale_tests::size::is_long() {
        100_000
    } else {
        3_000
    };
    let lab = Lab::new();
    let (mut placed, mut refused, mut wrong) = (0, BTreeSet::new(), Vec::new());
    for number in 0..jobs {
        let job = arbitrary::job_with_devices(41, number);
        match lab.compare(&job).0 {
            Verdict::Mapped(_) => placed += 1,
            Verdict::Words(class) | Verdict::Refused(class) => {
                refused.insert(class);
            }
            Verdict::Differs(difference) => {
                let line = job.command_line(|machine| MACHINES[machine].topo.to_owned());
                wrong.push(format!("{line}\n  {difference:?}"));
            }
        }
    }
    let first = &wrong[..wrong.len().min(12)];
    assert!(
        wrong.is_empty(),
        "{} of {jobs}:\n{}",
        wrong.len(),
        first.join("\n")
    );
    assert!(placed * 4 > jobs, "{placed} of {jobs} are placed");
    for class in [
        "device-not-found",
        "no-such-device",
        "bind-above-map",
        "not-enough-gpus",
        "contradicting-qualifiers",
    ] {
        assert!(refused.contains(class), "{class} among {refused:?}");
    }
}
