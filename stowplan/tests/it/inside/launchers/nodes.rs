//! Names of nodes: their order, and their brackets.

use stowplan::launchers::nodes::{RankNodes, natural};
use stowplan_engine::plan::{Placed, PlacedRun, Plan, World};
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::{Names, NodeRange};
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};
use stowplan_engine::text::hostlist::read_host_names;

#[test]
fn names_stand_as_people_count() {
    let mut names = ["n10", "n9", "n1-b", "n1-a", "m", "n010", "n011"];
    names.sort_by(|a, b| natural(a, b));
    assert_eq!(names, ["m", "n010", "n011", "n1-a", "n1-b", "n9", "n10"]);
}

/// A plan with a process on each of these nodes.
fn plan(hosts: &str) -> Plan {
    let mut names = Names::default();
    for range in read_host_names(hosts).unwrap() {
        names.add(&range).unwrap();
    }
    let mut patterns = Patterns::default();
    let place = Place {
        object: None,
        cpus: None,
    };
    let pattern = patterns.intern(vec![Segment {
        procs: 1,
        runs: vec![PlaceRun { count: 1, place }],
        ..Segment::default()
    }]);
    let run = PlacedRun {
        nodes: NodeRange::until(0, names.len()),
        procs: 1,
        pattern,
        kind: None,
        own_before: 0,
        used_before: 0,
    };
    let world = World {
        names: names.into(),
        ..World::default()
    };
    let placed = Placed {
        runs: vec![run],
        ..Placed::default()
    };
    Plan::assemble(world, AppTable::default(), patterns, vec![placed])
}

#[test]
fn numbers_fold_over_their_digits() {
    for (hosts, folded) in [
        ("n8,n9,n[10-12]", "n[8-12]"),
        ("n[08-12]", "n[08-12]"),
        ("n099,n100", "n[099-100]"),
        ("n1,n[5-6]", "n[1,5-6]"),
        ("n09,n010", "n[09,010]"),
    ] {
        let plan = plan(hosts);
        let nodes = RankNodes::of(&plan);
        let all = 0..nodes.len();
        assert_eq!(nodes.folded(&[all]), folded, "{hosts}");
    }
}
