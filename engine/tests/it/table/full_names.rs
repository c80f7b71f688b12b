//! Names with domains.

use stowplan_engine::id::Id as _;
use stowplan_engine::table::inside::SharedLabels;
use stowplan_engine::table::names::{NameRange, Names, NodeId};
use stowplan_engine::text::hostlist::plain;

fn names(list: &[&str]) -> (Names, Option<SharedLabels>) {
    let ranges: Vec<NameRange> = list.iter().map(|name| plain(name)).collect();
    let shared = SharedLabels::of(ranges.iter());
    let mut names = Names::apart(shared.as_ref().map(|shared| &shared.labels));
    for range in &ranges {
        names.add(range).expect("there are few");
    }
    (names, shared)
}

#[test]
fn labels_are_compared_unless_two_full_names_share_one() {
    let (names, shared) = names(&["a.x", "a", "b.x", "b.y", "c"]);
    assert_eq!(
        shared.expect("b is shared").first,
        ["b.x".to_owned(), "b.y".to_owned()]
    );
    let all: Vec<String> = (0..names.len())
        .map(|row| names.full_name(NodeId::from_row(row as usize)))
        .collect();
    assert_eq!(all, ["a.x", "b.x", "b.y", "c"]);
    let found = |name: &str| names.find_name(name).map(|node| node.number());
    assert_eq!(
        [
            found("a"),
            found("a.z"),
            found("b.y"),
            found("b"),
            found("c.d")
        ],
        [Some(0), Some(0), Some(2), None, Some(3)]
    );
}
