//! The grammar that `--map-by`, `--rank-by` and `--bind-to` share, for jobs and apps alike, and that of the last two.
//! Source: `semantics` 2.3.

use super::said::{BindSaid, Conflict, RankSaid, SaidAt, TextPlace};
use super::words::{
    BIND_QUALIFIERS, BIND_WORDS, BindQualifier, FoundWord, RANK_WORDS, Word, find_word, spellings,
};
use crate::error::spec::WordFault;

/// What is wrong with a part of a directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DirectiveFault {
    /// A map, rank or bind word.
    Directive(WordFault),
    /// A qualifier.
    Qualifier(WordFault),
    /// A value: what may stand there.
    Value(&'static str),
}

/// A part of a directive that is wrong, and the bytes it stands at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectiveError {
    /// The part as given.
    pub word: String,
    /// First byte.
    pub start: usize,
    /// One behind the last byte.
    pub end: usize,
    /// What is wrong.
    pub fault: DirectiveFault,
}

/// The number behind `pe=`.
pub(crate) const PE_RANGE: &str = "number from 1 to 65535";
/// The number of `ppr:N:object`.
pub(crate) const PPR_RANGE: &str = "number from 1 to 4294967295";
/// The list behind `pe-list=`.
pub(crate) const LIST_RANGE: &str = "list of cpus such as 0-3,7, each named once";

/// One colon-separated part: its text and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
}

impl<'a> Part<'a> {
    pub(super) fn fail<T>(self, fault: DirectiveFault) -> Result<T, DirectiveError> {
        Err(DirectiveError {
            word: self.text.to_owned(),
            start: self.start,
            end: self.start + self.text.len(),
            fault,
        })
    }
    /// The word, and the value behind `=` if there is one.
    pub(super) fn word_and_value(self) -> (Self, Option<Self>) {
        match self.text.split_once('=') {
            None => (self, None),
            Some((word, value)) => (
                Part {
                    text: word,
                    start: self.start,
                },
                Some(Part {
                    text: value,
                    start: self.start + word.len() + 1,
                }),
            ),
        }
    }
    pub(super) fn place(self, text: u32) -> TextPlace {
        let clip = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        TextPlace {
            text,
            start: clip(self.start),
            end: clip(self.start + self.text.len()),
        }
    }
}

/// The colon-separated parts of a text.
pub(super) fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut start = 0;
    text.split(':').map(move |part| {
        let here = Part { text: part, start };
        start += part.len() + 1;
        here
    })
}

/// The word of a table, or what is wrong with it.
pub(super) fn word_of<T: Copy>(table: &[Word<T>], word: &str) -> Result<T, WordFault> {
    if word.is_empty() {
        return Err(WordFault::Empty);
    }
    match find_word(table, word) {
        FoundWord::Word(found) => Ok(found),
        FoundWord::Ambiguous(candidates) => Err(WordFault::Ambiguous { candidates }),
        FoundWord::Unknown { nearest } => Err(WordFault::Unknown {
            valid: spellings(table),
            nearest,
        }),
    }
}

/// A number from 1 to `u16::MAX`.
pub(super) fn positive_u16(part: Part<'_>) -> Result<u16, DirectiveError> {
    match part.text.parse::<u16>() {
        Ok(number) if number > 0 && part.text.bytes().all(|b| b.is_ascii_digit()) => Ok(number),
        Ok(_) | Err(_) => part.fail(DirectiveFault::Value(PE_RANGE)),
    }
}

/// The value that a qualifier must have.
pub(super) fn needed<'a>(
    part: Part<'a>,
    value: Option<Part<'a>>,
    form: &'static str,
) -> Result<Part<'a>, DirectiveError> {
    match value.filter(|value| !value.text.is_empty()) {
        Some(value) => Ok(value),
        None => part.fail(DirectiveFault::Qualifier(WordFault::MissingValue { form })),
    }
}

pub(super) const TWO_VALUES: &str = "one thing cannot have two values";

/// Adds what a text says of ranking to `said`.
///
/// # Errors
/// As `read_map`; any colon is a qualifier, and there are none.
pub(crate) fn read_rank(
    said: &mut RankSaid,
    text: &str,
    text_row: u32,
) -> Result<(), DirectiveError> {
    if let Some(colon) = text.find(':') {
        let part = Part {
            text: &text[colon + 1..],
            start: colon + 1,
        };
        return part.fail(DirectiveFault::Qualifier(WordFault::NoQualifiers));
    }
    let part = Part { text, start: 0 };
    let (word, value) = part.word_and_value();
    match word_of(RANK_WORDS, word.text) {
        Err(fault) => word.fail(DirectiveFault::Directive(fault)),
        Ok(_) if value.is_some() => part.fail(DirectiveFault::Directive(WordFault::UnwantedValue)),
        Ok(policy) => {
            said.policy = Some(SaidAt {
                value: policy,
                place: part.place(text_row),
            });
            Ok(())
        }
    }
}

/// Adds what a text says of binding to `said`.
///
/// # Errors
/// As `read_map`.
pub(crate) fn read_bind(
    said: &mut BindSaid,
    text: &str,
    text_row: u32,
) -> Result<(), DirectiveError> {
    if text.bytes().all(|b| b == b':') {
        return Part { text, start: 0 }.fail(DirectiveFault::Directive(WordFault::Empty));
    }
    let mut parts = parts(text);
    if let Some(first) = parts.next().filter(|part| !part.text.is_empty()) {
        let (word, value) = first.word_and_value();
        match word_of(BIND_WORDS, word.text) {
            Err(fault) => return word.fail(DirectiveFault::Directive(fault)),
            Ok(_) if value.is_some() => {
                return first.fail(DirectiveFault::Directive(WordFault::UnwantedValue));
            }
            Ok(target) => {
                said.policy = Some(SaidAt {
                    value: target,
                    place: first.place(text_row),
                })
            }
        }
    }
    for part in parts.filter(|part| !part.text.is_empty()) {
        bind_qualifier(said, part, text_row)?;
    }
    Ok(())
}

fn bind_qualifier(
    said: &mut BindSaid,
    part: Part<'_>,
    text_row: u32,
) -> Result<(), DirectiveError> {
    let (word, value) = part.word_and_value();
    let found = match word_of(BIND_QUALIFIERS, word.text) {
        Ok(found) => found,
        Err(fault) => return part.fail(DirectiveFault::Qualifier(fault)),
    };
    let place = part.place(text_row);
    let slot = match found {
        BindQualifier::IfSupported => &mut said.if_supported,
        BindQualifier::OverloadAllowed => &mut said.overload_allowed,
        BindQualifier::NoOverload => &mut said.no_overload,
        BindQualifier::Report => &mut said.report,
        BindQualifier::Limit => {
            let number = needed(part, value, "limit=N")?;
            let limit = positive_u16(number)?;
            keep_limit(
                said,
                SaidAt {
                    value: limit,
                    place,
                },
            );
            return Ok(());
        }
    };
    if value.is_some() {
        return part.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue));
    }
    slot.get_or_insert(place);
    Ok(())
}

fn keep_limit(said: &mut BindSaid, limit: SaidAt<u16>) {
    match &said.limit {
        None => said.limit = Some(limit),
        Some(first) if first.value == limit.value => {}
        Some(first) => {
            let first = (format!("limit={}", first.value), first.place);
            let second = (format!("limit={}", limit.value), limit.place);
            said.conflict.get_or_insert(Conflict {
                first,
                second,
                why: TWO_VALUES,
            });
        }
    }
}
