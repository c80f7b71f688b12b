//! Hostfiles: what each line says. No node is looked up. Source: `semantics` 1.4.

use super::cursor::Cursor;
use super::host_types::{HostEntry, Hostfile, HostfileLine, HostfileWhat, NameRange, Written};
use super::hostlist::{HostFault, Ranges, plain, read_names, read_relative};
use super::lines::{Line, each_line};
use crate::error::SpecError;
use crate::error::spec::FileKind;
use crate::limit::HOST_PRODUCT_MAX;
use std::collections::HashMap;

/// Reads a whole hostfile.
///
/// # Errors
/// `bad-hostfile` with line and column: an unknown key, a second `@`, a quote or a character outside names, a count
/// that is not a number, slots given twice for a node, `max_slots` below slots.
///
/// Cost: one pass over the bytes.
/// ```
/// use stowplan_engine::text::hostfile::read_hostfile;
/// assert_eq!(read_hostfile("h", b"a slots=4 # x").unwrap().lines[0].slots, Some(4));
/// assert_eq!(read_hostfile("h", b"a slot=4").unwrap_err().class(), "bad-hostfile");
/// ```
pub fn read_hostfile(path: &str, bytes: &[u8]) -> Result<Hostfile, SpecError> {
    let mut lines: Vec<HostfileLine> = Vec::new();
    let mut counted: HashMap<String, u32> = HashMap::new();
    let (bytes, mark) = match bytes.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    each_line(FileKind::Hostfile, path, bytes, |line| {
        let before = lines.len();
        read_line(line, &mut lines)?;
        for read in &lines[before..] {
            // Lines with ranges are checked node by node later, when the nodes are known.
            if let HostfileWhat::Name(names) = &read.what
                && names.width == 0
            {
                let own = read.slots.unwrap_or(1);
                let known = counted.get(&names.prefix).copied();
                *counted.entry(names.prefix.clone()).or_insert(0) += own;
                if let (Some(known), Some(slots)) = (known, read.slots) {
                    return line.meant(
                        (0, line.text.len()),
                        "the slots of this node were counted before",
                        format!(
                            "one line for both: {} slots={}",
                            names.prefix,
                            known.saturating_add(slots)
                        ),
                    );
                }
            }
        }
        if lines.len() > bytes.len() + HOST_PRODUCT_MAX {
            let what = "brackets come to more than 65536 names";
            return line.bad(0, line.text.len(), what);
        }
        Ok(())
    })?;
    Ok(Hostfile {
        path: path.to_owned(),
        lines,
        mark,
    })
}

/// The sign that some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Characters of names and words.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '*' | '^' | '@' | '~' | '%')
}

/// Adds what a line says: one row for each range of names on it. The rows differ only in the names.
fn read_line(line: Line<'_>, lines: &mut Vec<HostfileLine>) -> Result<(), SpecError> {
    let mut cursor = Cursor::new(line.text);
    cursor.skip_blanks();
    if cursor.is_done() {
        return Ok(());
    }
    let start = cursor.position();
    let name = take_name(line, &mut cursor);
    if name.is_empty() {
        return line.bad(start, start + 1, "a node's name is expected here");
    }
    let number = line.number;
    let says = |what, counts: &Counts| HostfileLine {
        what,
        slots: counts.slots,
        max_slots: counts.max_slots,
        login: counts.login.clone(),
        line: number,
    };
    if name == "rank" {
        lines.push(says(ranked(line, cursor)?, &Counts::default()));
        return Ok(());
    }
    let named: Vec<HostfileWhat> = if let Some(excluded) = name.strip_prefix('^') {
        let names = node_names(line, start + 1, excluded)?;
        names.into_iter().map(HostfileWhat::Exclude).collect()
    } else if let Some(relative) = name.strip_prefix('+') {
        let read = read_relative(relative);
        vec![
            match read.or_else(|fault| bad_host(line, start, name, fault))? {
                HostEntry::Nth(nth) => HostfileWhat::Nth(nth),
                HostEntry::Empty(count) => HostfileWhat::Empty(count),
                HostEntry::Names(names, _) => HostfileWhat::Name(names),
            },
        ]
    } else {
        let bare = match counted_in_name(name) {
            Some(_) => name.rsplit_once(':').map_or(name, |(bare, _)| bare),
            None => name,
        };
        let names = node_names(line, start, bare)?;
        names.into_iter().map(HostfileWhat::Name).collect()
    };
    let mut counts = read_keys(line, name, cursor)?;
    if let Some(slots) = counted_in_name(name) {
        if counts.slots.is_some() {
            return line.bad(start, start + name.len(), "the slots are given twice");
        }
        counts.slots = Some(slots);
    }
    if let Some((user, _)) = name.split_once('@') {
        counts.login.user = user.trim_start_matches('^').to_owned();
    }
    lines.extend(named.into_iter().map(|what| says(what, &counts)));
    Ok(())
}

/// The slots of `name:N`, as Hydra and `-H` write them. An address with colons is a name.
fn counted_in_name(name: &str) -> Option<u32> {
    let (host, count) = name.rsplit_once(':')?;
    let digits = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    if host.contains(':') || !digits || host.starts_with(['^', '+']) {
        return None;
    }
    count.parse().ok()
}

/// What the keys of a line say.
#[derive(Clone, Default)]
struct Counts {
    slots: Option<u32>,
    max_slots: Option<u32>,
    login: Written,
}

/// Reads a name with its brackets.
fn take_name<'a>(line: Line<'a>, cursor: &mut Cursor<'a>) -> &'a str {
    let start = cursor.position();
    cursor.take_while(in_name);
    while cursor.eat("[").is_some() {
        cursor.take_while(|c| c.is_ascii_digit() || matches!(c, '-' | ','));
        cursor.eat("]");
        cursor.take_while(in_name);
    }
    line.text.get(start..cursor.position()).unwrap_or_default()
}

