//! Slurm's lists: hosts, as in `r[1-2]n[1-3,05],login1`, where the last bracket varies fastest; and counts, as in `16(x4),8`.

use super::{BadEnvironment, HOSTS_MAX, number};
use stowplan_engine::count::counted;

/// One part of a name: a text, or the numbers of a bracket with their digits.
enum Part<'t> {
    Text(&'t str),
    Numbers(Vec<(u64, u64, usize)>),
}

/// The hosts of a list, in the list's order.
pub(super) fn hosts(name: &str, text: &str) -> Result<Vec<String>, BadEnvironment> {
    let bad = |why: &str| BadEnvironment::broken(name, text, why);
    let mut hosts = Vec::new();
    for entry in entries(text).ok_or_else(|| bad("brackets do not match"))? {
        let parts = parts(entry).ok_or_else(|| bad("this is no list of hosts"))?;
        let many = parts.iter().map(|part| match part {
            Part::Text(_) => 1,
            Part::Numbers(ranges) => ranges.iter().fold(0_u64, |sum, (first, last, _)| {
                sum.saturating_add(last - first + 1)
            }),
        });
        let many = many.fold(1_u64, u64::saturating_mul);
        if many.saturating_add(hosts.len() as u64) > HOSTS_MAX as u64 {
            return Err(bad("it names more hosts than there can be"));
        }
        expand(&parts, String::new(), &mut hosts);
    }
    Ok(hosts)
}

/// Splits a list at the commas outside of brackets.
fn entries(text: &str) -> Option<Vec<&str>> {
    let mut entries = Vec::new();
    let (mut start, mut is_open) = (0, false);
    for (at, sign) in text.char_indices() {
        match sign {
            '[' if is_open => return None,
            '[' => is_open = true,
            ']' if !is_open => return None,
            ']' => is_open = false,
            ',' if !is_open => {
                entries.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push(&text[start..]);
    let whole = !is_open && entries.iter().all(|entry| !entry.is_empty());
    whole.then_some(entries)
}

fn parts(entry: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = entry;
    while let Some((before, behind)) = rest.split_once('[') {
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        let (numbers, behind) = behind.split_once(']')?;
        parts.push(Part::Numbers(
            numbers.split(',').map(range).collect::<Option<Vec<_>>>()?,
        ));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Some(parts)
}

fn range(text: &str) -> Option<(u64, u64, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let digits = |text: &str| {
        (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(first) || !digits(last) {
        return None;
    }
    let (low, high) = (first.parse().ok()?, last.parse().ok()?);
    (low <= high).then_some((low, high, first.len()))
}

fn expand(parts: &[Part<'_>], begun: String, hosts: &mut Vec<String>) {
    match parts.split_first() {
        None => hosts.push(begun),
        Some((Part::Text(text), rest)) => expand(rest, begun + text, hosts),
        Some((Part::Numbers(ranges), rest)) => {
            for &(first, last, width) in ranges {
                for number in first..=last {
                    expand(rest, format!("{begun}{number:0width$}"), hosts);
                }
            }
        }
    }
}

/// The counts of a list, one for each of `hosts` hosts.
pub(super) fn counts(name: &str, text: &str, hosts: usize) -> Result<Vec<u64>, BadEnvironment> {
    let mut counts = Vec::new();
    let mut all = 0_u64;
    for part in text.split(',') {
        let (count, times) = match part.split_once("(x") {
            None => (part, 1),
            Some((count, times)) => {
                let times = times.strip_suffix(')').ok_or_else(|| {
                    BadEnvironment::broken(name, text, "a count such as 16(x4) must stand here")
                })?;
                (count, number_in(name, text, times)?)
            }
        };
        let count = number_in(name, text, count)?;
        all = all.saturating_add(times);
        if all > hosts as u64 {
            break;
        }
        counts.extend((0..times).map(|_| count));
    }
    if all == hosts as u64 {
        return Ok(counts);
    }
    let why = if all < hosts as u64 {
        format!(
            "it counts for {}, and there are {hosts}",
            counted(all, "host")
        )
    } else {
        format!("it counts for more than the {hosts} there are")
    };
    Err(BadEnvironment::broken(name, text, &why))
}

fn number_in(name: &str, text: &str, part: &str) -> Result<u64, BadEnvironment> {
    number(name, part)
        .map_err(|_| BadEnvironment::broken(name, text, "counts from 1 on must stand here"))
}

/// Hosts with neighbouring numbers in brackets: `node[1-3],login`.
pub(super) fn folded(hosts: &[&str]) -> String {
    let mut text = String::new();
    let mut left = hosts;
    while let [host, ..] = left {
        let stem = host.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let width = host.len() - stem.len();
        let first: u64 = host[stem.len()..].parse().unwrap_or(0);
        let is_next = |(at, other): &(u64, &&str)| {
            **other == format!("{stem}{:0width$}", first.saturating_add(*at))
        };
        // Only numbers that fit a u64, and only names with as many digits as the first.
        let run = match width {
            1..=18 => (0..).zip(left).take_while(is_next).count(),
            _ => 1,
        };
        let comma = if text.is_empty() { "" } else { "," };
        text += comma;
        if run > 1 {
            let last = first + (run as u64 - 1);
            text += &format!("{stem}[{first:0width$}-{last:0width$}]");
        } else {
            text += host;
        }
        left = &left[run..];
    }
    text
}
