//! A file that starts no job, and notes on what was written.

use crate::launchers::script::Body;

/// A note on what was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The stable class.
    pub class: &'static str,
    /// The note.
    pub sentence: String,
}

/// A file that starts no job.
pub struct Text<'p> {
    /// Comment lines.
    pub comments: Vec<String>,
    /// The lines after the comments.
    pub body: Body<'p>,
}
