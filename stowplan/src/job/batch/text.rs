//! The text of a script, and places in it.

use crate::job::error::bad_words;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::at::At;
use stowplan_engine::limit::SCRIPT_BYTES_MAX;

/// The class of a script that cannot be read.
const BAD_SCRIPT: &str = "bad-script";

/// Bytes of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A script as text.
#[derive(Debug)]
pub(crate) struct Text<'s> {
    pub(crate) path: &'s str,
    pub(crate) text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'s> Text<'s> {
    /// Reads the bytes of a script. What is no UTF-8 is replaced: it may stand in comments.
    ///
    /// # Errors
    /// `bad-script` for a script that is too long, or has a zero byte.
    pub(crate) fn read(path: &'s str, bytes: &[u8]) -> Result<Self, SpecError> {
        if bytes.len() > SCRIPT_BYTES_MAX {
            let sentence = format!(
                "{path}: {} bytes, and a script has at most {SCRIPT_BYTES_MAX}",
                bytes.len()
            );
            return Err(told(sentence));
        }
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        let own = Self { path, text, starts };
        match own.text.find('\0') {
            Some(start) => {
                let span = Span {
                    start,
                    end: start + 1,
                };
                Err(own.bad(span, "a zero byte: this is no script of a shell"))
            }
            None => Ok(own),
        }
    }

    /// The text of some bytes.
    pub(crate) fn of(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    /// The line in which a byte is, from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }

    /// Its lines with the byte at which each begins.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.starts.iter().enumerate();
        lines.map(|(row, &start)| {
            let end = self
                .starts
                .get(row + 1)
                .map_or(self.text.len(), |end| end - 1);
            (start, &self.text[start..end])
        })
    }

    /// `job.sh:12:5`.
    pub(crate) fn place(&self, byte: usize) -> String {
        let line = self.line(byte);
        let before = &self.text[self.starts[line - 1]..byte];
        format!("{}:{line}:{}", self.path, before.chars().count() + 1)
    }

    /// A refusal of these bytes.
    pub(crate) fn refused(
        &self,
        class: &'static str,
        span: Span,
        what: &str,
        help: Vec<String>,
    ) -> SpecError {
        let number = self.line(span.start);
        let start = self.starts[number - 1];
        let line = self.text[start..].split('\n').next().unwrap_or_default();
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let own = span.start - start..span.end - start;
        SpecError::OfLine {
            class,
            sentence: format!("{}: {what}", self.place(span.start)),
            at: Some(At::in_line(self.path, number, line, own)),
            help,
        }
    }

    /// A refusal of a script that cannot be read.
    pub(crate) fn bad(&self, span: Span, what: &str) -> SpecError {
        self.refused(BAD_SCRIPT, span, what, Vec::new())
    }

    /// A refusal of the script as a whole.
    pub(crate) fn bad_whole(&self, what: &str) -> SpecError {
        told(format!("{}: {what}", self.path))
    }
}

fn told(sentence: String) -> SpecError {
    bad_words(BAD_SCRIPT, sentence, Vec::new())
}