/// The names that a name stands for. It may have a user in front, and numbers in brackets.
fn node_names(line: Line<'_>, start: usize, name: &str) -> Result<Vec<NameRange>, SpecError> {
    let Some(open) = name.find('[') else {
        return node_name(line, start, name).map(|name| vec![name]);
    };
    // The text around the brackets must be a name, too: perhaps a user, one @ at most, only characters of names.
    let mut inside = false;
    let around = name.chars().map(|c| {
        inside = c == '[' || (inside && c != ']');
        if inside || c == ']' { '0' } else { c }
    });
    node_name(line, start, &around.collect::<String>())?;
    let host = name.split_once('@').map_or(name, |(_, host)| host);
    let names = if open < name.len() - host.len() {
        Err(HostFault::Syntax("a range cannot be used in a user's name"))
    } else {
        read_names(host, Ranges::BeforeDomain)
    };
    match names {
        Ok(names) if names.is_empty() => {
            line.bad(start, start + name.len(), "this is no node's name")
        }
        Ok(names) => Ok(names),
        Err(fault) => bad_host(line, start, name, fault),
    }
}

/// Refuses a name, or an entry behind `+`.
fn bad_host<T>(line: Line<'_>, start: usize, name: &str, fault: HostFault) -> Result<T, SpecError> {
    let what = match fault {
        HostFault::Syntax(what) => what,
        HostFault::TooMany(_) => "too many nodes",
    };
    line.bad(start, start + name.len(), what)
}

/// Reads a name, perhaps with a user in front.
fn node_name(line: Line<'_>, start: usize, name: &str) -> Result<NameRange, SpecError> {
    let bad = |what| line.bad(start, start + name.len(), what);
    let host = match name.split_once('@') {
        None => name,
        Some((_, host)) if host.contains('@') => return bad("a name has one @ at most"),
        Some((_, host)) => host,
    };
    let named = plain(host);
    if host.is_empty() || host.starts_with('.') || host.contains(['^', '*', '+', '~', '%']) {
        return bad("this is no node's name");
    }
    if host.contains(':') && host.parse::<std::net::IpAddr>().is_err() {
        return bad("this is no node's name; slots are written slots=N");
    }
    Ok(named)
}

/// Reads `rank INT = NAME`; the rest of the line is ignored.
fn ranked(line: Line<'_>, mut cursor: Cursor<'_>) -> Result<HostfileWhat, SpecError> {
    cursor.skip_blanks();
    let number = cursor.number();
    cursor.skip_blanks();
    if number.is_none() || cursor.eat("=").is_none() {
        let at = cursor.position();
        return line.bad(at, at + 1, "a rank is written rank 0=NAME");
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let name = cursor.take_while(in_name);
    node_name(line, start, name).map(HostfileWhat::Ranked)
}

/// Refuses a word without a key behind a name, with the line that was meant: a count of slots, if there is a number.
fn without_key(line: Line<'_>, name: &str, start: usize, word: &str) -> Result<Counts, SpecError> {
    let behind = line.text.get(start..).unwrap_or_default();
    let mut numbers = behind
        .split([' ', '\t', ':'])
        .filter(|part| !part.is_empty());
    let number = numbers
        .next()
        .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let help = match number {
        Some(number) => format!("the line that was meant: {name} slots={number}"),
        None => format!("leave it out: {name}, or {name} slots=N"),
    };
    line.meant(
        (start, start + word.len()),
        "a word without a key says nothing",
        help,
    )
}

/// Reads the keys behind a name.
fn read_keys(line: Line<'_>, name: &str, mut cursor: Cursor<'_>) -> Result<Counts, SpecError> {
    let mut counts = Counts::default();
    loop {
        cursor.skip_blanks();
        if cursor.is_done() {
            return Ok(counts);
        }
        let start = cursor.position();
        let word = cursor.take_while(in_name);
        if word.is_empty() {
            return line.bad(start, start + 1, "this character has no meaning here");
        }
        let mut ahead = cursor;
        ahead.skip_blanks();
        if ahead.eat("=").is_none() {
            return without_key(line, name, start, word);
        }
        ahead.skip_blanks();
        let value_start = ahead.position();
        let value = ahead.take_while(in_name);
        let value_end = ahead.position();
        cursor = ahead;
        let count = || match value.parse::<u32>() {
            Ok(count) if value.bytes().all(|b| b.is_ascii_digit()) => Ok(count),
            Ok(_) | Err(_) => {
                let end = value_end.max(value_start + 1);
                line.bad(value_start, end, "a number is expected here")
            }
        };
        match word.replace('-', "_").as_str() {
            "slots" | "cpu" | "count" => {
                if counts.slots.is_some() {
                    return line.bad(start, value_end, "the slots are given twice");
                }
                let slots = count()?;
                counts.slots = Some(slots);
                counts.max_slots = counts.max_slots.map(|max| max.max(slots));
            }
            "max_slots" | "slots_max" | "max_cpu" | "cpu_max" | "max_count" | "count_max" => {
                let max = count()?;
                if counts.slots.is_some_and(|slots| max < slots) {
                    return line.bad(start, value_end, "max_slots is below slots");
                }
                counts.max_slots = Some(max);
            }
            "port" if !value.is_empty() => value.clone_into(&mut counts.login.port),
            "username" | "user_name" if !value.is_empty() => {
                value.clone_into(&mut counts.login.user);
            }
            _ => return line.bad(start, value_end, "this is no key of a hostfile"),
        }
    }
}
