//! Files that were given where others were meant.

use stowplan_cli::mistaken::{Kind, names};

#[test]
fn a_path_is_a_word_of_its_own() {
    assert!(names("p: no journal", "p"));
    assert!(names("topology file p, line 1", "p"));
    assert!(!names("no plan at all", "p"));
    assert!(!names("a/p: no journal", "p"));
    assert!(names("hostfile p:2:1: bytes", "p"));
}

#[test]
fn files_are_known_by_their_bytes() {
    assert_eq!(
        Kind::of(b"<?xml version=\"1.0\"?>\n<topology>"),
        Some(Kind::Topology)
    );
    assert_eq!(Kind::of(br#"{"apps": []}"#), Some(Kind::Request));
    assert_eq!(Kind::of(br#"{"steps": []}"#), Some(Kind::Scenario));
    assert_eq!(Kind::of(b"n0 slots=4\n"), None);
    assert_eq!(Kind::of(b""), None);
}
