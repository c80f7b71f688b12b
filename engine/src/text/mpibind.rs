//! The options of `--map-by mpibind`: read, and written canonically.

use super::directive::{DirectiveError, DirectiveFault, Part, TWO_VALUES, needed, parts, word_of};
use super::said::MapSaid;
use super::words::{MPIBIND_QUALIFIERS, MapQualifier, MpibindQualifier};
use crate::error::spec::WordFault;
use crate::policy::{Mpibind, Wanted};
use std::fmt::Write as _;

/// What `threads` and `smt` take.
const COUNTS: &str = "number from 1 to 65535";
/// What `greedy` and `gpu` take.
const SWITCH: &str = "switch: 0 or 1";

/// Options as they are read: a value said twice must be the same.
#[derive(Default)]
struct ReadOptions {
    threads: Option<u16>,
    smt: Option<u16>,
    greedy: Option<Wanted>,
    gpu: Option<Wanted>,
}

/// Takes a qualifier that all maps have, of the text of that row.
pub(super) type Take = fn(&mut MapSaid, MapQualifier, Part<'_>, u32) -> Result<(), DirectiveError>;

/// Reads the parts behind `mpibind`. Qualifiers that all maps have go to `said`, by `take`.
///
/// # Errors
/// The first part that is wrong.
pub(super) fn options<'a>(
    said: &mut MapSaid,
    parts: impl Iterator<Item = Part<'a>>,
    text_row: u32,
    take: Take,
) -> Result<Mpibind, DirectiveError> {
    let mut read = ReadOptions::default();
    for part in parts.filter(|part| !part.text.is_empty()) {
        let (word, value) = part.word_and_value();
        let found = match word_of(MPIBIND_QUALIFIERS, word.text) {
            Ok(found) => found,
            Err(fault) => return part.fail(DirectiveFault::Qualifier(fault)),
        };
        match found {
            MpibindQualifier::Common(common) => take(said, common, part, text_row)?,
            MpibindQualifier::Threads => {
                let value = count(needed(part, value, "threads=T")?)?;
                once(said, &mut read.threads, value, part, text_row);
            }
            MpibindQualifier::Smt => {
                let value = count(needed(part, value, "smt=S")?)?;
                once(said, &mut read.smt, value, part, text_row);
            }
            MpibindQualifier::Greedy => {
                let value = switch(needed(part, value, "greedy=0")?)?;
                once(said, &mut read.greedy, value, part, text_row);
            }
            MpibindQualifier::Gpu => {
                let value = switch(needed(part, value, "gpu=0")?)?;
                once(said, &mut read.gpu, value, part, text_row);
            }
        }
    }
    Ok(Mpibind {
        threads: read.threads,
        smt: read.smt,
        greedy: read.greedy.unwrap_or_default(),
        gpu: read.gpu.unwrap_or_default(),
    })
}

/// Keeps a value; a second one that differs is a contradiction.
fn once<T: Copy + PartialEq>(
    said: &mut MapSaid,
    slot: &mut Option<T>,
    value: T,
    part: Part<'_>,
    text_row: u32,
) {
    match slot {
        Some(first) if *first != value => {
            let place = part.place(text_row);
            said.conflict(
                (part.text, place),
                ("another value before", place),
                TWO_VALUES,
            );
        }
        Some(_) | None => *slot = Some(value),
    }
}

fn count(part: Part<'_>) -> Result<u16, DirectiveError> {
    let digits = part.text.bytes().all(|byte| byte.is_ascii_digit());
    match part.text.parse::<u16>() {
        Ok(count) if count > 0 && digits => Ok(count),
        Ok(_) | Err(_) => part.fail(DirectiveFault::Value(COUNTS)),
    }
}

fn switch(part: Part<'_>) -> Result<Wanted, DirectiveError> {
    match part.text {
        "1" => Ok(Wanted::Yes),
        "0" => Ok(Wanted::No),
        _ => part.fail(DirectiveFault::Value(SWITCH)),
    }
}

/// The canonical spelling of the options: `threads=4:greedy=0`, empty where all are defaults.
#[must_use]
pub fn options_text(options: Mpibind) -> String {
    let mut text = String::new();
    let mut add = |words: std::fmt::Arguments<'_>| {
        let colon = if text.is_empty() { "" } else { ":" };
        // A String takes every character.
        let _ = write!(text, "{colon}{words}");
    };
    if let Some(threads) = options.threads {
        add(format_args!("threads={threads}"));
    }
    if options.greedy == Wanted::No {
        add(format_args!("greedy=0"));
    }
    if options.gpu == Wanted::No {
        add(format_args!("gpu=0"));
    }
    if let Some(smt) = options.smt {
        add(format_args!("smt={smt}"));
    }
    text
}

/// Reads options alone, as `PRTE_APP_MPIBIND` holds them.
///
/// # Errors
/// As a directive's; a qualifier of other maps.
pub(crate) fn read_options(text: &str) -> Result<Mpibind, DirectiveError> {
    let mut said = MapSaid::default();
    let options = options(&mut said, parts(text), 0, |_, _, part, _| {
        part.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue))
    })?;
    if said != MapSaid::default() {
        let whole = Part { text, start: 0 };
        return whole.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_back_as_they_are_written() {
        for text in [
            "",
            "threads=4",
            "greedy=0:gpu=0",
            "threads=65535:greedy=0:gpu=0:smt=2",
        ] {
            assert_eq!(options_text(read_options(text).unwrap()), text);
        }
        assert_eq!(read_options("greedy=1:gpu=1").unwrap(), Mpibind::default());
        for text in [
            "threads=0",
            "threads=65536",
            "smt=x",
            "gpu=2",
            "threads",
            "pe=2",
        ] {
            assert!(read_options(text).is_err(), "{text}");
        }
    }
}
