//! Where something stands: which text, which bytes of it.

use serde::{Deserialize, Serialize};

/// The text that something was said in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum AtText {
    /// The value of an option or request key of an app: `--map-by` on app 1. App numbers are from 0; `None` is the job.
    Value {
        /// The app, or `None` for the job.
        app: Option<u32>,
        /// The option or key as people write it.
        option: String,
        /// The whole value.
        value: String,
    },
    /// A string value inside a spawn request.
    Request {
        /// The app, or `None` for the job.
        app: Option<u32>,
        /// The request's file, as given.
        file: String,
        /// Line of the value, from 1.
        line: u32,
        /// Column of the value, from 1, in characters.
        column: u32,
        /// The key, as `PMIX_MAPBY`.
        key: String,
        /// The whole value.
        value: String,
    },
    /// A file, by the path as given.
    File {
        /// The path.
        path: String,
        /// The line, from 1; 0 is the file itself, which has no lines that anyone could read.
        line: u32,
        /// The text of the line (its first 200 characters).
        text: String,
    },
}

/// A place: a text and a byte range in it (of the value, or of the line).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct At {
    /// Which text.
    pub text: AtText,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

impl AtText {
    /// The text that the byte range of an [`At`] counts in.
    #[must_use]
    pub fn content(&self) -> &str {
        match self {
            Self::Value { value, .. } | Self::Request { value, .. } => value,
            Self::File { text, .. } => text,
        }
    }
}

impl std::fmt::Display for AtText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value {
                app: Some(app),
                option,
                ..
            } => write!(f, "{option} of app {app}"),
            Self::Value {
                app: None, option, ..
            } => write!(f, "{option}"),
            Self::Request {
                app: Some(app),
                file,
                line,
                column,
                key,
                ..
            } => {
                write!(f, "{key} of app {app}, at {file}:{line}:{column}")
            }
            Self::Request {
                app: None,
                file,
                line,
                column,
                key,
                ..
            } => {
                write!(f, "{key} of the job, at {file}:{line}:{column}")
            }
            Self::File { path, line: 0, .. } => f.write_str(path),
            Self::File { path, line, .. } => write!(f, "{path}:{line}"),
        }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.text {
            AtText::File { path, line: 0, .. } => f.write_str(path),
            AtText::File { path, line, text } => {
                let column = text
                    .get(..self.start as usize)
                    .map_or(1, |before| before.chars().count() + 1);
                write!(f, "{path}:{line}:{column}")
            }
            AtText::Value { .. } | AtText::Request { .. } => self.text.fmt(f),
        }
    }
}
