//! The options of mpibind as text.

use stowplan_engine::policy::Mpibind;
use stowplan_engine::text::mpibind::{options_text, read_options};

#[test]
fn options_are_read_back_as_they_are_written() {
    for text in [
        "",
        "threads=4",
        "greedy=0:gpu=0",
        "threads=65535:greedy=0:gpu=0:smt=2",
    ] {
        assert_eq!(options_text(read_options(text, 0).unwrap()), text);
    }
    assert_eq!(
        read_options("greedy=1:gpu=1", 0).unwrap(),
        Mpibind::default()
    );
    for text in [
        "threads=0",
        "threads=65536",
        "smt=x",
        "gpu=2",
        "threads",
        "pe=2",
    ] {
        assert!(read_options(text, 0).is_err(), "{text}");
    }
}
