//! Sets of nodes as intervals, and orders of nodes.

use stowplan_engine::table::inside::{Intervals, NodeOrder, add_up};
use stowplan_engine::table::names::NodeRange;

fn range(first: u32, count: u32) -> NodeRange {
    NodeRange { first, count }
}

#[test]
fn intervals_join_and_say_what_is_new() {
    let mut set = Intervals::default();
    assert_eq!(set.insert(range(5, 5))[..], [range(5, 5)]);
    assert_eq!(set.insert(range(0, 3))[..], [range(0, 3)]);
    assert_eq!(set.insert(range(2, 10))[..], [range(3, 2), range(10, 2)]);
    assert_eq!(set.iter().collect::<Vec<_>>(), [range(0, 12)]);
    assert_eq!(set.missing(range(10, 4)), [range(12, 2)]);
    assert_eq!(set.shared(range(10, 4)), [range(10, 2)]);
}

#[test]
fn what_overlaps_adds_up() {
    let said = vec![(range(0, 3), 1), (range(5, 2), 8), (range(2, 4), 2)];
    let sums = [
        (range(0, 2), 1),
        (range(2, 1), 3),
        (range(3, 2), 2),
        (range(5, 1), 10),
        (range(6, 1), 8),
    ];
    assert_eq!(add_up(said), sums);
    let apart = vec![(range(0, 1), 4), (range(3, 1), 4)];
    assert_eq!(add_up(apart.clone()), apart);
    let twice = vec![(range(1, 1), 4), (range(1, 1), 4), (range(0, 1), 1)];
    assert_eq!(add_up(twice), [(range(0, 1), 1), (range(1, 1), 8)]);
}

#[test]
fn the_order_is_that_of_the_first_visit() {
    let mut order = NodeOrder::default();
    let mut visit = |nodes| {
        order.visit(nodes);
        order.places(nodes).collect::<Vec<_>>()
    };
    assert_eq!(visit(range(4, 2)), [(range(4, 2), 0)]);
    assert_eq!(
        visit(range(3, 4)),
        [(range(3, 1), 2), (range(4, 2), 0), (range(6, 1), 3)]
    );
    assert_eq!(visit(range(5, 2)), [(range(5, 1), 1), (range(6, 1), 3)]);
}
