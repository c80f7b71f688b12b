//! Reads the options of `--map-by mpibind`, and writes them canonically.

use super::directive::{DirectiveError, DirectiveFault, Part};
use super::said::{Argument, Directive, MapChoice, SaidQualifier, TWO_VALUES};
use super::words::{MAP_QUALIFIERS, MPIBIND_QUALIFIERS, Qualifier};
use crate::error::spec::WordFault;
use crate::policy::{Mpibind, Wanted};
use std::fmt::Write as _;

/// Takes a qualifier that other maps have, too.
type Take = fn(&mut Directive<MapChoice>, Qualifier, Part<'_>) -> Result<(), DirectiveError>;

/// Reads the parts behind `mpibind`. Qualifiers that all maps have go to `take`.
///
/// # Errors
/// The first wrong part.
pub(super) fn options<'a>(
    said: &mut Directive<MapChoice>,
    parts: impl Iterator<Item = Part<'a>>,
    take: Take,
) -> Result<Mpibind, DirectiveError> {
    let words = [MPIBIND_QUALIFIERS, MAP_QUALIFIERS].concat();
    let mut own: Vec<SaidQualifier> = Vec::new();
    for part in parts.filter(|part| !part.text.is_empty()) {
        let found = part.qualifier_of(&words)?;
        if !MPIBIND_QUALIFIERS.iter().any(|row| row.2 == found) {
            take(said, found, part)?;
            continue;
        }
        let option = part.with_argument(found)?;
        match own.iter().find(|first| first.qualifier == found) {
            None => own.push(option),
            Some(first) if first.argument == option.argument => {}
            Some(_) => {
                let place = option.place;
                let before = ("another value before".to_owned(), place);
                said.contradict((part.text.to_owned(), place), before, TWO_VALUES);
            }
        }
    }
    let argument = |of| own.iter().find(|said| said.qualifier == of);
    let number = |of| match argument(of)?.argument {
        Argument::Number(number) => Some(number),
        Argument::Nothing | Argument::Path(_) => None,
    };
    let wanted = |of| match number(of) {
        Some(0) => Wanted::No,
        Some(_) | None => Wanted::Yes,
    };
    Ok(Mpibind {
        threads: number(Qualifier::Threads),
        smt: number(Qualifier::Smt),
        greedy: wanted(Qualifier::Greedy),
        gpu: wanted(Qualifier::Gpu),
    })
}

/// The canonical spelling of the options: `threads=4:greedy=0`, empty if all are defaults.
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

/// Reads options alone, as `PRTE_APP_MPIBIND` holds them. `row`: the row of the text.
///
/// # Errors
/// As for a directive; also for a qualifier of other maps.
#[doc(hidden)]
pub fn read_options(text: &str, row: u32) -> Result<Mpibind, DirectiveError> {
    let whole = Part::whole(text, row);
    let mut said = Directive::default();
    let options = options(&mut said, whole.parts(), |_, _, part| {
        part.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue))
    })?;
    match said.contradiction() {
        None => Ok(options),
        Some(_) => whole.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue)),
    }
}
