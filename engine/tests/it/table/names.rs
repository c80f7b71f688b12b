//! Names of nodes.

use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameRange, Names, NodeId, NodeRange, Nodes};

fn range(prefix: &str, first: u64, count: u32, width: u8) -> NameRange {
    NameRange {
        prefix: prefix.into(),
        first,
        count,
        width,
        suffix: String::new(),
    }
}

fn node(row: usize) -> NodeId {
    NodeId::from_row(row)
}

#[test]
fn four_million_names_cost_a_few_rows() {
    let mut names = Names::default();
    assert_eq!(
        names.add(&range("n", 0, 1 << 22, 1)),
        Ok(Nodes::from_slice(&[NodeRange {
            first: 0,
            count: 1 << 22
        }]))
    );
    assert_eq!(names.ranges().count(), 7);
    assert_eq!(names.name(node(4_000_000)), "n4000000");
    assert_eq!(
        names.find_name("n4000000.cluster.org"),
        Some(node(4_000_000))
    );
    assert_eq!(names.find_name("n04000000"), None);
    assert_eq!(names.find_ending(15), Some(node(15)));
}

#[test]
fn names_said_twice_are_one_node_however_spelled() {
    let mut names = Names::default();
    names.add(&range("n0015", 0, 1, 0)).unwrap();
    let found = names.add(&range("n00", 14, 3, 2)).unwrap();
    assert_eq!(
        found[..],
        [
            NodeRange { first: 1, count: 1 },
            NodeRange { first: 0, count: 1 },
            NodeRange { first: 2, count: 1 }
        ]
    );
    assert_eq!(
        (0..3).map(|row| names.name(node(row))).collect::<Vec<_>>(),
        ["n0015", "n0014", "n0016"]
    );
    names.move_to_front(node(2));
    assert_eq!(
        (0..3).map(|row| names.name(node(row))).collect::<Vec<_>>(),
        ["n0016", "n0015", "n0014"]
    );
    assert_eq!(names.find_name("n0014"), Some(node(2)));
    assert_eq!(
        names.find(&range("n", 15, 4, 4)).1.as_deref(),
        Some("n0017")
    );
}
