//! The grammar of `--map-by`. Source: `semantics` 2.3.

use super::cursor::{overlap, whole_ranges};
use super::directive::{
    DirectiveError, DirectiveFault, LIST_RANGE, PPR_RANGE, Part, TWO_VALUES, needed, parts,
    positive_u16, word_of,
};
use super::said::{MapChoice, MapSaid, MapValue, SaidAt, TextPlace};
use super::words::{MAP_QUALIFIERS, MAP_WORDS, MapQualifier, PPR_OBJECTS};
use crate::error::spec::WordFault;
use crate::policy::{MapKind, PprObject};

/// How a text says a mapping: whole, or as the value of an option or key that stands for a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapForm {
    /// As behind `--map-by`.
    Whole,
    /// `N:object`, with `ppr:` in front or not, qualifiers behind it or not.
    Ppr,
    /// `N` processes on each such object.
    PprOn(PprObject),
    /// The list behind `pe-list=`.
    PeList,
    /// The number behind `pe=`.
    Pe,
}

/// Adds what a text says of mapping to `said`. `text_row`: the row that places of words name.
///
/// # Errors
/// The first part that is wrong, left to right. Contradictions are kept in `said`, as they are judged later.
///
/// Cost: one pass over the text. Source: `semantics` 2.3.
pub fn read_map(
    said: &mut MapSaid,
    form: MapForm,
    text: &str,
    text_row: u32,
) -> Result<(), DirectiveError> {
    let whole = Part { text, start: 0 };
    match form {
        MapForm::Pe => {
            let pe = positive_u16(whole)?;
            keep_pe(
                said,
                SaidAt {
                    value: pe,
                    place: whole.place(text_row),
                },
            );
            return Ok(());
        }
        MapForm::PeList => {
            let choice = pe_list(whole)?;
            keep_policy(
                said,
                SaidAt {
                    value: choice,
                    place: whole.place(text_row),
                },
            );
            return Ok(());
        }
        MapForm::PprOn(on) => {
            let per = ppr_number(whole)?;
            keep_policy(
                said,
                SaidAt {
                    value: MapChoice::pattern(per, on),
                    place: whole.place(text_row),
                },
            );
            return Ok(());
        }
        MapForm::Whole | MapForm::Ppr => {}
    }
    if text.bytes().all(|b| b == b':') {
        return whole.fail(DirectiveFault::Directive(WordFault::Empty));
    }
    let mut parts = parts(text).peekable();
    let bare_ppr = form == MapForm::Ppr
        && !parts
            .peek()
            .is_some_and(|part| part.text.eq_ignore_ascii_case("ppr"));
    if bare_ppr {
        let policy = ppr(whole, &mut parts, text_row)?;
        keep_policy(said, policy);
    } else if let Some(first) = parts.next().filter(|part| !part.text.is_empty()) {
        let mut policy = map_policy(first, &mut parts, text_row)?;
        if policy.value.kind == MapKind::Mpibind {
            let options = super::mpibind::options(said, parts, text_row, take_qualifier)?;
            policy.value.value = MapValue::Options(options);
            keep_policy(said, policy);
            return Ok(());
        }
        keep_policy(said, policy);
    }
    for part in parts.filter(|part| !part.text.is_empty()) {
        map_qualifier(said, part, text_row)?;
    }
    Ok(())
}

fn map_policy<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
    text_row: u32,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    let (word, value) = first.word_and_value();
    let found = match word_of(MAP_WORDS, word.text) {
        Ok(found) => found,
        Err(fault) => return word.fail(DirectiveFault::Directive(fault)),
    };
    if found == MapKind::PeList {
        let Some(list) = value.filter(|list| !list.text.is_empty()) else {
            return first.fail(DirectiveFault::Directive(WordFault::MissingValue {
                form: "pe-list=0-3,7",
            }));
        };
        return Ok(SaidAt {
            value: pe_list(list)?,
            place: first.place(text_row),
        });
    }
    if value.is_some() {
        return first.fail(DirectiveFault::Directive(WordFault::UnwantedValue));
    }
    if found == MapKind::Ppr {
        return ppr(first, rest, text_row);
    }
    if found == MapKind::Dist {
        return dist(first, rest, text_row);
    }
    Ok(SaidAt {
        value: found.into(),
        place: word.place(text_row),
    })
}

