//! The attributes of an `alloc`: type and form, for the directives that honour them.

use crate::config::{Feature, Inheritance};
use crate::event::{Attr, Directive, EventValue};
use crate::state::State;
use crate::status::Status;

/// The attributes that a directive honours, well formed. Those that it does not honour are `None` here.
#[derive(Debug, Default)]
pub(super) struct Attrs<'v, 'a> {
    pub(super) target: Option<&'a str>,
    pub(super) share: Option<bool>,
    pub(super) inheritance: Option<Inheritance>,
    pub(super) warn_timeout: Option<u32>,
    pub(super) alloc_id: Option<&'a str>,
    pub(super) req_id: Option<&'a str>,
    pub(super) node_list: Option<&'v [&'a str]>,
    pub(super) lend: Option<&'a str>,
}

/// The value of a key. If the key is given twice, the last one counts.
pub(super) fn value<'v, 'a>(attrs: &'v [Attr<'a>], key: &str) -> &'v EventValue<'a> {
    attrs
        .iter()
        .rfind(|row| row.0 == key)
        .map_or(&EventValue::Absent, |row| &row.1)
}

/// Reads the attributes that a directive honours. Source: reservations "Clauses".
pub(super) fn read<'v, 'a>(
    state: &State,
    directive: Directive,
    attrs: &'v [Attr<'a>],
) -> Result<Attrs<'v, 'a>, Status> {
    let mut read = Attrs {
        req_id: name(state, value(attrs, "PMIX_ALLOC_REQ_ID"))?,
        ..Attrs::default()
    };
    let alloc_id = value(attrs, "PMIX_ALLOC_ID");
    match directive {
        Directive::New | Directive::Extend => {
            if state.has(Feature::Target) {
                read.target = name(state, value(attrs, "PMIX_ALLOC_TARGET"))?;
            }
            if state.has(Feature::Share) {
                read.share = truth(value(attrs, "PMIX_ALLOC_SHARE"))?;
            }
            if state.has(Feature::WarnTimeout) {
                read.warn_timeout = seconds(value(attrs, "PMIX_ALLOC_WARN_TIMEOUT"))?;
            }
            if directive == Directive::Extend {
                read.alloc_id = name(state, alloc_id)?;
            }
            read.inheritance = inheritance(state, value(attrs, "PMIX_ALLOC_INHERITANCE"))?;
            // The id of a fresh allocation is the scheduler's choice.
            if directive == Directive::New && alloc_id.is_present() {
                return Err(Status::BadParam);
            }
        }
        Directive::Release => {
            read.alloc_id = name(state, alloc_id)?;
            read.lend = name(state, value(attrs, "PMIX_ALLOC_LEND"))?;
            read.node_list = names(state, value(attrs, "PMIX_ALLOC_NODE_LIST"))?;
        }
        Directive::Reaquire => read.alloc_id = name(state, alloc_id)?,
        Directive::Cancel => {}
    }
    Ok(read)
}

/// The value as `read` understands it, if one is given.
pub(super) fn given<'v, 'a, T>(
    value: &'v EventValue<'a>,
    read: impl FnOnce(&'v EventValue<'a>) -> Option<T>,
) -> Result<Option<T>, Status> {
    if value.is_present() {
        read(value).map(Some).ok_or(Status::BadParam)
    } else {
        Ok(None)
    }
}

/// A well-formed name, if one is given.
pub(super) fn name<'a>(state: &State, value: &EventValue<'a>) -> Result<Option<&'a str>, Status> {
    let well_formed = |text: &&str| state.is_well_formed(text);
    given(value, |value| value.text().filter(well_formed))
}

/// A list of distinct well-formed names, if one is given, and not empty.
fn names<'v, 'a>(
    state: &State,
    value: &'v EventValue<'a>,
) -> Result<Option<&'v [&'a str]>, Status> {
    let names = |list: &&[&str]| !list.is_empty() && are_names(state, list);
    given(value, |value| value.texts().filter(names))
}

/// Whether a list holds well-formed names, each once.
pub(super) fn are_names(state: &State, list: &[&str]) -> bool {
    list.iter().all(|name| state.is_well_formed(name)) && are_distinct(list)
}

/// Whether a list holds each name once.
///
/// Cost: one pass if they ascend, shorter ones first, as numbered names in order do; else sorting them.
fn are_distinct(list: &[&str]) -> bool {
    // A short list is compared with itself.
    const SHORT: usize = 16;
    if list.len() <= SHORT {
        return list
            .iter()
            .enumerate()
            .all(|(at, name)| !list[..at].contains(name));
    }
    let before = |one: &&str, two: &&str| (one.len(), *one) < (two.len(), *two);
    if list.is_sorted_by(before) {
        return true;
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

fn truth(value: &EventValue<'_>) -> Result<Option<bool>, Status> {
    given(value, |value| {
        if let EventValue::Bool(truth) = value {
            Some(*truth)
        } else {
            None
        }
    })
}

fn seconds(value: &EventValue<'_>) -> Result<Option<u32>, Status> {
    given(value, |value| {
        if let EventValue::Int(number) = value {
            u32::try_from(*number).ok()
        } else {
            None
        }
    })
}

fn inheritance(state: &State, value: &EventValue<'_>) -> Result<Option<Inheritance>, Status> {
    let said = match value {
        EventValue::Absent => return Ok(None),
        EventValue::Text(text) => Inheritance::named(text).ok_or(Status::BadParam),
        EventValue::Int(number) => u8::try_from(*number)
            .map_err(|_| Status::BadParam)
            .and_then(|number| Inheritance::numbered(number).ok_or(Status::NotSupported)),
        EventValue::Bool(_) | EventValue::Texts(_) | EventValue::Other(_) => Err(Status::BadParam),
    };
    if state.has(Feature::Inheritance) {
        return said.map(Some);
    }
    // A host that does not know the attribute can still keep the promise of the default.
    if said == Ok(Inheritance::Default) {
        Ok(None)
    } else {
        Err(Status::NotSupported)
    }
}
