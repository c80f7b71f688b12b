//! A file as lines: numbered, comments blanked, and places in them.

use crate::error::at::{At, AtText};
use crate::error::spec::FileFault;

/// Which comments a file may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comments {
    /// `#` and `//` to the end of the line, `/* … */` over lines: hostfiles, rankfiles.
    Blanked,
    /// None that are looked for here.
    Kept,
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The file's path as given.
    pub path: &'a str,
    /// From 1.
    pub number: u32,
    /// The line as written.
    pub written: &'a str,
    /// The line with comments blanked: the same bytes at the same places.
    pub text: &'a str,
}

impl Line<'_> {
    /// These bytes of the line.
    #[must_use]
    pub(crate) fn at(&self, start: usize, end: usize) -> At {
        let text: String = self.written.chars().take(200).collect();
        let clip = |byte: usize| u32::try_from(byte.min(text.len())).unwrap_or(u32::MAX);
        let (start, end) = (clip(start), clip(end));
        At {
            start,
            end,
            text: AtText::File {
                path: self.path.to_owned(),
                line: self.number,
                text,
            },
        }
    }
}

/// The place of a file as a whole.
#[must_use]
pub(crate) fn file_at(path: &str) -> At {
    At {
        start: 0,
        end: 0,
        text: AtText::File {
            path: path.to_owned(),
            line: 0,
            text: String::new(),
        },
    }
}

/// A file's text.
///
/// # Errors
/// When it is no UTF-8: the line of the first bad byte.
pub(crate) fn utf8<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str, (At, FileFault)> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        let text = AtText::File {
            path: path.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            text: String::new(),
        };
        (
            At {
                start: 0,
                end: 0,
                text,
            },
            FileFault::Syntax("this line is no UTF-8"),
        )
    })
}

/// Calls `visit` with each line of a text, in order.
///
/// # Errors
/// The first that `visit` gives. Cost: one pass over the text, one copy of it where comments are blanked.
pub(crate) fn each_line<E>(
    path: &str,
    text: &str,
    comments: Comments,
    mut visit: impl FnMut(Line<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let blanked = match comments {
        Comments::Blanked => Some(blank_comments(text)),
        Comments::Kept => None,
    };
    let clean = blanked.as_deref().unwrap_or(text);
    let lines = text.split('\n').zip(clean.split('\n'));
    for (number, (written, text)) in (1..).zip(lines) {
        visit(Line {
            path,
            number,
            written: written.trim_end_matches('\r'),
            text,
        })?;
    }
    Ok(())
}

/// The same text with comments replaced by spaces, byte for byte; newlines stay.
fn blank_comments(text: &str) -> String {
    #[derive(Clone, Copy)]
    enum State {
        Text,
        Line,
        Block,
    }
    let bytes = text.as_bytes();
    let mut clean = Vec::with_capacity(bytes.len());
    let (mut state, mut at) = (State::Text, 0);
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        match (state, byte, next) {
            (State::Line, b'\n', _) => {
                clean.push(b'\n');
                state = State::Text;
            }
            (State::Block, b'*', Some(b'/')) => {
                clean.extend(b"  ");
                at += 1;
                state = State::Text;
            }
            (State::Block, b'\n', _) => clean.push(b'\n'),
            (State::Line | State::Block, _, _) => clean.push(b' '),
            (State::Text, b'#', _) | (State::Text, b'/', Some(b'/')) => {
                clean.push(b' ');
                state = State::Line;
            }
            (State::Text, b'/', Some(b'*')) => {
                clean.extend(b"  ");
                at += 1;
                state = State::Block;
            }
            (State::Text, _, _) => clean.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&clean).into_owned()
}
