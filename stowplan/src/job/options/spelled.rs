//! One word of an option, with a value that stands in the same word.

use super::find::find;
use super::table::Row;

/// An option as it was typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spelled<'w> {
    /// Its name without dashes.
    pub name: &'w str,
    /// The bytes of the word that are its dashes and its name.
    pub named: usize,
    /// The value in the same word: behind `=`, or right behind a letter.
    pub value: Option<&'w str>,
    /// How the value is joined to the name.
    pub sign: &'static str,
    /// What it is; `None`: no option of ours.
    pub row: Option<&'static Row>,
}

/// Reads one word that begins with a dash, as getopt reads it: `--np=4`, `-np=4`, `-n4`, `-xNAME=VALUE`.
///
/// A number may stand right behind `-n`, `-c` and `-N`, a variable right behind `-x`. Cost: a pass over the tables.
#[must_use]
pub fn spelled(word: &str) -> Spelled<'_> {
    let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
    let bare = bare.unwrap_or(word);
    let dashes = word.len() - bare.len();
    let (name, value) = match bare.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (bare, None),
    };
    let row = find(name);
    if let (None, 1, Some((letter, rest))) = (row, dashes, bare.split_at_checked(1)) {
        let attached = match letter {
            "n" | "c" | "N" => rest.bytes().all(|byte| byte.is_ascii_digit()),
            "x" => rest.starts_with(|first: char| first.is_ascii_uppercase() || first == '_'),
            _ => false,
        };
        if attached {
            return Spelled {
                name: letter,
                named: dashes + 1,
                value: Some(rest),
                sign: "",
                row: find(letter),
            };
        }
    }
    Spelled {
        name,
        named: dashes + name.len(),
        value,
        sign: "=",
        row,
    }
}
