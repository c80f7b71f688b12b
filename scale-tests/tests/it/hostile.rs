//! Plans that are made to be expensive: a few kilobytes that claim a different process count for each run of nodes.

use crate::child::again;
use crate::size::is_long;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Claimed, Placed, PlacedRun, Plan, RankOrder, World};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::{NameRange, Names, NodeRange};
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};

/// Tells the child the rank order and the number of objects of a node.
const PLAN: &str = "STOWPLAN_HOSTILE_PLAN";

/// Every node has one process more than the node before it; its processes go round over the objects.
fn staircase(nodes: u32, objects: u32, order: RankOrder) -> Plan {
    let mut names = Names::default();
    let range = NameRange {
        prefix: "n".to_owned(),
        first: 0,
        count: nodes,
        width: 1,
        suffix: String::new(),
    };
    names.add(&range).unwrap();
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
        names,
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
        let numbers = again("hostile::read_here", (PLAN, said), "read ");
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
