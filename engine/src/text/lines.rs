//! A file as numbered lines with comments blanked, and places in these lines.

use crate::error::SpecError;
use crate::error::at::At;
use crate::error::spec::{FileFault, FileKind};
use std::borrow::Cow;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// What the file is read as.
    kind: FileKind,
    /// The file's path as given.
    path: &'a str,
    /// From 1.
    pub number: u32,
    /// The line as written.
    pub written: &'a str,
    /// The line with comments blanked. All other bytes stay at their places.
    pub text: &'a str,
}

impl Line<'_> {
    /// The place of these bytes of the line.
    #[must_use]
    pub(crate) fn at(&self, start: usize, end: usize) -> At {
        At::in_line(self.path, self.number, self.written, start..end)
    }
    /// Refuses these bytes, and says what was meant.
    pub(crate) fn meant<T>(
        &self,
        (start, end): (usize, usize),
        what: &str,
        help: String,
    ) -> Result<T, SpecError> {
        let kind = self.kind;
        Err(SpecError::OfLine {
            class: kind.class(),
            sentence: format!("{} {}:{}: {what}", kind.name(), self.path, self.number),
            at: Some(self.at(start, end)),
            help: vec![help],
        })
    }
    /// Refuses these bytes.
    pub(crate) fn bad<T>(
        &self,
        start: usize,
        end: usize,
        what: &'static str,
    ) -> Result<T, SpecError> {
        Err(SpecError::BadFile {
            kind: self.kind,
            at: self.at(start, end),
            fault: FileFault::Syntax(what),
        })
    }
}

/// The error for a file as a whole.
#[must_use]
pub(crate) fn bad_file(kind: FileKind, path: &str, fault: FileFault) -> SpecError {
    let at = At::in_line(path, 0, "", 0..0);
    SpecError::BadFile { kind, at, fault }
}

/// Calls `visit` with each line of a file, in order.
///
/// # Errors
/// A line that is not UTF-8; the first error of `visit`. Cost: one pass over the text, and a copy of it if comments are
/// blanked.
pub(crate) fn each_line(
    kind: FileKind,
    path: &str,
    bytes: &[u8],
    mut visit: impl FnMut(Line<'_>) -> Result<(), SpecError>,
) -> Result<(), SpecError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        SpecError::BadFile {
            kind,
            at: At::in_line(path, line, "", 0..0),
            fault: FileFault::Syntax("this line is no UTF-8"),
        }
    })?;
    let clean = match kind {
        FileKind::Hostfile | FileKind::Rankfile => Cow::Owned(blank_comments(text)),
        // In these files comments are whole lines, which the reader skips.
        FileKind::Sequence | FileKind::Affinity => Cow::Borrowed(text),
    };
    let lines = text.split('\n').zip(clean.split('\n'));
    for (number, (written, text)) in (1..).zip(lines) {
        visit(Line {
            kind,
            path,
            number,
            written: written.trim_end_matches('\r'),
            text,
        })?;
    }
    Ok(())
}

/// The same text with comments (`#` and `//` to the end of the line, `/* … */` over lines) replaced by spaces, byte for
/// byte; newlines stay.
fn blank_comments(text: &str) -> String {
    let (mut clean, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['#', '/']) {
        let (before, from) = rest.split_at(at);
        clean.push_str(before);
        let end = if let Some(inside) = from.strip_prefix("/*") {
            inside.find("*/").map(|end| end + 4)
        } else if from.starts_with('#') || from.starts_with("//") {
            from.find('\n')
        } else {
            clean.push('/');
            rest = &from[1..];
            continue;
        };
        let (comment, behind) = from.split_at(end.unwrap_or(from.len()));
        clean.extend(
            comment
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
        );
        rest = behind;
    }
    clean.push_str(rest);
    clean
}
