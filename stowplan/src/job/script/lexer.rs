//! A script as words and operators. Comments, redirections and here-documents are left out.

use super::quoting::Ends;
use crate::job::batch::text::{Span, Text};
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::SCRIPT_DEPTH_MAX;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A word, quotes and substitutions as they are written.
    Word,
    /// The end of a line, or `;`.
    End,
    /// `;;`, `;&` or `;;&`: the end of a branch of `case`.
    Branch,
    /// `&&` or `||`.
    Either,
    /// `|`.
    Pipe,
    /// `&`.
    Behind,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `((…))`.
    Sums,
}

/// A token and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// A here-document that begins behind the line.
#[derive(Debug)]
struct Waiting {
    word: String,
    /// Whether tabs before its lines do not count.
    indented: Indented,
    at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Indented {
    Yes,
    No,
}

struct Lexer<'t> {
    text: &'t Text<'t>,
    ends: Ends<'t>,
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    waiting: Vec<Waiting>,
    /// Bytes that may still be looked at for the ends of sums, so that brackets in brackets cost no square.
    left: usize,
}

/// The tokens of a script.
///
/// # Errors
/// `bad-script` for a quote or a bracket that is not closed.
///
/// Cost: linear in the script, times the depth of its substitutions.
pub(super) fn tokens(text: &Text<'_>) -> Result<Vec<Token>, SpecError> {
    let mut lexer = Lexer {
        text,
        ends: Ends::new(text),
        bytes: text.text.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        waiting: Vec::new(),
        left: text.text.len().saturating_mul(SCRIPT_DEPTH_MAX),
    };
    while lexer.at < lexer.bytes.len() {
        lexer.token()?;
    }
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn starts(&self, sign: &str) -> bool {
        self.bytes[self.at..].starts_with(sign.as_bytes())
    }

    fn push(&mut self, kind: Kind, bytes: usize) {
        let span = Span {
            start: self.at,
            end: self.at + bytes,
        };
        self.tokens.push(Token { kind, span });
        self.at += bytes;
    }

    fn token(&mut self) -> Result<(), SpecError> {
        match self.bytes[self.at] {
            b' ' | b'\t' => self.at += 1,
            b'\\' if self.starts("\\\n") => self.at += 2,
            b'#' => self.at += self.rest_of_line(),
            b'\n' => {
                self.push(Kind::End, 1);
                self.documents()?;
            }
            b';' if self.starts(";;&") => self.push(Kind::Branch, 3),
            b';' if self.starts(";;") || self.starts(";&") => self.push(Kind::Branch, 2),
            b';' => self.push(Kind::End, 1),
            b'&' if self.starts("&>") => self.redirection()?,
            b'&' if self.starts("&&") => self.push(Kind::Either, 2),
            b'&' => self.push(Kind::Behind, 1),
            b'|' if self.starts("||") => self.push(Kind::Either, 2),
            b'|' if self.starts("|&") => self.push(Kind::Pipe, 2),
            b'|' => self.push(Kind::Pipe, 1),
            b'(' if self.starts("((") => self.sums()?,
            b'(' => self.push(Kind::Open, 1),
            b')' => self.push(Kind::Close, 1),
            b'<' | b'>' => self.redirection()?,
            _ => self.word()?,
        }
        Ok(())
    }

    fn rest_of_line(&self) -> usize {
        let rest = &self.bytes[self.at..];
        rest.iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len())
    }

    /// `((…))`, or two brackets of shells below the shell.
    fn sums(&mut self) -> Result<(), SpecError> {
        match self.ends.of_brackets(self.at, (b'(', b')')) {
            Ok(end) if self.bytes[..end].ends_with(b"))") => self.push(Kind::Sums, end - self.at),
            Ok(end) => {
                let looked = end - self.at;
                self.left = self.left.checked_sub(looked).ok_or_else(|| {
                    let span = Span {
                        start: self.at,
                        end: self.at + 1,
                    };
                    self.text.bad(span, "too many brackets in one another")
                })?;
                self.push(Kind::Open, 1);
            }
            Err(refused) => return Err(refused),
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), SpecError> {
        let end = self.ends.of_word(self.at)?;
        let word = &self.bytes[self.at..end];
        let number = word.iter().all(u8::is_ascii_digit);
        if number && matches!(self.bytes.get(end), Some(b'<' | b'>')) {
            self.at = end;
            return self.redirection();
        }
        self.push(Kind::Word, end - self.at);
        Ok(())
    }

    /// Leaves out a redirection with its target; notes a here-document.
    fn redirection(&mut self) -> Result<(), SpecError> {
        if self.starts("<(") || self.starts(">(") {
            let end = self.ends.of_brackets(self.at + 1, (b'(', b')'))?;
            self.push(Kind::Word, end - self.at);
            return Ok(());
        }
        let begin = self.at;
        let signs = [
            "<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">",
        ];
        let sign = signs.into_iter().find(|sign| self.starts(sign));
        let sign = sign.unwrap_or(">");
        self.at += sign.len();
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let end = self.ends.of_word(self.at)?;
        let target = &self.text.text[self.at..end];
        if let Some(indented) = match sign {
            "<<" => Some(Indented::No),
            "<<-" => Some(Indented::Yes),
            _ => None,
        } {
            let word = target.replace(['\'', '"', '\\'], "");
            self.waiting.push(Waiting {
                word,
                indented,
                at: begin,
            });
        }
        self.at = end;
        Ok(())
    }

    /// Leaves out the here-documents that begin here.
    fn documents(&mut self) -> Result<(), SpecError> {
        for document in std::mem::take(&mut self.waiting) {
            loop {
                if self.at >= self.bytes.len() {
                    let span = Span {
                        start: document.at,
                        end: document.at + 2,
                    };
                    let what = format!(
                        "the here-document does not end: {} is missing",
                        document.word
                    );
                    return Err(self.text.bad(span, &what));
                }
                let length = self.rest_of_line();
                let line = &self.text.text[self.at..self.at + length];
                self.at = (self.at + length + 1).min(self.bytes.len());
                let line = match document.indented {
                    Indented::Yes => line.trim_start_matches('\t'),
                    Indented::No => line,
                };
                if line == document.word {
                    break;
                }
            }
        }
        Ok(())
    }
}