/// `N:object`, the two parts behind `ppr`.
fn ppr<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
    text_row: u32,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    let missing = DirectiveFault::Directive(WordFault::MissingValue {
        form: "ppr:N:object",
    });
    let Some(number) = rest.next().filter(|part| !part.text.is_empty()) else {
        return first.fail(missing);
    };
    let per = ppr_number(number)?;
    let Some(object) = rest.next().filter(|part| !part.text.is_empty()) else {
        return first.fail(missing);
    };
    let on = match word_of(PPR_OBJECTS, object.text) {
        Ok(on) => on,
        Err(fault) => return object.fail(DirectiveFault::Directive(fault)),
    };
    let start = first.start.min(number.start);
    let mut place = object.place(text_row);
    place.start = u32::try_from(start).unwrap_or(u32::MAX);
    Ok(SaidAt {
        value: MapChoice::pattern(per, on),
        place,
    })
}

fn ppr_number(part: Part<'_>) -> Result<u32, DirectiveError> {
    match part.text.parse::<u32>() {
        Ok(per) if per > 0 && part.text.bytes().all(|b| b.is_ascii_digit()) => Ok(per),
        Ok(_) | Err(_) => part.fail(DirectiveFault::Value(PPR_RANGE)),
    }
}

/// `dist`, or `dist:DEVICE`.
fn dist<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
    text_row: u32,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    match rest.next() {
        None => Ok(SaidAt {
            value: MapKind::Dist.into(),
            place: first.place(text_row),
        }),
        Some(device) if device.text.is_empty() => {
            first.fail(DirectiveFault::Directive(WordFault::MissingValue {
                form: "dist:DEVICE",
            }))
        }
        Some(device) => {
            let mut place = device.place(text_row);
            place.start = first.place(text_row).start;
            Ok(SaidAt {
                value: MapChoice {
                    kind: MapKind::Dist,
                    value: MapValue::Device(device.text.to_owned()),
                },
                place,
            })
        }
    }
}

fn pe_list(part: Part<'_>) -> Result<MapChoice, DirectiveError> {
    let value = MapValue::List(list(part)?);
    let kind = MapKind::PeList;
    Ok(MapChoice { kind, value })
}

fn list(part: Part<'_>) -> Result<Vec<(u32, u32)>, DirectiveError> {
    match whole_ranges(part.text).filter(|ranges| !overlap(ranges)) {
        Some(ranges) => Ok(ranges),
        None => part.fail(DirectiveFault::Value(LIST_RANGE)),
    }
}

fn map_qualifier(said: &mut MapSaid, part: Part<'_>, text_row: u32) -> Result<(), DirectiveError> {
    let (word, _) = part.word_and_value();
    match word_of(MAP_QUALIFIERS, word.text) {
        Ok(found) => take_qualifier(said, found, part, text_row),
        Err(fault) => part.fail(DirectiveFault::Qualifier(fault)),
    }
}

/// Takes a qualifier that was found, with its value.
fn take_qualifier(
    said: &mut MapSaid,
    found: MapQualifier,
    part: Part<'_>,
    text_row: u32,
) -> Result<(), DirectiveError> {
    let (_, value) = part.word_and_value();
    let place = part.place(text_row);
    match found {
        MapQualifier::Pe => {
            let number = needed(part, value, "pe=N")?;
            let pe = positive_u16(number)?;
            keep_pe(said, SaidAt { value: pe, place });
            return Ok(());
        }
        MapQualifier::File => {
            let path = needed(part, value, "file=PATH")?;
            keep_file(
                said,
                SaidAt {
                    value: path.text.to_owned(),
                    place,
                },
            );
            return Ok(());
        }
        MapQualifier::Span
        | MapQualifier::Oversubscribe
        | MapQualifier::NoOversubscribe
        | MapQualifier::NoLocal
        | MapQualifier::Ordered
        | MapQualifier::Inherit
        | MapQualifier::NoInherit
        | MapQualifier::HwtCpus
        | MapQualifier::CoreCpus => {}
    }
    if value.is_some() {
        return part.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue));
    }
    keep_flag(said, found, place);
    Ok(())
}

