//! JSON read in place: the whole text is judged first, then read level by level. Every value knows its byte, every object keeps its
//! members in order, twice if they stand twice.

use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The most levels of containers inside containers.
const DEPTH_MAX: usize = 64;

/// What is wrong with a text, and at which byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// The byte.
    pub at: usize,
    /// What is wrong.
    pub(crate) fault: String,
}

/// A step from a value to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment {
    /// The value of a key.
    Key(String),
    /// An element of an array, from 0.
    Row(usize),
    /// The name of a key.
    Name(String),
}

impl Segment {
    /// The value of a key.
    #[must_use]
    pub fn key(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

/// A value of a sound JSON text.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(transparent)]
pub struct Json<'a>(#[serde(borrow)] &'a RawValue);

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A number without fraction or exponent.
    Integer,
    /// Another number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'a> Json<'a> {
    /// Judges a text: RFC 8259, UTF-8 without a byte order mark, nothing after the value, at most 64 levels. Gives its value.
    ///
    /// # Errors
    /// The first byte that is wrong. Cost: two passes, and memory for the longest string.
    pub fn judge(bytes: &'a [u8]) -> Result<Self, JsonError> {
        let fail = |at, fault: &str| {
            let fault = fault.to_owned();
            Err(JsonError { at, fault })
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return fail(error.valid_up_to(), "this is no UTF-8"),
        };
        if text.starts_with('\u{feff}') {
            return fail(0, "a byte order mark comes before the value");
        }
        let value = serde_json::from_str(text).map_err(|error| no_json(text, 0, &error));
        let sound = value.as_ref().map_or_else(|error| error.at, |_| text.len());
        judge_insides(text, sound)?;
        value
    }

    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.raw().as_bytes().first() {
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Object,
            Some(b'-' | b'0'..=b'9') if self.raw().contains(['.', 'e', 'E']) => Kind::Number,
            Some(b'-' | b'0'..=b'9') => Kind::Integer,
            Some(_) | None => Kind::Null,
        }
    }

    /// The value as written.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.0.get()
    }

    /// The byte of `text`, of which this is a value, where it starts.
    #[must_use]
    pub fn byte(self, text: &[u8]) -> usize {
        self.raw().as_ptr().addr() - text.as_ptr().addr()
    }

    /// The value without white space between its parts.
    #[must_use]
    pub fn compact(self) -> String {
        let mut inside = false;
        let mut escaped = false;
        let keep = |c: &char| {
            if inside {
                (inside, escaped) = (escaped || *c != '"', !escaped && *c == '\\');
                return true;
            }
            inside = *c == '"';
            !matches!(c, ' ' | '\t' | '\n' | '\r')
        };
        self.raw().chars().filter(keep).collect()
    }

    /// The text of a string value, unescaped.
    #[must_use]
    pub fn string(self) -> String {
        serde_json::from_str(self.raw()).unwrap_or_default()
    }

    /// The elements of an array. Cost: its length in bytes.
    #[must_use]
    pub fn elements(self) -> Vec<Self> {
        serde_json::from_str(self.raw()).unwrap_or_default()
    }

    /// The part at the end of a path; where a part is not there, the value that lacks it. Of a key that is there twice, the last.
    /// Cost: the length in bytes of each value on the way.
    #[must_use]
    pub fn find(self, path: &[Segment]) -> Self {
        let part = |value: Self, segment: &Segment| match segment {
            Segment::Row(row) => value.elements().get(*row).copied(),
            Segment::Key(key) => value.member(key).map(|(_, value)| value),
            Segment::Name(key) => value.member(key).map(|(name, _)| name),
        };
        let parts = path
            .iter()
            .try_fold(self, |value, segment| part(value, segment).ok_or(value));
        parts.unwrap_or_else(|lacking| lacking)
    }

    /// The last member of a name: its name and its value.
    fn member(self, key: &str) -> Option<(Self, Self)> {
        let of_key = |(name, text, value)| (text == key).then_some((name, value));
        self.members().filter_map(of_key).last()
    }

    /// The members of an object: the name as it stands there, the name, and the value. Cost: its length in bytes.
    pub fn members(self) -> impl Iterator<Item = (Self, String, Self)> {
        let mut reader = serde_json::Deserializer::from_str(self.raw());
        let members = reader.deserialize_map(Members).unwrap_or_default();
        let named = |(name, value): (Self, Self)| (name, name.string(), value);
        members.into_iter().map(named)
    }
}

/// Reads an object's members, in order.
struct Members;

impl<'a> Visitor<'a> for Members {
    type Value = Vec<(Json<'a>, Json<'a>)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        std::iter::from_fn(|| map.next_entry().transpose()).collect()
    }
}

/// What `serde_json` found wrong in the part of a text that starts at a byte. It names lines and their bytes.
fn no_json(text: &str, start: usize, error: &serde_json::Error) -> JsonError {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&format!(" at line {line} column {column}"));
    let said = said.unwrap_or_default();
    let lines = text[start..].split_inclusive('\n').take(line - 1);
    // Of a control character it names the byte before.
    let behind = column + usize::from(said.starts_with("control character"));
    let at = (start + lines.map(str::len).sum::<usize>() + behind).saturating_sub(1);
    let at = (0..=at).rev().find(|&at| text.is_char_boundary(at));
    JsonError {
        at: at.filter(|_| !error.is_eof()).unwrap_or(text.len()),
        fault: format!("this is no JSON: {said}"),
    }
}

/// Judges what `serde_json` passes over in a text that is sound up to a byte: the depth, and whether strings are Unicode.
fn judge_insides(text: &str, sound: usize) -> Result<(), JsonError> {
    let text = &text[..sound];
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(next) = text[at..].find(['"', '[', '{', ']', '}']) {
        at += next;
        match text.as_bytes()[at] {
            b'"' => {
                let mut strings =
                    serde_json::Deserializer::from_str(&text[at..]).into_iter::<String>();
                match strings.next() {
                    Some(Ok(_)) => at += strings.byte_offset(),
                    Some(Err(error)) if !error.is_eof() => {
                        let fault = "half of a character pair is alone before this".to_owned();
                        let JsonError { at, .. } = no_json(text, at, &error);
                        return Err(JsonError { at, fault });
                    }
                    Some(Err(_)) | None => return Ok(()),
                }
                continue;
            }
            b'[' | b'{' if depth == DEPTH_MAX => {
                let fault = format!("the value is nested more than {DEPTH_MAX} levels deep");
                return Err(JsonError { at, fault });
            }
            b'[' | b'{' => depth += 1,
            _ => depth -= 1,
        }
        at += 1;
    }
    Ok(())
}

/// Line and column of a byte, from 1, in characters.
#[must_use]
pub(crate) fn position(bytes: &[u8], byte: usize) -> (u32, u32) {
    let before = &bytes[..byte.min(bytes.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |newline| newline + 1);
    let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
    let clip = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (clip(line), clip(column))
}
