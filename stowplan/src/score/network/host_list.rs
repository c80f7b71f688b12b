//! Host lists without slots, `n[0-3,8],m[1-2]c[00-15]`, and how they are written.

use crate::score::number::number;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameRange, Names, NodeId};
use stowplan_engine::text::hostlist::plain;

/// Names that the brackets of one word before the last may come to.
const PRODUCT_MAX: usize = 1 << 16;
/// Names of one range.
const RANGE_MAX: u64 = 1 << 21;

/// The names of a list, in order. Ranges stay ranges; of several brackets in a name the last one does.
///
/// # Errors
/// What is wrong with the first wrong word.
pub(super) fn read(text: &str) -> Result<Vec<NameRange>, String> {
    let mut found = Vec::new();
    for word in words(text)? {
        if word.is_empty() {
            return Err(format!("{text:?} has an empty name"));
        }
        read_word(word, &mut found)?;
        if found.len() > PRODUCT_MAX + text.len() {
            return Err(format!(
                "the brackets of {word:?} come to more than {PRODUCT_MAX} names"
            ));
        }
    }
    Ok(found)
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
    Ok(ranges.iter().flat_map(each).collect())
}

/// The names of a range.
pub(super) fn each(range: &NameRange) -> impl Iterator<Item = String> + '_ {
    (range.first..range.first + u64::from(range.count)).map(move |number| match range.width {
        0 => range.prefix.clone(),
        width => format!(
            "{}{number:0width$}{}",
            range.prefix,
            range.suffix,
            width = usize::from(width)
        ),
    })
}

/// The words of a list: commas in brackets do not separate.
fn words(text: &str) -> Result<Vec<&str>, String> {
    let (mut found, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, sign) in text.bytes().enumerate() {
        match sign {
            b'[' if inside => return Err(format!("{text:?} has a bracket in a bracket")),
            b'[' => inside = true,
            b']' if !inside => {
                return Err(format!("a bracket closes in {text:?} that was not opened"));
            }
            b']' => inside = false,
            b',' if !inside => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if inside {
        return Err(format!(
            "a bracket of {text:?} does not close: was the line cut?"
        ));
    }
    found.push(&text[start..]);
    Ok(found)
}

fn read_word(word: &str, found: &mut Vec<NameRange>) -> Result<(), String> {
    check(word)?;
    let mut prefixes = vec![String::new()];
    let mut rest = word;
    loop {
        let Some((before, behind)) = rest.split_once('[') else {
            found.extend(prefixes.into_iter().map(|prefix| plain(&(prefix + rest))));
            return Ok(());
        };
        let (inside, behind) = behind.split_once(']').unwrap_or((behind, ""));
        let ranges = ranges(word, inside)?;
        if !behind.contains('[') {
            for prefix in &prefixes {
                found.extend(ranges.iter().map(|&(first, count, width)| NameRange {
                    prefix: format!("{prefix}{before}"),
                    first,
                    count,
                    width,
                    suffix: behind.to_owned(),
                }));
            }
            return Ok(());
        }
        let names: u64 = ranges.iter().map(|range| u64::from(range.1)).sum();
        if names.saturating_mul(prefixes.len() as u64) > PRODUCT_MAX as u64 {
            return Err(format!(
                "the brackets of {word:?} come to more than {PRODUCT_MAX} names"
            ));
        }
        let mut longer = Vec::new();
        for prefix in &prefixes {
            for &(first, count, width) in &ranges {
                longer.extend((first..first + u64::from(count)).map(|number| {
                    format!(
                        "{prefix}{before}{number:0width$}",
                        width = usize::from(width)
                    )
                }));
            }
        }
        (prefixes, rest) = (longer, behind);
    }
}

/// First number, count and digits of each range in a bracket.
fn ranges(word: &str, inside: &str) -> Result<Vec<(u64, u32, u8)>, String> {
    let mut found = Vec::new();
    for item in inside.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let number = |text: &str| number::<u64>(text).filter(|_| text.len() <= 18);
        let (Some(low), Some(high)) = (number(first), number(last)) else {
            return Err(format!(
                "a bracket of {word:?} holds numbers and ranges, as [0-3,7]: {item:?} is neither"
            ));
        };
        let Some(more) = high.checked_sub(low) else {
            return Err(format!("the range {item} of {word:?} runs backwards"));
        };
        let (Some(count), Ok(width)) = (
            u32::try_from(more + 1).ok().filter(|_| more < RANGE_MAX),
            u8::try_from(first.len()),
        ) else {
            return Err(format!(
                "the range {item} of {word:?} has more than {RANGE_MAX} names"
            ));
        };
        found.push((low, count, width));
    }
    Ok(found)
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
