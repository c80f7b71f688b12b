//! The forms of node names: ranges as people write them, and the one canonical form of each name.

use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Names that differ in one number: `prefix`, the number padded with zeros to `width` digits, `suffix`.
/// A plain name is a range of one without digits (`width` 0, `count` 1, all in `prefix`).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct NameRange {
    /// The text before the number; the whole name if there is no number.
    pub prefix: String,
    /// The first number.
    pub first: u64,
    /// How many names, at least 1; numbers ascend by one.
    pub count: u32,
    /// The least number of digits written; 0: no number at all.
    pub width: u8,
    /// The text behind the number.
    pub suffix: String,
}

/// What the names of a group have in common.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct Group {
    pub(super) prefix: String,
    pub(super) suffix: String,
    /// Digits of the number; 0: the name has none, or too many for a number.
    pub(super) digits: u8,
}

/// A group that is not stored anywhere yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GroupRef<'n> {
    /// Compared first, because the groups of one list mostly differ only in this.
    pub(super) digits: u8,
    pub(super) prefix: &'n str,
    pub(super) suffix: &'n str,
}

impl GroupRef<'_> {
    pub(super) fn to_group(self) -> Group {
        Group {
            prefix: self.prefix.to_owned(),
            suffix: self.suffix.to_owned(),
            digits: self.digits,
        }
    }
}

impl Group {
    pub(super) fn as_ref(&self) -> GroupRef<'_> {
        GroupRef {
            prefix: &self.prefix,
            suffix: &self.suffix,
            digits: self.digits,
        }
    }
}

/// Consecutive canonical names.
pub(super) struct Stretch<'n> {
    pub(super) group: GroupRef<'n>,
    pub(super) number: u64,
    pub(super) count: u32,
}

pub(super) fn narrow(count: u64) -> u32 {
    u32::try_from(count).expect("a name range counts at most 2^32 - 1 names")
}

/// A name cut at its first dot, unless it is an IP address (`semantics` 1.2).
#[must_use]
pub fn cut(name: &str) -> &str {
    match name.bytes().position(|byte| byte == b'.') {
        Some(dot) if dot > 0 && name.parse::<IpAddr>().is_err() => &name[..dot],
        _ => name,
    }
}

pub(super) fn written(group: GroupRef<'_>, number: u64) -> String {
    if group.digits == 0 {
        return group.prefix.to_owned();
    }
    format!(
        "{}{number:0width$}{}",
        group.prefix,
        group.suffix,
        width = usize::from(group.digits)
    )
}

/// The canonical form of one name: its last run of digits is its number (up to 18 digits).
pub(super) fn split_name(name: &str) -> (GroupRef<'_>, u64) {
    let bytes = name.as_bytes();
    let plain = GroupRef {
        prefix: name,
        suffix: "",
        digits: 0,
    };
    let Some(last) = bytes.iter().rposition(u8::is_ascii_digit) else {
        return (plain, 0);
    };
    let first = bytes[..last]
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let digits = &bytes[first..=last];
    let Ok(length @ 1..=18) = u8::try_from(digits.len()) else {
        return (plain, 0);
    };
    let number = digits
        .iter()
        .fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
    let group = GroupRef {
        prefix: &name[..first],
        suffix: &name[last + 1..],
        digits: length,
    };
    (group, number)
}

/// How much of a name is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Its first label.
    Cut,
    /// All of it.
    Whole,
}

/// What follows the first label of the names of a range, with its dot; empty: nothing, or they are IP addresses.
pub(crate) fn domain(range: &NameRange) -> &str {
    let text = match range.prefix.find('.').filter(|&dot| dot > 0) {
        Some(dot) => &range.prefix[dot..],
        None => range
            .suffix
            .find('.')
            .map_or("", |dot| &range.suffix[dot..]),
    };
    if text.is_empty() || is_ip(range) {
        ""
    } else {
        text
    }
}

/// Passes the canonical stretches of a range to `each`, in the order of the range, until `each` returns an error.
pub(super) fn canonical<E>(
    range: &NameRange,
    form: Form,
    mut each: impl FnMut(Stretch<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut alone = |name: &str| {
        let (group, number) = split_name(match form {
            Form::Cut => cut(name),
            Form::Whole => name,
        });
        each(Stretch {
            group,
            number,
            count: 1,
        })
    };
    if range.width == 0 {
        return alone(&range.prefix);
    }
    let whole = form == Form::Whole || is_ip(range);
    let suffix = match range.suffix.find('.') {
        Some(dot) if !whole => &range.suffix[..dot],
        _ => range.suffix.as_str(),
    };
    if range.prefix.find('.').is_some_and(|dot| dot > 0) && !whole {
        return (0..range.count).try_for_each(|_| alone(&range.prefix));
    }
    let strided = suffix.bytes().any(|byte| byte.is_ascii_digit());
    let own = range
        .prefix
        .bytes()
        .rev()
        .take_while(u8::is_ascii_digit)
        .count();
    let last = range.first.saturating_add(u64::from(range.count - 1));
    if strided || own + usize::from(range.width).max(digits_of(last)) > 18 {
        return range_names(range).try_for_each(|name| alone(&name));
    }
    let (prefix, lead) = range.prefix.split_at(range.prefix.len() - own);
    let lead: u64 = lead.parse().unwrap_or(0);
    let mut number = range.first;
    while number <= last {
        let digits = digits_of(number).max(usize::from(range.width));
        let ten = 10_u64.pow(u32::try_from(digits).expect("at most 18 digits"));
        let stop = last.min(ten - 1);
        let group = GroupRef {
            prefix,
            suffix,
            digits: u8::try_from(own + digits).expect("at most 18 digits"),
        };
        each(Stretch {
            group,
            number: lead * ten + number,
            count: narrow(stop - number + 1),
        })?;
        number = stop + 1;
    }
    Ok(())
}

fn is_ip(range: &NameRange) -> bool {
    range_name(range, 0).parse::<IpAddr>().is_ok()
}

/// The name at position `at` of a range, as written.
#[must_use]
pub fn range_name(range: &NameRange, at: u32) -> String {
    if range.width == 0 {
        return range.prefix.clone();
    }
    let number = range.first.saturating_add(u64::from(at));
    format!(
        "{}{number:0width$}{}",
        range.prefix,
        range.suffix,
        width = usize::from(range.width)
    )
}

/// The names of a range, as written, in order.
pub fn range_names(range: &NameRange) -> impl Iterator<Item = String> + '_ {
    (0..range.count).map(|at| range_name(range, at))
}

fn digits_of(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
