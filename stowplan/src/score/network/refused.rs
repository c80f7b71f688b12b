//! Why a network is refused: a sentence, with the file and line where there are any.

use std::fmt;

/// Why a network is refused. The class is `bad-network`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadNetwork(String);

impl BadNetwork {
    /// The stable class (`docs/errors.md`).
    pub const CLASS: &'static str = "bad-network";

    /// A refusal without a place.
    pub fn told(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for BadNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadNetwork {}

/// A line of a text that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The name of the file, or the words that were given.
    pub(super) source: &'t str,
    /// From 1; 0: the whole text.
    pub(super) number: u32,
}

/// A line of a text.
pub(super) const fn in_line(source: &str, number: u32) -> Line<'_> {
    Line { source, number }
}

impl Line<'_> {
    /// A refusal at this line.
    pub(super) fn bad(&self, why: impl fmt::Display) -> BadNetwork {
        match self.number {
            0 => BadNetwork(format!("{}: {why}", self.source)),
            number => BadNetwork(format!("{}:{number}: {why}", self.source)),
        }
    }
}
