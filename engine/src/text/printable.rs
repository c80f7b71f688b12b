//! Characters that change what a reader sees around them.

/// Whether a character moves the cursor, ends the line or turns the direction of the text around it: control characters, line
/// and paragraph separators, and the marks of bidirectional text. No name has one, and none reaches a terminal.
#[must_use]
pub fn disturbs(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// The character, or a question mark in place of one that disturbs.
#[must_use]
pub fn shown(sign: char) -> char {
    if disturbs(sign) { '?' } else { sign }
}
