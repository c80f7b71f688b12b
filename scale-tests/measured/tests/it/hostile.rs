//! Plans that are made to be expensive: a few kilobytes that claim a different process count for each run of nodes.

use crate::child::{again, peak_kib};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Claimed, Placed, PlacedRun, Plan, RankOrder, World};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::{NameRange, Names, NodeRange};
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};
use stowplan_scale_tests::size::is_long;

/// Tells the child the rank order and the number of objects of a node.
const PLAN: &str = "STOWPLAN_HOSTILE_PLAN";

/// So many nodes: n0, n1 and so on.
fn n_from_0(count: u32) -> NameRange {
    NameRange {
        prefix: "n".to_owned(),
        first: 0,
        count,
        width: 1,
        suffix: String::new(),
    }
}

/// Every node has one process more than the node before it; its processes go round over the objects.
fn staircase(nodes: u32, objects: u32, order: RankOrder) -> Plan {
    let mut names = Names::default();
    names.add(&n_from_0(nodes)).unwrap();
    let mut patterns = Patterns::default();
    // The objects are in reverse order, so that fill differs from slot.
    let runs = (0..objects).rev().map(|object| PlaceRun {
        count: 1,
        place: Place {
            object: Some(object),
            cpus: None,
        },
    });
    let pattern = patterns.intern(vec![Segment {
        procs: u32::MAX,
        runs: runs.collect(),
        cycle: Some(0),
        shares: Vec::new(),
    }]);
    let runs = (0..nodes).map(|node| PlacedRun {
        nodes: NodeRange {
            first: node,
            count: 1,
        },
        procs: node + 1,
        pattern,
        kind: Some(ObjKind::Core),
        own_before: 0,
        used_before: 0,
    });
    let world = World {
        names: names.into(),
        ..World::default()
    };
    let placed = Placed {
        policy: None,
        runs: runs.collect(),
        order,
        passes: None,
        claimed: Claimed::default(),
    };
    Plan::assemble(world, AppTable::default(), patterns, vec![placed])
}

fn order(word: &str) -> RankOrder {
    match word {
        "node" => RankOrder::Node,
        "span" => RankOrder::Span,
        "fill" => RankOrder::Fill,
        _ => RankOrder::Slot,
    }
}

/// The body of the child process, not a promise: without a plan it does nothing.
#[test]
fn read_here() {
    let Ok(said) = std::env::var(PLAN) else {
        return;
    };
    let (word, objects) = said.split_once(' ').unwrap();
    let nodes = if is_long() { 60_000 } else { 20_000 };
    let bytes = staircase(nodes, objects.parse().unwrap(), order(word)).broadcast_bytes();
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let plan = Plan::from_broadcast_bytes(&bytes).unwrap();
    let allocated = region.change().bytes_allocated;
    let ranks = plan.ranks();
    assert_eq!(
        u64::from(ranks),
        u64::from(nodes) * u64::from(nodes + 1) / 2
    );
    for rank in (0..ranks).step_by(ranks as usize / 50).map(Rank) {
        let at = plan.locate(rank).unwrap();
        assert_eq!(plan.rank_of(at), rank, "{said}");
    }
    println!("read {} {allocated}", bytes.len());
}

#[test]
fn reading_a_plan_takes_memory_in_proportion_whatever_its_counts() {
    for said in [
        "node 1",
        "span 64",
        "fill 64",
        "span 4096",
        "fill 4096",
        "slot 1",
    ] {
        let numbers: Vec<u64> = again("hostile::read_here", (PLAN, said), "read ");
        let (bytes, allocated) = (numbers[0], numbers[1]);
        println!("{said}: {bytes} bytes read, {allocated} bytes allocated");
        assert!(bytes <= 64 << 10, "{said}: {bytes} bytes make the plan");
        // Bands for every run separately would take 1.6 GB, and 14 GB in the long check.
        assert!(
            allocated <= 192 << 20,
            "{said}: {allocated} bytes allocated"
        );
    }
}

/// Tells the child the form in which the plan of many runs is read.
const MANY: &str = "STOWPLAN_MANY_RUNS";

/// The body of the child process, not a promise: without a form it does nothing.
#[test]
fn read_many_here() {
    let Ok(runs) = std::env::var(MANY) else {
        return;
    };
    let runs: u32 = runs.parse().unwrap();
    let bytes = uneven(runs).broadcast_bytes();
    // From here on, the peak is that of the reading.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak_kib();
    let read = Plan::from_broadcast_bytes(&bytes);
    let taken = peak_kib().saturating_sub(before);
    let ranks = read.map_or(0, |plan| plan.ranks());
    println!("read {} {taken} {ranks}", bytes.len());
}

/// Nodes that held one process more than the node before: as many runs as nodes, and each column has one step.
fn uneven(nodes: u32) -> Plan {
    let mut plan = staircase(1, 1, RankOrder::Slot).world().clone();
    plan.names = std::sync::Arc::new(Names::default());
    std::sync::Arc::make_mut(&mut plan.names)
        .add(&n_from_0(nodes))
        .unwrap();
    let mut patterns = Patterns::default();
    let pattern = patterns.intern(vec![Segment {
        procs: 2,
        runs: vec![PlaceRun {
            count: 2,
            place: Place {
                object: None,
                cpus: None,
            },
        }],
        cycle: None,
        shares: Vec::new(),
    }]);
    let runs = (0..nodes).map(|node| PlacedRun {
        nodes: NodeRange {
            first: node,
            count: 1,
        },
        procs: 1,
        pattern,
        kind: None,
        own_before: 0,
        used_before: node,
    });
    let placed = Placed {
        runs: runs.collect(),
        ..Placed::default()
    };
    Plan::assemble(plan, AppTable::default(), patterns, vec![placed])
}

#[test]
fn small_bytes_take_less_than_512_mebibytes() {
    for runs in ["1000000", "2300000", "4194304"] {
        let numbers: Vec<u64> = again("hostile::read_many_here", (MANY, runs), "read ");
        let (bytes, kib, ranks) = (numbers[0], numbers[1], numbers[2]);
        println!("{runs} runs: {bytes} bytes read, {kib} KiB more, {ranks} ranks");
        assert!(ranks > 0, "what is written can be read: {runs}");
        assert!(bytes > 2 << 20 || kib <= 512 << 10, "{runs}: {kib} KiB");
    }
}
