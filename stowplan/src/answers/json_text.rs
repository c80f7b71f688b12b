//! JSON that a terminal can show: no control character and no mark of direction is written as it is.

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, Formatter};
use std::io::{self, Write};
use stowplan_engine::text::printable::disturbs;

/// Writes a value as compact JSON. Characters that [disturb](disturbs) are written as `\u202e` is: readers get what was there.
///
/// # Errors
/// When `out` refuses a write, or the value is none of JSON.
pub fn write<W: Write + ?Sized, T: Serialize + ?Sized>(out: &mut W, value: &T) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Shown);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// A value as JSON text; empty for what is none of JSON.
#[must_use]
pub fn text<T: Serialize + ?Sized>(value: &T) -> String {
    let mut bytes = Vec::new();
    match write(&mut bytes, value) {
        Ok(()) => String::from_utf8(bytes).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

/// A text that is JSON already, for example a number of many digits, which no value holds: as it was, with such characters escaped.
/// Between its words, where JSON has no escapes, they are line ends and tabs, and become blanks.
#[must_use]
pub fn shown(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for sign in json.chars() {
        match sign {
            '\t' | '\n' | '\r' => text.push(' '),
            sign if disturbs(sign) => {
                let mut units = [0; 2];
                for unit in sign.encode_utf16(&mut units) {
                    text += &format!("\\u{unit:04x}");
                }
            }
            sign => text.push(sign),
        }
    }
    text
}

/// Compact JSON with such characters escaped.
struct Shown;

impl Formatter for Shown {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Characters below U+0020 come one by one, to be escaped in any JSON.
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7f) {
            return out.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some(at) = rest.find(disturbs) {
            out.write_all(&rest.as_bytes()[..at])?;
            let mut signs = rest[at..].chars();
            let mut units = [0; 2];
            for unit in signs
                .next()
                .into_iter()
                .flat_map(|sign| sign.encode_utf16(&mut units).to_vec())
            {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = signs.as_str();
        }
        out.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        serde_json::ser::CompactFormatter.write_char_escape(out, escape)
    }
}
