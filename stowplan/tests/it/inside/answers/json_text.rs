//! JSON for people and programs.

use serde_json::{Value, json};
use stowplan::answers::json_text::{shown, text};
use stowplan_engine::text::printable::disturbs;

#[test]
fn json_that_is_there_keeps_what_it_says() {
    let given = "[1e999,\t\"a\u{202e}\\n\",\r\n 12345678901234567890123]";
    assert_eq!(
        shown(given),
        "[1e999, \"a\\u202e\\n\",   12345678901234567890123]"
    );
}

#[test]
fn what_is_read_is_what_was_written() {
    for sign in ('\0'..='\u{ffff}').chain(['\u{10ffff}', '\u{1f600}']) {
        let value = json!({ format!("k{sign}"): [format!("{sign}a{sign}{sign}"), 1, null]});
        let text = text(&value);
        assert!(!text.contains(disturbs), "{text:?}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        if !disturbs(sign) {
            assert_eq!(text, value.to_string());
        }
    }
}
