//! Blocks of a map of ranks.

use stowplan::launchers::dialect::hydra::items;
use stowplan_engine::taskmap::Block;

#[test]
fn a_block_is_written_as_is_shorter() {
    let of = |first, nodes, ppn| {
        items(&Block {
            first,
            nodes,
            ppn,
            repeat: 1,
        })
    };
    assert_eq!(of(0, 1, 1), "0");
    assert_eq!(of(1, 1, 2), "1,1");
    assert_eq!(of(0, 4, 1), "0,1,2,3");
    assert_eq!(of(0, 5, 1), "(0,5,1)");
}
