//! Lists of hosts: those of `-H`, as in `a:4,b,c:*,n[000-127]:8,+n2,+e:2` (`semantics` 1.3), and lists of names alone, as Slurm, Flux
//! and others write them. Bracket ranges stay ranges.

use super::host_types::{EntrySlots, HostEntry, NameRange};
use crate::limit::{HOST_PRODUCT_MAX, NODES_MAX};
use crate::table::names::range_names;
use crate::text::digits::number;
use crate::text::printable::disturbs;
use std::net::IpAddr;

/// Why a list is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostFault {
    /// The entry does not parse.
    Syntax(&'static str),
    /// More nodes than ids count.
    TooMany(u64),
}

/// The error for an entry, with the entry's bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostError {
    /// First byte.
    pub start: usize,
    /// One behind the last byte.
    pub end: usize,
    /// What is wrong.
    pub fault: HostFault,
}

/// Brackets expand to more names than [`HOST_PRODUCT_MAX`].
pub const TOO_MANY_NAMES: HostFault =
    HostFault::Syntax("several brackets come to more than 65536 names");

/// Reads the entries of a `-H` list, in order.
///
/// # Errors
/// The first wrong entry: an empty name, a count that is not a number, `+` without e or n, a bracket that does not
/// close or runs backwards; or more nodes than ids count.
///
/// Cost: the length of the text; a range costs one entry, however many names it has.
/// ```
/// use stowplan_engine::text::hostlist::read_hosts;
/// assert_eq!(read_hosts("a:4,n[000-127]:8,+e:2").unwrap().len(), 3);
/// assert!(read_hosts("a:x").is_err());
/// ```
pub fn read_hosts(text: &str) -> Result<Vec<HostEntry>, HostError> {
    read_list(text, read_entry, |entry| match entry {
        HostEntry::Names(names, _) => names.count,
        HostEntry::Nth(_) | HostEntry::Empty(_) => 0,
    })
}

/// Reads a list of names alone, in order: `n[1-3,05].site,login1`. A range may stand anywhere in a name, and `a:4` is a name.
///
/// # Errors
/// The first wrong entry: an empty name, a bracket that does not close or runs backwards; or more nodes than ids count.
///
/// Cost: that of [`read_hosts`].
/// ```
/// use stowplan_engine::text::hostlist::read_host_names;
/// assert_eq!(read_host_names("rack.n[0-3],a").unwrap().len(), 2);
/// assert!(read_host_names("a[0-").is_err());
/// ```
pub fn read_host_names(text: &str) -> Result<Vec<NameRange>, HostError> {
    read_list(text, read_name, |names| names.count)
}

/// Reads each entry; `nodes` says how many nodes it names.
fn read_list<E>(
    text: &str,
    read: impl Fn(&mut Vec<E>, &str) -> Result<(), HostFault>,
    nodes: impl Fn(&E) -> u32,
) -> Result<Vec<E>, HostError> {
    let mut entries = Vec::new();
    let mut all: u64 = 0;
    for (start, entry) in split_outside_brackets(text) {
        let end = start + entry.len();
        let fail = |fault| HostError { start, end, fault };
        let before = entries.len();
        if entry.contains(disturbs) {
            return Err(fail(HostFault::Syntax(
                "a name has no tabs, line ends, marks of direction or other control characters",
            )));
        }
        read(&mut entries, entry).map_err(fail)?;
        // Without brackets, a text has no more entries than bytes: the others come from brackets.
        if entries.len() > text.len() + HOST_PRODUCT_MAX {
            return Err(fail(TOO_MANY_NAMES));
        }
        let added = entries[before..].iter().map(&nodes);
        all += added.map(u64::from).sum::<u64>();
        if all > u64::from(NODES_MAX) {
            return Err(fail(HostFault::TooMany(all)));
        }
    }
    Ok(entries)
}

