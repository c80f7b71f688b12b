//! A value of a variable, read from left to right.

/// What is left of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'t> {
    left: &'t [u8],
}

/// Numbers are cut off here: far beyond any cpu, and sums of a few of them fit.
const LARGEST: i64 = 1 << 40;

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let left = text.as_bytes();
        Self { left }
    }

    /// Passes over blanks and tabs.
    pub(super) fn blanks(&mut self) -> &mut Self {
        while let [b' ' | b'\t', rest @ ..] = self.left {
            self.left = rest;
        }
        self
    }

    /// The next character, if there is one.
    pub(super) fn peek(&self) -> Option<u8> {
        self.left.first().copied()
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Takes this character, if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        if next {
            self.left = &self.left[1..];
        }
        next
    }

    /// Takes this word, in any case, if the text goes on with it.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let there = self.left.get(..word.len());
        let next = there.is_some_and(|there| there.eq_ignore_ascii_case(word.as_bytes()));
        if next {
            self.left = &self.left[word.len()..];
        }
        next
    }

    /// Takes a number of decimal digits.
    pub(super) fn number(&mut self) -> Option<i64> {
        let mut number = None;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.left {
            let sum = 10 * number.unwrap_or(0) + i64::from(digit - b'0');
            number = Some(sum.min(LARGEST));
            self.left = rest;
        }
        number
    }

    /// Takes a number with a sign before it or none, as C's `strtol` does.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let number = self.number()?;
        Some(if negative { -number } else { number })
    }

    /// Takes a number with any signs before it, as LLVM reads a stride.
    pub(super) fn many_signs(&mut self) -> Option<i64> {
        let mut sign = 1;
        loop {
            self.blanks();
            if self.take(b'-') {
                sign = -sign;
            } else if !self.take(b'+') {
                return Some(sign * self.number()?);
            }
        }
    }
}
