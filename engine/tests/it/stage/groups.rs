//! Groups of apps that compete for nodes.

use stowplan_engine::stage::inside::united;
use stowplan_engine::table::names::NodeRange;

#[test]
fn what_meets_over_others_is_one() {
    let range = |first, count| NodeRange { first, count };
    let mut ranges = [
        (range(0, 4), 0),
        (range(10, 2), 1),
        (range(3, 2), 2),
        (range(4, 6), 3),
        (range(20, 1), 4),
        (range(11, 1), 4),
        (range(30, 1), 5),
    ];
    assert_eq!(united(6, &mut ranges), [0, 1, 0, 0, 1, 5]);
}
