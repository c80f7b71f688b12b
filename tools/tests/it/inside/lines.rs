//! Lines of an input that may never end.

use stowplan_cli::command::batch::lines::{CHUNK, Lines};
use stowplan_engine::limit::REQUEST_BYTES_MAX;

fn all(text: &[u8], most: usize) -> Vec<(u64, Result<String, &'static str>)> {
    let mut input = text;
    let mut lines = Lines::of(&mut input);
    let mut found = Vec::new();
    loop {
        let next = lines.next(most).unwrap();
        if next.is_empty() {
            return found;
        }
        assert!(next.len() <= most);
        found.extend(next.into_iter().map(|line| (line.number, line.text)));
    }
}

#[test]
fn empty_lines_count_and_are_passed_over() {
    for most in [1, 2, 100] {
        let lines = all(b"a\n\n  \nb\r\n\xff\nc", most);
        let numbers: Vec<u64> = lines.iter().map(|line| line.0).collect();
        assert_eq!(numbers, [1, 4, 5, 6]);
        assert!(lines[2].1.is_err());
        assert_eq!(lines[3].1.as_deref(), Ok("c"));
    }
}

#[test]
fn a_line_that_is_too_long_is_one_line() {
    let mut text = vec![b'x'; REQUEST_BYTES_MAX + 3 * CHUNK];
    text.extend_from_slice(b"\nshort\n");
    let lines = all(&text, 8);
    assert_eq!(lines.len(), 2);
    assert!(lines[0].1.is_err());
    assert_eq!(lines[1], (2, Ok("short".to_owned())));
}
