//! Why a line is refused, as JSON: class, message, help, where in the line, and lines that would work.

use super::line;
use crate::command::remedies::Remedy;
use crate::report::{Message, Refused};
use serde::Serialize;
use stowplan::job::error::floor;
use stowplan_engine::error::at::{At, AtText};

/// A refusal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    /// The stable class.
    pub class: String,
    /// What was asked, what there was, and where.
    pub message: String,
    /// What would work, a sentence each.
    pub help: Vec<String>,
    /// Where in the line, in characters.
    pub at: Vec<Place>,
    /// Lines that work, each with what it changes.
    pub remedies: Vec<Mended>,
}

/// A part of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// The first character.
    pub start: usize,
    /// One behind the last.
    pub end: usize,
}

/// A line that would work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mended {
    /// What it changes.
    pub change: String,
    /// The whole line.
    pub line: String,
}

impl Refusal {
    /// A refusal of the request itself.
    #[must_use]
    pub fn of_request(class: &str, message: String) -> Self {
        Self {
            class: class.to_owned(),
            message,
            help: Vec::new(),
            at: Vec::new(),
            remedies: Vec::new(),
        }
    }

    /// A refusal of a line. `nearest`: jobs that were tried.
    ///
    /// Cost: the line.
    #[must_use]
    pub(super) fn of_line(refused: &Refused, text: &str, nearest: Vec<Remedy>) -> Self {
        let Message {
            class,
            message,
            places,
            mut help,
        } = refused.message();
        let found: Vec<_> = places.iter().filter_map(|at| place(text, at)).collect();
        let mut remedies = Vec::new();
        if let Some(at) = found.first() {
            for meant in help.iter().filter_map(|line| meant(line)) {
                let line = format!("{}{meant}{}", &text[..at.start], &text[at.end..]);
                remedies.push(Mended {
                    change: meant.to_owned(),
                    line,
                });
            }
        }
        for Remedy { change, words } in nearest {
            help.push(change.clone());
            let quoted = shlex::try_join(words.iter().map(String::as_str));
            remedies.extend(quoted.ok().map(|line| Mended { change, line }));
        }
        let characters = |byte: usize| text[..byte].chars().count();
        let at = found.iter().map(|at| Place {
            start: characters(at.start),
            end: characters(at.end),
        });
        Self {
            class,
            message,
            help,
            at: at.collect(),
            remedies,
        }
    }
}

/// The word in `did you mean WORD?`.
fn meant(help: &str) -> Option<&str> {
    help.strip_prefix("did you mean ")?.strip_suffix('?')
}

/// Where a place is in the line, in bytes.
fn place(text: &str, at: &At) -> Option<std::ops::Range<usize>> {
    let AtText::Value { option, value, .. } = &at.text else {
        return None;
    };
    let (start, end) = (floor(value, at.start), floor(value, at.end.max(at.start)));
    let part = value.get(start..end).unwrap_or_default();
    // Of `--option=value` the option alone is the wrong word.
    let head = part.split('=').next().filter(|head| head.starts_with('-'));
    line::place(text, option, head.unwrap_or(part))
}
