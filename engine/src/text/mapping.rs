//! The grammar of `--map-by`. Source: `semantics` 2.3.

use super::cursor::{overlap, ranges_text, whole_ranges};
use super::directive::{DirectiveError, DirectiveFault, LIST_RANGE, PE_RANGE, PPR_RANGE, Part};
use super::mpibind::options;
use super::said::{Argument, Directive, MapChoice, SaidAt, SaidQualifier};
use super::words::{MAP_QUALIFIERS, MAP_WORDS, PPR_OBJECTS, Qualifier, find_word};
use crate::error::spec::WordFault;
use crate::policy::{DeviceMap, MapBy, PprObject};

/// Which part of a mapping a text says: all of it, or one part, as the value of an option or key for that part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapForm {
    /// All of it, as the value of `--map-by`.
    Whole,
    /// `N:object`, with or without `ppr:` in front, with or without qualifiers behind.
    Ppr,
    /// The number of processes on each such object.
    PprOn(PprObject),
    /// The list behind `pe-list=`.
    PeList,
    /// The number behind `pe=`.
    Pe,
    /// Any text: its option or key means this policy.
    Policy(MapBy),
    /// Any text: its option or key means this qualifier, which takes no value.
    Qualifier(Qualifier),
}

/// Adds what a text says about mapping to `said`. `row`: the row of the text, for the places of words.
///
/// # Errors
/// The first wrong part, from left to right. Contradictions are kept in `said` and judged later.
///
/// Cost: one pass over the text. Source: `semantics` 2.3.
pub fn read_map(
    said: &mut Directive<MapChoice>,
    form: MapForm,
    text: &str,
    row: u32,
) -> Result<(), DirectiveError> {
    let whole = Part::whole(text, row);
    let place = whole.place();
    match form {
        MapForm::Whole | MapForm::Ppr => return read_whole(said, form, whole),
        MapForm::PprOn(on) => {
            let per = whole.positive(PPR_RANGE)?;
            let value = MapBy::Ppr { per, on }.into();
            said.keep_policy(SaidAt { value, place });
        }
        MapForm::PeList => {
            let value = pe_list(whole)?;
            said.keep_policy(SaidAt { value, place });
        }
        MapForm::Pe => said.keep(SaidQualifier {
            qualifier: Qualifier::Pe,
            argument: Argument::Number(whole.positive(PE_RANGE)?),
            place,
        }),
        MapForm::Policy(map) => {
            let value = map.into();
            said.keep_policy(SaidAt { value, place });
        }
        MapForm::Qualifier(qualifier) => said.keep(SaidQualifier {
            qualifier,
            argument: Argument::Nothing,
            place,
        }),
    }
    Ok(())
}

fn read_whole(
    said: &mut Directive<MapChoice>,
    form: MapForm,
    whole: Part<'_>,
) -> Result<(), DirectiveError> {
    if whole.text.bytes().all(|b| b == b':') {
        return whole.fail(DirectiveFault::Directive(WordFault::Empty));
    }
    if let Some(policy) = stepped_list(whole)? {
        said.keep_policy(policy);
        return Ok(());
    }
    let mut parts = whole.parts().peekable();
    let is_ppr = |part: &Part<'_>| part.text.eq_ignore_ascii_case("ppr");
    if form == MapForm::Ppr && !parts.peek().is_some_and(is_ppr) {
        said.keep_policy(ppr(whole, &mut parts)?);
    } else if let Some(first) = parts.next().filter(|part| !part.text.is_empty()) {
        let mut policy = map_policy(first, &mut parts)?;
        if policy.value.map == MapBy::MPIBIND {
            policy.value.map = MapBy::Mpibind(options(said, parts, keep)?);
            said.keep_policy(policy);
            return Ok(());
        }
        if let MapBy::Device(mut options) = policy.value.map {
            for part in parts.filter(|part| !part.text.is_empty()) {
                match super::device::option(options, part)? {
                    Some(more) => options = more,
                    None => keep(said, part.qualifier_of(MAP_QUALIFIERS)?, part)?,
                }
            }
            policy.value.map = MapBy::Device(options);
            said.keep_policy(policy);
            return Ok(());
        }
        said.keep_policy(policy);
    }
    for part in parts.filter(|part| !part.text.is_empty()) {
        keep(said, part.qualifier_of(MAP_QUALIFIERS)?, part)?;
    }
    Ok(())
}

/// A list of cpus with a colon of its own, as in `pe-list=0-31:2/4`, behind which no qualifier follows.
fn stepped_list(whole: Part<'_>) -> Result<Option<SaidAt<MapChoice>>, DirectiveError> {
    let (word, Some(list)) = whole.word_and_value() else {
        return Ok(None);
    };
    let is_list = list.text.contains(':') && whole_ranges(list.text).is_some();
    if !is_list || word.policy_of(MAP_WORDS)?.0 != MapBy::PeList {
        return Ok(None);
    }
    Ok(Some(SaidAt {
        value: pe_list(list)?,
        place: whole.place(),
    }))
}

