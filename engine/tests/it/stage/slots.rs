//! The slots of a node.

use stowplan_engine::id::Id as _;
use stowplan_engine::table::pusets::PuSetId;
use stowplan_engine::table::states::NodeState;
use stowplan_engine::table::topologies::TopologyId;

fn node(slots: u32, max_slots: Option<u32>, used: u32) -> NodeState {
    let set = PuSetId::from_row(0);
    NodeState {
        topology: TopologyId::from_row(0),
        allowed: set,
        free: set,
        slots,
        max_slots,
        used,
        own: 0,
    }
}

#[test]
fn max_slots_bounds_what_oversubscribe_may_add() {
    assert_eq!(node(2, None, 5).room(), u32::MAX);
    assert_eq!(node(2, Some(6), 5).room(), 1);
    assert_eq!(node(2, Some(4), 5).room(), 0);
}

#[test]
fn a_node_is_full_without_slots_or_at_max_slots() {
    assert!(!node(2, None, 1).is_full());
    assert!(node(2, None, 2).is_full());
    assert!(node(4, Some(3), 3).is_full());
}

#[test]
fn a_claim_raises_slots_up_to_max_slots() {
    assert_eq!(node(2, None, 1).claimed(3), Ok(4));
    assert_eq!(node(2, Some(4), 1).claimed(3), Ok(4));
    assert_eq!(node(2, Some(4), 2).claimed(3), Err(4));
    assert_eq!(node(2, None, 1).claimed(u64::MAX), Ok(u32::MAX));
}
