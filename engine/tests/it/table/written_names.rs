//! What was written around the names of nodes.

use stowplan_engine::table::inside::WrittenNames;
use stowplan_engine::table::names::{NodeRange, Written};

#[test]
fn the_first_words_stay_and_others_are_added() {
    let mut names = WrittenNames::default();
    let range = |first, end| NodeRange::until(first, end);
    names.keep(range(0, 4), &Written::domain(".a"));
    names.keep(range(4, 6), &Written::domain(".a"));
    assert_eq!(names.iter().len(), 1);
    let user = Written {
        domain: ".b".to_owned(),
        user: "u".to_owned(),
        port: String::new(),
    };
    names.keep(range(5, 8), &user);
    let seen: Vec<_> = names
        .iter()
        .map(|(nodes, own)| {
            (
                nodes.first,
                nodes.count,
                own.domain.as_str(),
                own.user.as_str(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [(0, 5, ".a", ""), (5, 1, ".a", "u"), (6, 2, ".b", "u")]
    );
    assert!(names.around(8).is_none());
}
