//! Where a word is: whose it is, in which text, at which bytes.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Who said something, or has an attribute: an app by its index, or the job.
/// ```
/// use stowplan_engine::error::spec::Owner;
/// assert_eq!((Owner::App(1).to_string(), Owner::Job.app()), ("app 1".to_owned(), None));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Owner {
    /// The job.
    Job,
    /// An app, from 0, holes counted.
    App(u32),
}

impl Owner {
    /// The app's number, `None` for the job.
    #[must_use]
    pub const fn app(self) -> Option<u32> {
        match self {
            Self::Job => None,
            Self::App(app) => Some(app),
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Job => f.write_str("the job"),
            Self::App(app) => write!(f, "app {app}"),
        }
    }
}

/// The text that holds a word. `S`: the type that holds its strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum AtText<S = String> {
    /// The value of an option or request key of an app: `--map-by` on app 1. App numbers are from 0; `None` is the job.
    Value {
        /// The app, or `None` for the job.
        app: Option<u32>,
        /// The option or key as people write it.
        option: S,
        /// The whole value.
        value: S,
    },
    /// A string value inside a spawn request.
    Request {
        /// The app, or `None` for the job.
        app: Option<u32>,
        /// The request's file, as given.
        file: S,
        /// Line of the value, from 1.
        line: u32,
        /// Column of the value, from 1, in characters.
        column: u32,
        /// The key, as `PMIX_MAPBY`.
        key: S,
        /// The whole value.
        value: S,
    },
    /// A file, by the path as given.
    File {
        /// The path.
        path: S,
        /// The line, from 1; 0 means the file as a whole, as when it cannot be read.
        line: u32,
        /// The text of the line (its first 200 characters).
        text: S,
    },
}

/// A place: a text, and a byte range in its value or line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct At {
    /// Which text.
    pub text: AtText,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

/// The most characters of a line of a file that a place keeps.
const LINE_CHARACTERS_KEPT: usize = 200;

impl At {
    /// Bytes of a line of a file, which is numbered from 1. What is past the characters that are kept ends there.
    /// ```
    /// use stowplan_engine::error::at::At;
    /// let at = At::in_line("hosts", 3, "n0 slots=x", 3..10);
    /// assert_eq!((at.to_string(), at.text.content().get(3..10)), ("hosts:3:4".to_owned(), Some("slots=x")));
    /// ```
    #[must_use]
    pub fn in_line(path: &str, line: u32, written: &str, bytes: Range<usize>) -> Self {
        let text: String = written.chars().take(LINE_CHARACTERS_KEPT).collect();
        let clip = |byte: usize| u32::try_from(byte.min(text.len())).unwrap_or(u32::MAX);
        Self {
            start: clip(bytes.start),
            end: clip(bytes.end),
            text: AtText::File {
                path: path.to_owned(),
                line,
                text,
            },
        }
    }
}

impl<S> AtText<S> {
    /// The string that the byte range of an [`At`] refers to: the value or the line.
    #[must_use]
    pub const fn content(&self) -> &S {
        match self {
            Self::Value { value, .. } | Self::Request { value, .. } => value,
            Self::File { text, .. } => text,
        }
    }
    /// The app whose value it is; `None`: the job's, or a file.
    #[must_use]
    pub const fn app(&self) -> Option<u32> {
        match self {
            Self::Value { app, .. } | Self::Request { app, .. } => *app,
            Self::File { .. } => None,
        }
    }
    /// The same text with its strings held by another type.
    #[must_use]
    pub(crate) fn map<T>(self, mut hold: impl FnMut(S) -> T) -> AtText<T> {
        match self {
            Self::Value { app, option, value } => AtText::Value {
                app,
                option: hold(option),
                value: hold(value),
            },
            Self::Request {
                app,
                file,
                line,
                column,
                key,
                value,
            } => AtText::Request {
                app,
                file: hold(file),
                line,
                column,
                key: hold(key),
                value: hold(value),
            },
            Self::File { path, line, text } => AtText::File {
                path: hold(path),
                line,
                text: hold(text),
            },
        }
    }
}

impl std::fmt::Display for AtText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value { app, option, .. } => {
                f.write_str(option)?;
                app.map_or(Ok(()), |app| write!(f, " of app {app}"))
            }
            Self::Request {
                app,
                file,
                line,
                column,
                key,
                ..
            } => {
                let owner = app.map_or(Owner::Job, Owner::App);
                write!(f, "{key} of {owner}, at {file}:{line}:{column}")
            }
            Self::File { path, line: 0, .. } => f.write_str(path),
            Self::File { path, line, .. } => write!(f, "{path}:{line}"),
        }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.fmt(f)?;
        let AtText::File {
            text, line: 1.., ..
        } = &self.text
        else {
            return Ok(());
        };
        let before = text.get(..self.start as usize);
        let column = before.map_or(1, |before| before.chars().count() + 1);
        write!(f, ":{column}")
    }
}
