//! Listed ranks in a plan as bytes.

use proptest::prelude::*;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::bytes::inside::is_whole;
use stowplan_engine::plan::{ListedRun, PlacedRun};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::PatternId;

fn run(first: u32, count: u32, procs: u32) -> PlacedRun {
    PlacedRun {
        nodes: NodeRange { first, count },
        procs,
        pattern: PatternId::from_row(0),
        kind: None,
        own_before: 0,
        used_before: 0,
    }
}

proptest! {
    /// Two nodes of three, one of two: entries of one or two processes, now and then in a wrong place.
    #[test]
    fn a_list_is_whole_as_long_as_nothing_is_in_a_wrong_place(
        order in Just(vec![(4, 0, 2), (4, 2, 1), (5, 0, 3), (1, 0, 1), (1, 1, 1)]).prop_shuffle(),
        wrong in prop::option::of((0_usize..5, 0_u32..7, 0_u32..4)),
    ) {
        let runs = [run(4, 2, 3), run(1, 1, 2)];
        let mut rank = 0;
        let mut listed: Vec<ListedRun> = Vec::new();
        for &(node, local, count) in &order {
            listed.push(ListedRun { rank, node, local });
            rank += count;
        }
        let sound = listed.clone();
        if let Some((at, node, local)) = wrong {
            (listed[at].node, listed[at].local) = (node, local);
        }
        prop_assert_eq!(is_whole(&listed, &runs, 8), listed == sound);
    }
}
