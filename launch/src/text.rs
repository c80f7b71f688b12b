//! A file that starts nothing, and what is worth knowing about what was written.

use crate::script::Body;

/// Something worth knowing about what was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The stable class.
    pub class: &'static str,
    /// What there is to know.
    pub sentence: String,
}

/// A file that starts nothing.
pub struct Text<'p> {
    /// Comment lines.
    pub comments: Vec<String>,
    /// The lines behind them.
    pub body: Body<'p>,
}
