//! Lists of hosts, folded.

use stowplan::answers::hosts::{all, host_list};
use stowplan_engine::table::names::{NameRange, Names};

fn listed(ranges: &[(&str, u64, u32, u8, &str)]) -> String {
    let mut names = Names::default();
    for &(prefix, first, count, width, suffix) in ranges {
        let range = NameRange {
            prefix: prefix.into(),
            first,
            count,
            width,
            suffix: suffix.into(),
        };
        names.add(&range).unwrap();
    }
    host_list(&names, all(&names))
}

#[test]
fn names_fold_to_what_was_given() {
    assert_eq!(listed(&[("n", 0, 16_384, 1, "")]), "n[0-16383]");
    assert_eq!(listed(&[("nid", 0, 128, 6, "")]), "nid[000000-000127]");
    assert_eq!(listed(&[("n", 98, 5, 2, "-ib")]), "n[98-102]-ib");
    assert_eq!(listed(&[("n", 8, 5, 2, "")]), "n[08-12]");
    assert_eq!(listed(&[("a", 0, 1, 0, ""), ("b", 0, 1, 0, "")]), "a,b");
    assert_eq!(
        listed(&[("n08", 0, 1, 0, ""), ("n9", 0, 1, 0, "")]),
        "n08,n9"
    );
}
