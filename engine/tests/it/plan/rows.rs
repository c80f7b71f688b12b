//! Walking all ranks gives what asking for each of them gives.

use super::rank::order::pattern;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Claimed, ListedRun, Placed, PlacedRun, Plan, RankOrder, World};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};
use stowplan_engine::taskmap::Limits;

/// Two apps over five nodes, the second in the given order: walks all ranks and asks for each of them.
fn agrees(order: RankOrder) {
    let mut patterns = Patterns::default();
    let two = pattern(&mut patterns, &[(1, 0), (1, 1)]);
    let three = pattern(&mut patterns, &[(1, 0), (1, 1), (1, 2)]);
    let run = |first, count, procs, pattern| PlacedRun {
        nodes: NodeRange { first, count },
        procs,
        pattern,
        kind: Some(ObjKind::Package),
        own_before: 0,
        used_before: 0,
    };
    let placed = |order| Placed {
        runs: vec![run(0, 2, 5, two), run(2, 1, 7, three), run(4, 1, 1, two)],
        order,
        ..Placed::default()
    };
    let plan = Plan::assemble(
        World::default(),
        AppTable::default(),
        patterns,
        vec![placed(RankOrder::Slot), placed(order)],
    );
    let mut seen = 0;
    for (rank, at) in plan.rows() {
        assert_eq!(rank, Rank(seen), "ranks come in order");
        assert_eq!(plan.locate(rank), Some(at));
        assert_eq!(plan.rank_of(at), rank);
        seen += 1;
    }
    assert_eq!(seen, plan.ranks());
    let tasks = plan.task_map(Limits::default()).unwrap();
    for rank in (0..plan.ranks()).map(Rank) {
        let node = plan.place(rank).unwrap().node.row();
        assert_eq!(tasks.node_of(rank).unwrap().0 as usize, node);
    }
}

#[test]
fn rows_and_questions_agree() {
    let listed = [(0, 2, 0), (3, 4, 0), (4, 0, 0), (9, 2, 3), (13, 1, 0)];
    let listed = listed.map(|(rank, node, local)| ListedRun { rank, node, local });
    for order in [
        RankOrder::Slot,
        RankOrder::Fill,
        RankOrder::Node,
        RankOrder::Span,
        RankOrder::Listed(listed.to_vec()),
    ] {
        agrees(order);
    }
}

#[test]
fn a_node_of_thousands_of_millions_is_begun_at_once() {
    let mut patterns = Patterns::default();
    let place = Place {
        object: None,
        cpus: None,
    };
    let pattern = patterns.intern(vec![Segment {
        procs: u32::MAX,
        runs: vec![PlaceRun { count: 1, place }],
        cycle: Some(0),
        shares: Vec::new(),
    }]);
    let run = PlacedRun {
        nodes: NodeRange { first: 0, count: 1 },
        procs: 4_000_000_000,
        pattern,
        kind: None,
        own_before: 0,
        used_before: 0,
    };
    let placed = Placed {
        policy: None,
        runs: vec![run],
        order: RankOrder::Node,
        passes: None,
        claimed: Claimed::default(),
    };
    let plan = Plan::assemble(
        World::default(),
        AppTable::default(),
        patterns,
        vec![placed],
    );
    assert_eq!(plan.rows().nth(3).unwrap().0, Rank(3));
}