/// Adds a qualifier that was found in a part.
fn keep(
    said: &mut Directive<MapChoice>,
    found: Qualifier,
    part: Part<'_>,
) -> Result<(), DirectiveError> {
    said.keep(part.with_argument(found)?);
    Ok(())
}

fn map_policy<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    let (map, argument) = first.policy_of(MAP_WORDS)?;
    if map == MapBy::PeList {
        let Some(list) = argument.filter(|list| !list.text.is_empty()) else {
            return lacks_value(first, "pe-list=0-3,7");
        };
        return Ok(SaidAt {
            value: pe_list(list)?,
            place: first.place(),
        });
    }
    if map == MapBy::DEVICE {
        let devices = super::device::devices(first, argument)?;
        return Ok(SaidAt {
            value: MapBy::Device(DeviceMap::on(devices)).into(),
            place: first.place(),
        });
    }
    if argument.is_some() {
        return first.fail(DirectiveFault::Directive(WordFault::UnwantedValue));
    }
    if map == MapBy::PPR {
        return ppr(first, rest);
    }
    if map == MapBy::Dist {
        return dist(first, rest);
    }
    Ok(SaidAt {
        value: map.into(),
        place: first.place(),
    })
}

fn lacks_value<T>(part: Part<'_>, form: &'static str) -> Result<T, DirectiveError> {
    part.fail(DirectiveFault::Directive(WordFault::MissingValue { form }))
}

/// Reads `N:object`, the two parts behind `ppr`.
fn ppr<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    let form = "ppr:N:object";
    let Some(number) = rest.next().filter(|part| !part.text.is_empty()) else {
        return lacks_value(first, form);
    };
    let per = number.positive(PPR_RANGE)?;
    let Some(object) = rest.next().filter(|part| !part.text.is_empty()) else {
        return lacks_value(first, form);
    };
    let on = match (object.word_and_value(), find_word(PPR_OBJECTS, object.text)) {
        ((word, Some(value)), _) if word.text.eq_ignore_ascii_case("device") => {
            PprObject::Devices(super::device::devices(object, Some(value))?)
        }
        (_, Ok(on)) => on,
        (_, Err(fault)) => return object.fail(DirectiveFault::Directive(fault)),
    };
    Ok(SaidAt {
        value: MapBy::Ppr { per, on }.into(),
        place: object.place_from(first.start),
    })
}

/// Reads `dist` or `dist:DEVICE`.
fn dist<'a>(
    first: Part<'a>,
    rest: &mut impl Iterator<Item = Part<'a>>,
) -> Result<SaidAt<MapChoice>, DirectiveError> {
    let device = rest.next();
    if device.is_some_and(|device| device.text.is_empty()) {
        return lacks_value(first, "dist:DEVICE");
    }
    let value = MapChoice {
        device: device.map(|device| device.text.to_owned()),
        ..MapBy::Dist.into()
    };
    let place = device.unwrap_or(first).place_from(first.start);
    Ok(SaidAt { value, place })
}

fn pe_list(part: Part<'_>) -> Result<MapChoice, DirectiveError> {
    match whole_ranges(part.text).filter(|ranges| !overlap(ranges)) {
        Some(list) => Ok(MapChoice {
            list,
            ..MapBy::PeList.into()
        }),
        None => part.fail(DirectiveFault::Value(LIST_RANGE)),
    }
}

/// Reads a pattern `N:object` alone, as `PRTE_APP_PPR` holds it. `row`: the row of the text.
///
/// # Errors
/// As [`read_map`].
pub(crate) fn read_pattern(text: &str, row: u32) -> Result<(u32, PprObject), DirectiveError> {
    let whole = Part::whole(text, row);
    let mut parts = whole.parts();
    match (ppr(whole, &mut parts)?.value.map, parts.next()) {
        (MapBy::Ppr { per, on }, None) => Ok((per, on)),
        (_, _) => whole.fail(DirectiveFault::Directive(WordFault::UnwantedValue)),
    }
}

/// The canonical spelling of a list of cpus alone, as `PRTE_APP_CPUSET` holds it. `row`: the row of the text.
///
/// # Errors
/// When it does not parse, or names a cpu twice.
pub(crate) fn canonical_list(text: &str, row: u32) -> Result<String, DirectiveError> {
    Ok(ranges_text(&pe_list(Part::whole(text, row))?.list))
}

/// The canonical spelling of a pattern, `2:package`.
#[must_use]
pub(crate) fn pattern_text(per: u32, on: PprObject) -> String {
    format!("{per}:{on}")
}
