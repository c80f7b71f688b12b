//! Where something stands: which text, which bytes of it.

use serde::{Deserialize, Serialize};

/// The text that something was said in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Text {
    /// The value of an option or request key of an app: `--map-by` on app 1. App numbers are from 0; `None` is the job.
    Value {
        /// The app, or `None` for the job.
        app: Option<u32>,
        /// The option or key as people write it.
        option: String,
        /// The whole value.
        value: String,
    },
    /// A file, by the path as given. Lines count from 1.
    File {
        /// The path.
        path: String,
        /// The line.
        line: u32,
        /// The text of the line (its first 200 characters).
        text: String,
    },
}

/// A place: a text and a byte range in it (of the value, or of the line).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct At {
    /// Which text.
    pub text: Text,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}
