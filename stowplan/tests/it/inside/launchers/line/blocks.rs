//! Blocks of nodes.

use stowplan::launchers::line::{Block, blocks};
use stowplan_engine::table::names::NodeRange;

#[test]
fn a_begun_node_stands_alone() {
    let runs = [(NodeRange::until(0, 100), 0)];
    let seen = |begin, ranks| {
        let blocks = blocks(&runs, 4, begin, ranks);
        let row = |own: &Block| (own.nodes.first, own.nodes.count, own.first, own.end);
        blocks.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(seen(0, 10), [(0, 2, 0, 4), (2, 1, 0, 2)]);
    assert_eq!(seen(2, 7), [(0, 1, 2, 4), (1, 1, 0, 4), (2, 1, 0, 1)]);
    assert_eq!(seen(1, 2), [(0, 1, 1, 3)]);
}
