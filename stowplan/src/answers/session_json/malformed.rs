//! Why a text is not a scenario file, a step or an event, and where in it.

use crate::job::json::{Json, Segment, position};
use std::ops::Range;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::at::At;

/// How deep a JSON text may be nested.
pub const DEPTH_MAX: u32 = 64;

/// The most memory that the values of a JSON text may take, in bytes.
pub const JSON_MEMORY_MAX: usize = 1 << 30;

/// What is wrong with a part of a JSON text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// The way to the part, from the outermost value.
    path: Vec<Segment>,
    /// What is wrong. One line.
    what: String,
}

impl Fault {
    /// A value as a whole.
    pub fn whole(what: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            what: what.into(),
        }
    }

    /// A fault of a part, seen from the value around it.
    #[must_use]
    pub fn inside(mut self, segment: Segment) -> Self {
        self.path.insert(0, segment);
        self
    }

    /// The same, with words before it that say where it is.
    #[must_use]
    pub fn said_of(mut self, place: &str) -> Self {
        self.what = format!("{place}: {}", self.what);
        self
    }

    /// The value of a key, or the object that lacks it.
    #[must_use]
    pub fn of_value(key: &str, what: impl Into<String>) -> Self {
        Self::whole(what).inside(Segment::Key(key.to_owned()))
    }

    /// The name of a key.
    pub(super) fn of_name(key: &str, what: impl Into<String>) -> Self {
        Self::whole(what).inside(Segment::Name(key.to_owned()))
    }

    /// A fault of the value of a key, which the words name.
    pub(super) fn of(key: &str, what: impl Into<String>) -> Self {
        Self::whole(what).under(key)
    }

    /// A fault inside the value of a key, which words before it name.
    pub(super) fn under(self, key: &str) -> Self {
        self.said_of(&format!("{key:?}")).inside(Segment::key(key))
    }
}

/// Why a text is not a scenario file.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: String,
    },
    /// It is not JSON.
    #[error("no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is nested too deep.
    #[error("nested deeper than {DEPTH_MAX} levels at byte {at}")]
    Depth {
        /// Where.
        at: usize,
    },
    /// It would take too much memory.
    #[error("more values than {JSON_MEMORY_MAX} bytes of memory hold, at byte {at}")]
    Memory {
        /// Where it is too much.
        at: usize,
    },
    /// A part is wrong.
    #[error(transparent)]
    Part(#[from] Fault),
    /// No scenario has this name.
    #[error("no scenario is called {0:?}")]
    NoSuch(String),
}

impl Malformed {
    /// The refusal of a file with this text: line, column, and the words in question. Cost: a second pass over the text.
    #[must_use]
    pub fn of_file(&self, path: &str, text: &[u8]) -> SpecError {
        let (what, range) = match (self, Json::judge(text)) {
            (Self::Part(fault), Ok(json)) => {
                let part = json.find(&fault.path);
                let start = part.byte(text);
                (fault.what.clone(), start..start + part.raw().len())
            }
            (Self::Json(_) | Self::Depth { .. }, Err(error)) => {
                (error.fault, error.at..error.at + 1)
            }
            (Self::Memory { at }, _) => (self.to_string(), *at..*at + 1),
            // Of no text, or of another.
            (_, _) => return refused(format!("{path}: {self}"), None),
        };
        let (line, column) = position(text, range.start);
        let at = on_its_line(path, line, text, range);
        refused(format!("{path}:{line}:{column}: {what}"), Some(at))
    }
}

fn refused(sentence: String, at: Option<At>) -> SpecError {
    SpecError::OfLine {
        class: "scenario",
        sentence,
        at,
        help: Vec::new(),
    }
}

/// The part of a range that is on its first line, with that line.
fn on_its_line(path: &str, line: u32, bytes: &[u8], range: Range<usize>) -> At {
    let begin = range.start.min(bytes.len());
    let begin = bytes[..begin].iter().rposition(|&byte| byte == b'\n');
    let begin = begin.map_or(0, |newline| newline + 1);
    let own = bytes[begin..].split(|&byte| byte == b'\n').next();
    let own = String::from_utf8_lossy(own.unwrap_or_default());
    At::in_line(path, line, &own, range.start - begin..range.end - begin)
}
