//! The grammar that `--map-by`, `--rank-by` and `--bind-to` share, for jobs and apps alike. The rest of the grammar of
//! `--rank-by` and `--bind-to` is here, too.
//! Source: `semantics` 2.3.

use super::said::{Argument, Directive, SaidAt, SaidQualifier, TextPlace, Texts};
use super::words::{BIND_QUALIFIERS, BIND_WORDS, Qualifier, RANK_WORDS, Takes, Word, find_word};
use crate::error::SpecError;
use crate::error::spec::WordFault;
use crate::policy::{BindTo, GpuShare, RankBy};
use std::str::FromStr;

/// What is wrong with a part of a directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DirectiveFault {
    /// A map, rank or bind word.
    Directive(WordFault),
    /// A qualifier.
    Qualifier(WordFault),
    /// A value. The text names the allowed values.
    Value(&'static str),
}

/// A wrong part of a directive, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectiveError {
    /// The part as given.
    pub word: String,
    /// Its bytes.
    pub place: TextPlace,
    /// What is wrong.
    pub fault: DirectiveFault,
}

impl DirectiveError {
    /// The error with the text that holds the part.
    #[must_use]
    pub fn located(self, texts: &Texts) -> SpecError {
        let (at, word) = (texts.at(self.place), self.word);
        match self.fault {
            DirectiveFault::Directive(fault) => SpecError::BadDirective { at, word, fault },
            DirectiveFault::Qualifier(fault) => SpecError::BadQualifier { at, word, fault },
            DirectiveFault::Value(range) => SpecError::BadValue {
                at,
                asked: word,
                range,
            },
        }
    }
}

/// The number behind `pe=`, `limit=` and similar words.
pub(super) const PE_RANGE: &str = "number from 1 to 65535";
/// The number of `ppr:N:object`.
pub(super) const PPR_RANGE: &str = "number from 1 to 4294967295";
/// The list behind `pe-list=`.
pub(super) const LIST_RANGE: &str = "list of cpus such as 0-3,7, each named once";
/// The value of a qualifier that is on or off.
const SWITCH: &str = "switch: 0 or 1";

/// A part of a directive: its string, the text that holds it, and its first byte there.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// The row of the whole text.
    pub(super) row: u32,
}

impl<'a> Part<'a> {
    /// A whole text. `row`: the row of the text.
    pub(super) const fn whole(text: &'a str, row: u32) -> Self {
        Self {
            text,
            start: 0,
            row,
        }
    }
    pub(super) fn fail<T>(self, fault: DirectiveFault) -> Result<T, DirectiveError> {
        Err(DirectiveError {
            word: self.text.to_owned(),
            place: self.place(),
            fault,
        })
    }
    /// The piece `text` of this part, which starts at its byte `from`.
    fn piece(self, from: usize, text: &'a str) -> Self {
        Self {
            text,
            start: self.start + from,
            row: self.row,
        }
    }
    /// The colon-separated parts.
    pub(super) fn parts(self) -> impl Iterator<Item = Self> {
        let mut from = 0;
        self.text.split(':').map(move |text| {
            let part = self.piece(from, text);
            from += text.len() + 1;
            part
        })
    }
    /// The word, and the value behind `=` if there is one.
    pub(super) fn word_and_value(self) -> (Self, Option<Self>) {
        match self.text.split_once('=') {
            None => (self, None),
            Some((word, value)) => (self.piece(0, word), Some(self.piece(word.len() + 1, value))),
        }
    }
    pub(super) fn place(self) -> TextPlace {
        self.place_from(self.start)
    }
    /// The place from an earlier byte of the text to the end of this part.
    pub(super) fn place_from(self, start: usize) -> TextPlace {
        TextPlace::of(self.row, start, self.start + self.text.len())
    }
    /// This part as a number from 1 on, in digits only.
    pub(super) fn positive<N: FromStr + Default + PartialOrd>(
        self,
        range: &'static str,
    ) -> Result<N, DirectiveError> {
        let digits = self.text.bytes().all(|b| b.is_ascii_digit());
        match self.text.parse::<N>() {
            Ok(number) if digits && number > N::default() => Ok(number),
            Ok(_) | Err(_) => self.fail(DirectiveFault::Value(range)),
        }
    }
    /// Finds the word of this part in a table. Returns its policy, and the value behind the word.
    pub(super) fn policy_of<T: Copy>(
        self,
        table: &[Word<T>],
    ) -> Result<(T, Option<Self>), DirectiveError> {
        let (word, value) = self.word_and_value();
        match find_word(table, word.text) {
            Ok(found) => Ok((found, value)),
            Err(fault) => word.fail(DirectiveFault::Directive(fault)),
        }
    }
    /// Finds the policy of this part in a table. It takes no value.
    fn bare_policy_of<T: Copy>(self, table: &[Word<T>]) -> Result<SaidAt<T>, DirectiveError> {
        match self.policy_of(table)? {
            (_, Some(_)) => self.fail(DirectiveFault::Directive(WordFault::UnwantedValue)),
            (value, None) => Ok(SaidAt {
                value,
                place: self.place(),
            }),
        }
    }
    /// Finds the qualifier of this part in a table.
    pub(super) fn qualifier_of(
        self,
        table: &[Word<Qualifier>],
    ) -> Result<Qualifier, DirectiveError> {
        let (word, _) = self.word_and_value();
        find_word(table, word.text).or_else(|fault| self.fail(DirectiveFault::Qualifier(fault)))
    }
    /// The qualifier that was found in this part, with its value.
    pub(super) fn with_argument(
        self,
        qualifier: Qualifier,
    ) -> Result<SaidQualifier, DirectiveError> {
        let (_, value) = self.word_and_value();
        let argument = match (qualifier.takes(), value) {
            (Takes::Nothing, None) => Argument::Nothing,
            (Takes::Nothing, Some(_)) => {
                return self.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue));
            }
            (Takes::Number(form), value) => {
                Argument::Number(self.needed(value, form)?.positive(PE_RANGE)?)
            }
            (Takes::Path(form), value) => Argument::Path(self.needed(value, form)?.text.to_owned()),
            (Takes::Switch(form), value) => {
                let value = self.needed(value, form)?;
                match value.text {
                    "0" => Argument::Number(0),
                    "1" => Argument::Number(1),
                    _ => return value.fail(DirectiveFault::Value(SWITCH)),
                }
            }
        };
        Ok(SaidQualifier {
            qualifier,
            argument,
            place: self.place(),
        })
    }
    /// The value of this part, which must have one.
    fn needed(self, value: Option<Self>, form: &'static str) -> Result<Self, DirectiveError> {
        match value.filter(|value| !value.text.is_empty()) {
            Some(value) => Ok(value),
            None => self.fail(DirectiveFault::Qualifier(WordFault::MissingValue { form })),
        }
    }
}

