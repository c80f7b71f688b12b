//! Words in one text, parted at blanks outside quotes: `-N 2 --comment="two nodes"`.

use super::LineRefused;

/// Parts the words of `--alloc`, or of a directive, as a shell parts them. Nothing is put in for variables. A word that begins with
/// `#` begins a comment.
///
/// # Errors
/// `bad-value` for a quote that is not closed, or a backslash with nothing behind it.
pub fn quoted_words(text: &str) -> Result<Vec<String>, LineRefused> {
    shlex::split(text).ok_or_else(|| {
        let sentence = format!("{text}: a quote is not closed, or a backslash ends it");
        LineRefused::new("bad-value", sentence)
    })
}