/// Marks a qualifier without value as said; the first place stays.
pub(crate) fn keep_flag(said: &mut MapSaid, qualifier: MapQualifier, place: TextPlace) {
    let slot = match qualifier {
        MapQualifier::Span => &mut said.span,
        MapQualifier::Oversubscribe => &mut said.oversubscribe,
        MapQualifier::NoOversubscribe => &mut said.nooversubscribe,
        MapQualifier::NoLocal => &mut said.nolocal,
        MapQualifier::Ordered => &mut said.ordered,
        MapQualifier::Inherit => &mut said.inherit,
        MapQualifier::NoInherit => &mut said.noinherit,
        MapQualifier::HwtCpus => &mut said.hwtcpus,
        MapQualifier::CoreCpus => &mut said.corecpus,
        MapQualifier::Pe | MapQualifier::File => return,
    };
    slot.get_or_insert(place);
}

/// Marks a policy as said; a second one that differs is a contradiction.
pub(crate) fn keep_policy(said: &mut MapSaid, policy: SaidAt<MapChoice>) {
    match &said.policy {
        None => said.policy = Some(policy),
        Some(first) if first.value == policy.value => {}
        Some(first) => {
            let place = first.place;
            said.conflict(
                ("one policy", place),
                ("another", policy.place),
                "a mapping has one policy",
            );
        }
    }
}

fn keep_pe(said: &mut MapSaid, pe: SaidAt<u16>) {
    match &said.pe {
        None => said.pe = Some(pe),
        Some(first) if first.value == pe.value => {}
        Some(first) => {
            let (one, place) = (format!("pe={}", first.value), first.place);
            said.conflict(
                (&one, place),
                (&format!("pe={}", pe.value), pe.place),
                TWO_VALUES,
            );
        }
    }
}

fn keep_file(said: &mut MapSaid, file: SaidAt<String>) {
    match &said.file {
        None => said.file = Some(file),
        Some(first) if first.value == file.value => {}
        Some(first) => {
            let (one, place) = (format!("file={}", first.value), first.place);
            said.conflict(
                (&one, place),
                (&format!("file={}", file.value), file.place),
                TWO_VALUES,
            );
        }
    }
}

/// A pattern `N:object` alone, as `PRTE_APP_PPR` holds it.
///
/// # Errors
/// As [`read_map`].
pub(crate) fn read_pattern(text: &str) -> Result<(u32, PprObject), DirectiveError> {
    let whole = Part { text, start: 0 };
    let mut parts = parts(text);
    let found = ppr(whole, &mut parts, 0)?;
    match (found.value.value, parts.next()) {
        (MapValue::Pattern { per, on }, None) => Ok((per, on)),
        (_, _) => whole.fail(DirectiveFault::Directive(WordFault::UnwantedValue)),
    }
}

/// A list of cpus alone, as `PRTE_APP_CPUSET` holds it.
///
/// # Errors
/// When it does not parse, or names a cpu twice.
pub fn read_list(text: &str) -> Result<Vec<(u32, u32)>, DirectiveError> {
    let whole = Part { text, start: 0 };
    list(whole)
}

/// The canonical spelling of a pattern, `2:package`.
#[must_use]
pub(crate) fn pattern_text(per: u32, on: PprObject) -> String {
    match on {
        PprObject::Node => format!("{per}:node"),
        PprObject::Kind(kind) => format!("{per}:{}", kind.word()),
    }
}
