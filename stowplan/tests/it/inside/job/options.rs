//! The table of options.

use stowplan::job::options::{IGNORED, OPTIONS, nearest};

#[test]
fn each_name_is_one_option() {
    let mut names: Vec<_> = OPTIONS
        .iter()
        .chain(IGNORED)
        .flat_map(|row| row.names)
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_slip_is_answered_with_the_option_meant() {
    assert_eq!(nearest("map-bi").as_deref(), Some("--map-by"));
    assert_eq!(nearest("hotsfile").as_deref(), Some("--hostfile"));
}