/// Adds what a text says about ranking to `said`. `row`: the row of the text, for the places of words.
///
/// # Errors
/// As `read_map`. Anything behind a colon is a qualifier, and rankings have none.
pub(crate) fn read_rank(
    said: &mut Directive<RankBy>,
    text: &str,
    row: u32,
) -> Result<(), DirectiveError> {
    let whole = Part::whole(text, row);
    if let Some(colon) = text.find(':') {
        let behind = whole.piece(colon + 1, &text[colon + 1..]);
        return behind.fail(DirectiveFault::Qualifier(WordFault::NoQualifiers));
    }
    said.policy = Some(whole.bare_policy_of(RANK_WORDS)?);
    Ok(())
}

/// Adds what a text says about binding to `said`. `row`: the row of the text, for the places of words.
///
/// # Errors
/// As `read_map`.
pub(crate) fn read_bind(
    said: &mut Directive<BindTo>,
    text: &str,
    row: u32,
) -> Result<(), DirectiveError> {
    let whole = Part::whole(text, row);
    if text.bytes().all(|b| b == b':') {
        return whole.fail(DirectiveFault::Directive(WordFault::Empty));
    }
    let mut parts = whole.parts();
    if let Some(first) = parts.next().filter(|part| !part.text.is_empty()) {
        said.policy = Some(first.bare_policy_of(BIND_WORDS)?);
    }
    for part in parts.filter(|part| !part.text.is_empty()) {
        let found = part.qualifier_of(BIND_QUALIFIERS)?;
        said.keep(part.with_argument(found)?);
    }
    Ok(())
}

/// A number as `PRTE_APP_PES_PER_PROC` holds it. `row`: the row of the text.
///
/// # Errors
/// When it is not from 1 to 65535.
pub(crate) fn read_number(text: &str, row: u32) -> Result<u16, DirectiveError> {
    Part::whole(text, row).positive(PE_RANGE)
}

/// The canonical spelling of a GPU share, as `PRTE_APP_GPUS` holds it. `row`: the row of the text.
///
/// # Errors
/// When it is neither a word nor a number.
pub(crate) fn canonical_gpus(text: &str, row: u32) -> Result<String, DirectiveError> {
    let lower = text.to_ascii_lowercase();
    if GpuShare::of_text(&lower).is_some() {
        return Ok(lower);
    }
    let range = "word of: split share none, or a number from 1 to 65535";
    Part::whole(text, row).fail(DirectiveFault::Value(range))
}
