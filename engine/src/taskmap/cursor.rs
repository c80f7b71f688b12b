//! A place in a text, from which numbers are read.

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

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    pub(super) fn skip_white(&mut self) {
        while self.peek().is_some_and(is_white) {
            self.at += 1;
        }
    }

    /// Steps over this byte if it is the next one. Returns whether it was.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over this byte, with white space before it, or says what was expected instead.
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), TaskMapError> {
        self.skip_white();
        if self.take(byte) {
            return Ok(());
        }
        Err(self.syntax(expected))
    }

    /// Checks that only white space is left.
    pub(super) fn end(&mut self) -> Result<(), TaskMapError> {
        self.skip_white();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("the end")),
        }
    }

    /// The error that something other than the next byte was expected.
    pub(super) fn syntax(&self, expected: &'static str) -> TaskMapError {
        TaskMapError::Syntax {
            expected,
            found: self.peek().map_or(FoundText::End, FoundText::Byte),
            at: self.at,
        }
    }

    /// Steps over digits and returns them; there may be none.
    pub(super) fn digits(&mut self) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[start..self.at]).expect("digits are UTF-8")
    }

    /// Steps over a number without a sign, or says what was expected in place of its first digit.
    pub(super) fn natural(&mut self, digit: &'static str) -> Result<Number<'a>, TaskMapError> {
        let at = self.at;
        let digits = self.digits();
        if digits.is_empty() {
            return Err(self.syntax(digit));
        }
        let is_negative = false;
        Ok(Number {
            is_negative,
            digits,
            at,
        })
    }

    /// Steps over a number that may have a minus sign.
    pub(super) fn integer(&mut self, digit: &'static str) -> Result<Number<'a>, TaskMapError> {
        let at = self.at;
        let is_negative = self.take(b'-');
        let number = self.natural(digit)?;
        Ok(Number {
            is_negative,
            at,
            ..number
        })
    }
}

/// A whole number as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    is_negative: bool,
    /// At least one digit.
    digits: &'a str,
    /// Where it starts.
    pub(super) at: usize,
}

impl Number<'_> {
    /// The number, unless it has zeros in front.
    pub(super) fn without_zeros(self, expected: &'static str) -> Result<Self, TaskMapError> {
        if self.digits.starts_with('0') && self.digits.len() > 1 {
            return Err(named(expected, "a leading zero", self.at));
        }
        Ok(self)
    }

    /// The value, or `None` when it needs more than 64 bits.
    pub(super) fn value(&self) -> Option<i64> {
        let sign = if self.is_negative { -1 } else { 1 };
        self.digits.parse().ok().map(|value: i64| sign * value)
    }

    /// As it was written, cut to a readable length.
    pub(super) fn shown(&self) -> String {
        let sign = if self.is_negative { "-" } else { "" };
        let digits = &self.digits[..self.digits.len().min(24)];
        let more = if self.digits.len() > 24 { "…" } else { "" };
        format!("{sign}{digits}{more}")
    }

    /// The value as this number of a block.
    pub(super) fn as_field(&self, field: Field) -> Result<u32, TaskMapError> {
        let is_below = self
            .value()
            .map_or(self.is_negative, |value| value < i64::from(field.least()));
        if is_below {
            return Err(TaskMapError::Value {
                field,
                found: self.shown(),
                at: MapPlace::Byte(self.at),
            });
        }
        match field {
            Field::NodeId => self.at_most("nodeid is", TASKMAP_NODE_MAX),
            Field::Nnodes => self.at_most("nnodes is", TASKMAP_TASKS_MAX),
            Field::Ppn => self.at_most("ppn is", TASKMAP_TASKS_MAX),
            Field::Repeat => self.at_most("repeat is", TASKMAP_TASKS_MAX),
        }
    }

    /// The value, if it is no larger than this.
    pub(super) fn at_most(&self, what: &'static str, most: u32) -> Result<u32, TaskMapError> {
        let fits = self.value().and_then(|value| u32::try_from(value).ok());
        fits.filter(|&value| value <= most)
            .ok_or_else(|| TaskMapError::Range {
                what,
                found: self.shown(),
                most,
                at: MapPlace::Byte(self.at),
            })
    }
}

/// The error that a place has something that was not expected; `found` names it.
pub(super) fn named(expected: &'static str, found: &'static str, at: usize) -> TaskMapError {
    TaskMapError::Syntax {
        expected,
        found: FoundText::Named(found),
        at,
    }
}
