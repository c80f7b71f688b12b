//! Lines of programs by rank, as `srun --multi-prog` and `flux multi-prog` read them.

use super::variables::prefix;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{File, Signs};
use std::fmt::{self, Write};
use stowplan_engine::text::printable::disturbs;

/// What a reader of such lines replaces in words, whatever is around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Replaces {
    /// Nothing that follows a backslash.
    Nothing,
    /// `%t` and `%o`.
    TaskAndOffset,
}

/// Checks that the lines can carry every word.
pub(super) fn can_carry(job: &Job<'_>, replaces: Replaces) -> Result<(), Unsaid> {
    job.all_named()?;
    job.refuse_words(|word| {
        let replaced = word.contains("%t") || word.contains("%o");
        let what = if replaces == Replaces::Nothing && word.is_empty() {
            "an empty word, which a line of programs loses"
        } else if word.contains(['\n', '\r']) {
            "a word with a newline, which a line of programs cannot hold"
        } else if replaces == Replaces::TaskAndOffset && replaced {
            "a word with %t or %o, which would be replaced"
        } else {
            return None;
        };
        Some(what.to_owned())
    })
}

/// The file of the lines.
pub(super) fn file<'p>(job: &'p Job<'p>) -> File<'p> {
    let disturbing = job.programs.iter().any(|program| {
        let before = prefix(job, program);
        let mut words = before.iter().map(String::as_str).chain(program.words());
        words.any(|word| word.contains(disturbs))
    });
    File {
        name: "programs",
        body: Box::new(|out| write(job, out)),
        signs: if disturbing { Signs::Any } else { Signs::Shown },
    }
}

/// Writes the lines.
fn write(job: &Job<'_>, out: &mut dyn Write) -> fmt::Result {
    for program in &job.programs {
        out.write_str(&program.range())?;
        let before = prefix(job, program);
        for word in before.iter().map(String::as_str).chain(program.words()) {
            write!(out, " {}", quoted(word))?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

/// A word as it is written in a line. Characters that are not plain are put in single quotes. Those with a special meaning
/// inside quotes, for one reader or the other, get a backslash outside of them.
pub fn quoted(word: &str) -> String {
    // Flux reads lines as Python's shlex does, which keeps an empty word in quotes.
    if word.is_empty() {
        return "''".to_owned();
    }
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "_@+=:,./-".contains(sign);
    let mut text = String::new();
    let mut is_open = false;
    for sign in word.chars() {
        let escaped = ['\\', '\'', '%'].contains(&sign);
        let opened = !escaped && (!plain(sign) || is_open);
        if opened != is_open {
            text.push('\'');
            is_open = opened;
        }
        if escaped {
            text.push('\\');
        }
        text.push(sign);
    }
    if is_open {
        text.push('\'');
    }
    text
}
