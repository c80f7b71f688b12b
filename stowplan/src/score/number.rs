//! Numbers as words have them: digits and nothing else.

use std::str::FromStr;

/// The number of a text in digits.
#[must_use]
pub fn number<N: FromStr>(text: &str) -> Option<N> {
    let digits = text.bytes().all(|sign| sign.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
