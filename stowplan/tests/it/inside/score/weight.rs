//! Weights of traffic.

use stowplan::score::weight::Weight;

#[test]
fn weights_are_read_and_written() {
    for (text, written) in [
        ("0", "0"),
        ("12", "12"),
        ("9007199254740991", "9007199254740991"),
        ("1.5", "1.5"),
        ("0.1", "0.1"),
        ("1e3", "1000"),
        ("3.", "3"),
        ("0.9999999999", "1"),
    ] {
        assert_eq!(Weight::read(text).unwrap().to_string(), written, "{text}");
    }
    for text in [
        "",
        "-1",
        "nan",
        "inf",
        "9007199254740992",
        "1e300",
        "x",
        "1,5",
    ] {
        assert_eq!(Weight::read(text), None, "{text}");
    }
}