/// The comma-separated entries with their first bytes; commas inside brackets do not separate.
fn split_outside_brackets(text: &str) -> Vec<(usize, &str)> {
    let (mut entries, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            b',' if !inside => {
                entries.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push((start, &text[start..]));
    entries
}

fn read_name(names: &mut Vec<NameRange>, entry: &str) -> Result<(), HostFault> {
    names.extend(read_names(entry, Ranges::Anywhere)?);
    Ok(())
}

fn read_entry(entries: &mut Vec<HostEntry>, entry: &str) -> Result<(), HostFault> {
    if let Some(relative) = entry.strip_prefix('+') {
        entries.push(read_relative(relative)?);
        return Ok(());
    }
    let colon = match entry.rfind(']') {
        Some(close) => entry[close..].find(':').map(|at| close + at),
        None if entry.parse::<IpAddr>().is_ok() => None,
        None => match entry.rfind(':') {
            Some(last) if entry[..last].parse::<IpAddr>().is_ok() => Some(last),
            _ => entry.find(':'),
        },
    };
    let (name, slots) = match colon {
        None => (entry, EntrySlots::One),
        Some(at) => (&entry[..at], read_slots(&entry[at + 1..])?),
    };
    for names in read_names(name, Ranges::BeforeDomain)? {
        entries.push(HostEntry::Names(names, slots));
    }
    Ok(())
}

fn read_slots(text: &str) -> Result<EntrySlots, HostFault> {
    if text == "*" || text.eq_ignore_ascii_case("auto") {
        return Ok(EntrySlots::Infer);
    }
    number(text.strip_prefix('+').unwrap_or(text))
        .map(EntrySlots::Count)
        .ok_or(HostFault::Syntax("the slots are no number, * or auto"))
}

/// Reads the text behind `+`: `nK`, `e` or `e:N`.
///
/// # Errors
/// When it is none of these.
pub(crate) fn read_relative(text: &str) -> Result<HostEntry, HostFault> {
    let (kind, rest) = text.split_at_checked(1).unwrap_or((text, ""));
    match kind {
        "n" | "N" => number(rest)
            .map(HostEntry::Nth)
            .ok_or(HostFault::Syntax("+n takes the number of a node, as +n2")),
        "e" | "E" if rest.is_empty() => Ok(HostEntry::Empty(None)),
        "e" | "E" => rest
            .strip_prefix(':')
            .and_then(number)
            .map(|count| HostEntry::Empty(Some(count)))
            .ok_or(HostFault::Syntax("+e takes a count of nodes, as +e:2")),
        _ => Err(HostFault::Syntax("+ is followed by e or n")),
    }
}

/// A plain name as a range of one, as it is written.
#[must_use]
pub fn plain(name: &str) -> NameRange {
    NameRange {
        prefix: name.to_owned(),
        first: 0,
        count: 1,
        width: 0,
        suffix: String::new(),
    }
}

/// Where the ranges of a name may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ranges {
    /// In the part before the first dot, as PRRTE has it.
    BeforeDomain,
    /// Anywhere.
    Anywhere,
}

impl Ranges {
    /// Whether a range behind this text would stand where it cannot.
    fn forbid(self, before: &str) -> bool {
        self == Self::BeforeDomain && before.contains('.')
    }
}

/// The names that a host name stands for. It may have bracket ranges.
///
/// # Errors
/// As [`read_hosts`].
pub(crate) fn read_names(name: &str, may: Ranges) -> Result<Vec<NameRange>, HostFault> {
    let Some(open) = name.find('[') else {
        if name.is_empty() || name.starts_with('.') {
            return Err(HostFault::Syntax("the name is empty"));
        }
        if name.contains(']') {
            return Err(HostFault::Syntax("a bracket closes that was not opened"));
        }
        return Ok(vec![plain(name)]);
    };
    if may.forbid(&name[..open]) || name[..open].contains(']') {
        return Err(HostFault::Syntax("a range cannot be used in a domain"));
    }
    // Each bracket but the last is expanded; the last stays a range.
    let mut prefixes = vec![name[..open].to_owned()];
    let mut rest = &name[open + 1..];
    loop {
        let Some((inside, behind)) = rest.split_once(']') else {
            return Err(HostFault::Syntax("a bracket does not close"));
        };
        let ranges = read_ranges(inside)?;
        let next = behind.find('[').filter(|&at| !may.forbid(&behind[..at]));
        let Some(at) = next else {
            if behind.contains(['[', ']']) {
                return Err(HostFault::Syntax("a range cannot be used in a domain"));
            }
            return product(&prefixes, &ranges, behind);
        };
        prefixes = expand(&prefixes, &ranges, &behind[..at])?;
        rest = &behind[at + 1..];
    }
}

fn product(
    prefixes: &[String],
    ranges: &[Range],
    suffix: &str,
) -> Result<Vec<NameRange>, HostFault> {
    if prefixes.len().saturating_mul(ranges.len()) > HOST_PRODUCT_MAX {
        return Err(TOO_MANY_NAMES);
    }
    let names = |prefix: &String, range: &Range| NameRange {
        prefix: prefix.clone(),
        first: range.first,
        count: range.count,
        width: range.width,
        suffix: suffix.to_owned(),
    };
    Ok(prefixes
        .iter()
        .flat_map(|prefix| ranges.iter().map(move |range| names(prefix, range)))
        .collect())
}

fn expand(prefixes: &[String], ranges: &[Range], behind: &str) -> Result<Vec<String>, HostFault> {
    let names: u64 = ranges.iter().map(|range| u64::from(range.count)).sum();
    if names.saturating_mul(prefixes.len() as u64) > HOST_PRODUCT_MAX as u64 {
        return Err(TOO_MANY_NAMES);
    }
    let longer = product(prefixes, ranges, behind)?;
    Ok(longer.iter().flat_map(range_names).collect())
}

/// A number or range of numbers in a bracket.
struct Range {
    first: u64,
    count: u32,
    width: u8,
}

fn read_ranges(inside: &str) -> Result<Vec<Range>, HostFault> {
    let syntax = HostFault::Syntax("a bracket holds numbers and ranges, as [0-3,7]");
    let mut ranges = Vec::new();
    for item in inside.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(first) || !digits(last) || first.len() > 20 {
            return Err(syntax);
        }
        // A width beyond what a byte counts is longer than any host name.
        let (Ok(low), Ok(width)) = (first.parse::<u64>(), u8::try_from(first.len())) else {
            return Err(syntax);
        };
        let high = last.parse::<u64>().unwrap_or(u64::MAX);
        if high < low {
            return Err(HostFault::Syntax("a range runs backwards"));
        }
        let many = (high - low).saturating_add(1);
        match u32::try_from(many) {
            Ok(count) if count <= NODES_MAX => ranges.push(Range {
                first: low,
                count,
                width,
            }),
            Ok(_) | Err(_) => return Err(HostFault::TooMany(many)),
        }
    }
    Ok(ranges)
}
