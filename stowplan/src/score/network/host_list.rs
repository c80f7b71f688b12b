//! Host lists without slots, `n[0-3,8],m[1-2]c[00-15]`, and how they are written.

use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameRange, Names, NodeId, range_names};
use stowplan_engine::text::hostlist::{HostFault, read_host_names};

/// The names of a list, in order. Ranges stay ranges; of several brackets in a name the last one does.
///
/// # Errors
/// What is wrong with the first wrong word.
pub(super) fn read(text: &str) -> Result<Vec<NameRange>, String> {
    text.split(',').try_for_each(check)?;
    if let Some(open) = text.rfind('[').filter(|&open| !text[open..].contains(']')) {
        let start = text[..open].rfind(',').map_or(0, |comma| comma + 1);
        let word = &text[start..];
        return Err(format!(
            "a bracket of {word:?} does not close: was the line cut?"
        ));
    }
    read_host_names(text).map_err(|error| {
        let word = &text[error.start..error.end];
        match error.fault {
            HostFault::Syntax(what) => format!("{word:?}: {what}"),
            HostFault::TooMany(nodes) => {
                format!("{word:?}: {nodes} names are more than there can be")
            }
        }
    })
}

/// Refuses a word that cannot be one name in a list.
///
/// # Errors
/// The sign that a name cannot have.
pub(super) fn one_name(word: &str) -> Result<(), String> {
    check(word)?;
    match word.chars().find(|sign| matches!(sign, ',' | '[' | ']')) {
        Some(sign) => Err(format!("{word:?} is not one name: it has {sign:?}")),
        None => Ok(()),
    }
}

fn check(word: &str) -> Result<(), String> {
    let not = |sign: &char| sign.is_control() || sign.is_whitespace() || *sign == '=';
    match word.chars().find(not) {
        Some(sign) => Err(format!("{word:?} is no name of a host: it has {sign:?}")),
        None => Ok(()),
    }
}

/// Each name of a list, written out, at most `most` of them.
///
/// # Errors
/// As [`read`], and beyond the bound.
pub(super) fn read_each(text: &str, most: usize) -> Result<Vec<String>, String> {
    let ranges = read(text)?;
    let count: u64 = ranges.iter().map(|range| u64::from(range.count)).sum();
    if count > most as u64 {
        return Err(format!(
            "{text:?} has {count} names, at most {most} are possible"
        ));
    }
    Ok(ranges.iter().flat_map(range_names).collect())
}

/// The names of these nodes as a host list. Names that differ in their number only share a bracket.
pub fn write(names: &Names, nodes: impl Iterator<Item = (u32, u32)>) -> String {
    // The text before and behind a bracket, what is in it, and how many names.
    let mut words: Vec<(&str, &str, String, u32)> = Vec::new();
    for (first, end) in nodes {
        let mut at = first;
        while at < end {
            let stretch = names.around(NodeId::from_row(at as usize));
            let many = stretch.nodes.end().min(end) - at;
            let digits = usize::from(stretch.digits);
            let low = stretch.number + u64::from(at - stretch.nodes.first);
            let high = low + u64::from(many - 1);
            at += many;
            let inside = match (digits, many) {
                (0, _) => String::new(),
                (_, 1) => format!("{low:0digits$}"),
                _ => format!("{low:0digits$}-{high:0digits$}"),
            };
            let (prefix, suffix) = (stretch.prefix, stretch.suffix);
            match words.last_mut() {
                Some(last)
                    if digits > 0 && !last.2.is_empty() && (last.0, last.1) == (prefix, suffix) =>
                {
                    last.2.push(',');
                    last.2.push_str(&inside);
                    last.3 += many;
                }
                Some(_) | None => words.push((prefix, suffix, inside, many)),
            }
        }
    }
    let word = |(prefix, suffix, inside, many): &(&str, &str, String, u32)| match many {
        1 => format!("{prefix}{inside}{suffix}"),
        _ => format!("{prefix}[{inside}]{suffix}"),
    };
    let words: Vec<String> = words.iter().map(word).collect();
    words.join(",")
}
