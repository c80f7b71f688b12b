//! How far quotes, substitutions and words reach, as a shell reads them.

use crate::job::batch::text::{Span, Text};
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::SCRIPT_DEPTH_MAX;

/// Finds ends in the text of a script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'t> {
    text: &'t Text<'t>,
    bytes: &'t [u8],
    depth: usize,
}

impl<'t> Ends<'t> {
    pub(super) fn new(text: &'t Text<'t>) -> Self {
        Self {
            text,
            bytes: text.text.as_bytes(),
            depth: 0,
        }
    }

    /// One level deeper.
    fn inside(self, at: usize) -> Result<Self, SpecError> {
        if self.depth == SCRIPT_DEPTH_MAX {
            let span = Span {
                start: at,
                end: at + 1,
            };
            let what =
                format!("more than {SCRIPT_DEPTH_MAX} quotes and substitutions in one another");
            return Err(self.text.bad(span, &what));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }

    fn unclosed(self, at: usize, what: &str) -> SpecError {
        let span = Span {
            start: at,
            end: at + 1,
        };
        self.text.bad(span, &format!("{what} is not closed"))
    }

    /// The end of a word that begins here: the first blank or operator outside quotes.
    pub(super) fn of_word(self, start: usize) -> Result<usize, SpecError> {
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')' => break,
                b'(' if is_array(&self.bytes[start..at]) || is_pattern(&self.bytes[start..at]) => {
                    at = self.of_brackets(at, (b'(', b')'))?;
                }
                b'(' => break,
                _ => at = self.of_piece(at)?,
            }
        }
        Ok(at.min(self.bytes.len()))
    }

    /// The end of a quote, a substitution or a plain byte.
    fn of_piece(self, at: usize) -> Result<usize, SpecError> {
        match self.bytes[at] {
            b'\\' => Ok((at + 2).min(self.bytes.len())),
            b'\'' => self.of_plain_quote(at),
            b'"' => self.inside(at)?.of_quote(at),
            b'`' => self.of_backtick(at),
            b'$' => self.of_dollar(at),
            _ => Ok(at + 1),
        }
    }

    /// `'…'`
    fn of_plain_quote(self, at: usize) -> Result<usize, SpecError> {
        let rest = &self.bytes[at + 1..];
        let end = rest.iter().position(|&byte| byte == b'\'');
        end.map(|end| at + end + 2)
            .ok_or_else(|| self.unclosed(at, "the quote"))
    }

    /// `"…"`
    pub(super) fn of_quote(self, open: usize) -> Result<usize, SpecError> {
        let mut at = open + 1;
        while let Some(&byte) = self.bytes.get(at) {
            at = match byte {
                b'"' => return Ok(at + 1),
                b'\'' => at + 1,
                _ => self.of_piece(at)?,
            };
        }
        Err(self.unclosed(open, "the quote"))
    }

    /// `` `…` ``
    pub(super) fn of_backtick(self, open: usize) -> Result<usize, SpecError> {
        let end = self.of_escaped(open + 1, b'`');
        end.ok_or_else(|| self.unclosed(open, "the backtick"))
    }

    /// Behind the first such byte that no backslash stands before.
    fn of_escaped(self, from: usize, close: u8) -> Option<usize> {
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            if byte == close {
                return Some(at + 1);
            }
            at += if byte == b'\\' { 2 } else { 1 };
        }
        None
    }

    /// `$(…)`, `${…}`, `$'…'`; the dollar alone where none of these begins.
    pub(super) fn of_dollar(self, at: usize) -> Result<usize, SpecError> {
        match self.bytes.get(at + 1) {
            Some(b'(') => self.of_brackets(at + 1, (b'(', b')')),
            Some(b'{') => self.of_brackets(at + 1, (b'{', b'}')),
            Some(b'\'') => {
                let end = self.of_escaped(at + 2, b'\'');
                end.ok_or_else(|| self.unclosed(at, "the quote"))
            }
            Some(_) | None => Ok(at + 1),
        }
    }

    /// From a bracket to behind the one that closes it, quotes left out.
    pub(super) fn of_brackets(
        self,
        start: usize,
        (open, close): (u8, u8),
    ) -> Result<usize, SpecError> {
        let inner = self.inside(start)?;
        let (mut at, mut depth) = (start, 0_usize);
        while let Some(&byte) = self.bytes.get(at) {
            if byte == open {
                depth += 1;
                at += 1;
            } else if byte == close {
                depth -= 1;
                at += 1;
                if depth == 0 {
                    return Ok(at);
                }
            } else {
                at = inner.of_piece(at)?;
            }
        }
        let what = if open == b'(' {
            "the bracket"
        } else {
            "the brace"
        };
        Err(self.unclosed(start, what))
    }
}

/// Whether a word so far is `NAME=`, so that a bracket opens a list of values.
fn is_array(word: &[u8]) -> bool {
    word.len() > 1 && word.ends_with(b"=")
}

/// Whether a word so far ends in a sign of a pattern: `@(a|b)`.
fn is_pattern(word: &[u8]) -> bool {
    word.last().is_some_and(|sign| b"@!?*+".contains(sign)) && word.len() > 1
}
