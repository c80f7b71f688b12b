//! Numbers as words have them: digits and nothing else.

use std::str::FromStr;

/// The number of a text in digits; `None`: it has a sign, a blank or anything else, is empty, or is more than the type holds.
///
/// ```
/// use stowplan_engine::text::digits::number;
/// assert_eq!((number("012"), number::<u8>("256"), number::<u32>("+1")), (Some(12_u32), None, None));
/// ```
#[must_use]
pub fn number<N: FromStr>(text: &str) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
