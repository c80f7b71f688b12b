//! A place in the text of a map, and the numbers that stand there.

use super::error::{Field, FoundText, MapPlace, TaskMapError};
use crate::limit::{TASKMAP_NODE_MAX, TASKMAP_TASKS_MAX};

/// White space of all forms: space, tab, carriage return, line feed.
pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(super) fn skip_white(&mut self) {
        while self.peek().is_some_and(is_white) {
            self.at += 1;
        }
    }

    /// Steps over this byte, if it is the next one.
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Steps over this byte, with white space before it, or says what was expected instead.
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), TaskMapError> {
        self.skip_white();
        self.take(byte).ok_or_else(|| self.syntax(expected))
    }

    pub(super) fn syntax(&self, expected: &'static str) -> TaskMapError {
        TaskMapError::Syntax {
            expected,
            found: self.peek().map_or(FoundText::End, FoundText::Byte),
            at: self.at,
        }
    }

    /// Steps over digits and gives them; there may be none.
    pub(super) fn digits(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let count = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        self.at += count;
        &rest[..count]
    }
}

/// A whole number as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    pub(super) sign: Sign,
    /// At least one.
    pub(super) digits: &'a [u8],
    /// Where it starts.
    pub(super) at: usize,
}

/// Of a number, as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    None,
    Minus,
}

impl Number<'_> {
    /// The value, or `None` when it needs more than 64 bits; the sign apart.
    pub(super) fn magnitude(&self) -> Option<u64> {
        self.digits.iter().try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })
    }

    /// As it was written, cut to a readable length.
    pub(super) fn shown(&self) -> String {
        let sign = if self.sign == Sign::Minus { "-" } else { "" };
        let digits = String::from_utf8_lossy(&self.digits[..self.digits.len().min(24)]);
        let more = if self.digits.len() > 24 { "…" } else { "" };
        format!("{sign}{digits}{more}")
    }

    /// The value as this number of a block.
    pub(super) fn as_field(&self, field: Field) -> Result<u32, TaskMapError> {
        let magnitude = self.magnitude();
        let negative = self.sign == Sign::Minus && magnitude != Some(0);
        if negative || magnitude.is_some_and(|value| value < u64::from(field.least())) {
            return Err(TaskMapError::Value {
                field,
                found: self.shown(),
                at: MapPlace::Byte(self.at),
            });
        }
        let (what, most) = match field {
            Field::NodeId => ("nodeid is", TASKMAP_NODE_MAX),
            Field::Nnodes => ("nnodes is", TASKMAP_TASKS_MAX),
            Field::Ppn => ("ppn is", TASKMAP_TASKS_MAX),
            Field::Repeat => ("repeat is", TASKMAP_TASKS_MAX),
        };
        self.at_most(what, most)
    }

    /// The value, if it is no larger than this.
    pub(super) fn at_most(&self, what: &'static str, most: u32) -> Result<u32, TaskMapError> {
        let fits = self
            .magnitude()
            .and_then(|value| u32::try_from(value).ok())
            .filter(|&value| value <= most);
        fits.ok_or_else(|| TaskMapError::Range {
            what,
            found: self.shown(),
            most,
            at: MapPlace::Byte(self.at),
        })
    }
}
