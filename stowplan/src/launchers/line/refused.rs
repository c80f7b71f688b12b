//! Why a line is refused, as data.

use std::ops::Range;

/// A refusal of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineRefused {
    /// Its class: `launcher-refuses`, `launch-fails`, `would-wait`, `not-modelled`, `bad-option`, `bad-value`, `ambiguous-launcher` …
    pub class: &'static str,
    /// What was asked, what there was, and why that is refused.
    pub sentence: String,
    /// The word at fault, as its place in [`super::LineAsked::words`], and the bytes of it; `None`: no word of the line.
    pub at: Option<(usize, Range<usize>)>,
    /// Lines of help, each of them planned before it is given.
    pub help: Vec<String>,
}

impl LineRefused {
    /// A refusal without a place.
    #[must_use]
    pub fn new(class: &'static str, sentence: impl Into<String>) -> Self {
        Self {
            class,
            sentence: sentence.into(),
            at: None,
            help: Vec::new(),
        }
    }

    /// The same, with lines of help.
    #[must_use]
    pub fn help<T: Into<String>>(mut self, lines: impl IntoIterator<Item = T>) -> Self {
        self.help.extend(lines.into_iter().map(Into::into));
        self
    }

    /// The same of words that are not the line's own, as those of a file: their source leads the sentence, and no word of the line is at
    /// fault.
    #[must_use]
    pub(crate) fn of(self, source: std::fmt::Arguments<'_>) -> Self {
        Self {
            sentence: format!("{source}: {}", self.sentence),
            at: None,
            ..self
        }
    }

    /// The same, with the word at fault.
    #[must_use]
    pub fn at(mut self, word: usize, bytes: Range<usize>) -> Self {
        self.at = Some((word, bytes));
        self
    }
}
