//! How Flux deals tasks over nodes.

use stowplan::launchers::flux::deal::{rounds, sort};

#[test]
fn rounds_go_on_where_cores_are_left() {
    // 8 and 2 cores, two cores a task: 4 and 1 tasks in a cycle.
    let order = [(8, 1), (2, 0)];
    let counts = |tasks| rounds(&order, tasks, 2);
    assert_eq!(counts(1), [0, 1]);
    assert_eq!(counts(3), [1, 2]);
    assert_eq!(counts(5), [1, 4]);
    assert_eq!(counts(6), [1, 5]);
    assert_eq!(counts(7), [2, 5]);
}

#[test]
fn the_sort_is_that_of_the_lists() {
    let mut nodes = [(3, 0), (5, 1), (3, 2), (5, 3), (4, 4)];
    sort(&mut nodes);
    assert!(nodes.windows(2).all(|two| two[0].0 >= two[1].0));
}
