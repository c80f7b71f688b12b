//! Hostfiles: what each line says, nothing looked up. Source: `semantics` 1.4.

use super::cursor::Cursor;
use super::hostlist::{HostFault, plain, read_names, read_relative};
use super::hosts::{HostEntry, Hostfile, HostfileLine, HostfileWhat, NameRange};
use super::lines::{Comments, Line, each_line, utf8};
use crate::error::SpecError;
use crate::error::spec::FileFault;
use crate::limit::HOST_PRODUCT_MAX;
use std::collections::HashMap;

/// How the slots of a node were said so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotsCounted {
    /// By naming it.
    ByName,
    /// By `slots=`.
    Given,
}

/// A hostfile, read whole.
///
/// # Errors
/// `bad-hostfile` with line and column: an unknown key, a second `@`, a quote or a character outside names, a count that
/// is no number, slots given twice for a node, `max_slots` below slots.
///
/// Cost: one pass over the bytes.
/// ```
/// use stowplan_engine::text::hostfile::read_hostfile;
/// assert_eq!(read_hostfile("h", b"a slots=4 # x").unwrap().lines[0].slots, Some(4));
/// assert_eq!(read_hostfile("h", b"a slot=4").unwrap_err().class(), "bad-hostfile");
/// ```
pub fn read_hostfile(path: &str, bytes: &[u8]) -> Result<Hostfile, SpecError> {
    let text = utf8(path, bytes).map_err(|(at, fault)| SpecError::BadHostfile { at, fault })?;
    let mut lines: Vec<HostfileLine> = Vec::new();
    let mut counted: HashMap<String, SlotsCounted> = HashMap::new();
    each_line(path, text, Comments::Blanked, |line| {
        let Some((read, more)) = read_line(line)? else {
            return Ok(());
        };
        // Lines of ranges are counted node by node, where nodes are known.
        if let HostfileWhat::Name(names) = &read.what
            && names.width == 0
        {
            let twice = match (counted.get(&names.prefix), read.slots) {
                (Some(_), Some(_)) => true,
                (None, Some(_)) => {
                    counted.insert(names.prefix.clone(), SlotsCounted::Given);
                    false
                }
                (None, None) => {
                    counted.insert(names.prefix.clone(), SlotsCounted::ByName);
                    false
                }
                (Some(SlotsCounted::ByName | SlotsCounted::Given), None) => false,
            };
            if twice {
                return bad(
                    line,
                    0,
                    line.text.len(),
                    "the slots of this node were counted before",
                );
            }
        }
        push_all(&mut lines, read, more);
        if lines.len() > bytes.len() + HOST_PRODUCT_MAX {
            return bad(line, 0, line.text.len(), TOO_MANY);
        }
        Ok(())
    })?;
    Ok(Hostfile {
        path: path.to_owned(),
        lines,
    })
}

/// What a file says that names more in brackets than may be.
const TOO_MANY: &str = "brackets come to more than 65536 names";

/// One line for each range of names that a line gives: they differ in nothing else.
fn push_all(lines: &mut Vec<HostfileLine>, first: HostfileLine, more: Vec<NameRange>) {
    let (slots, max_slots, line) = (first.slots, first.max_slots, first.line);
    let kind = match &first.what {
        HostfileWhat::Exclude(_) => HostfileWhat::Exclude,
        HostfileWhat::Ranked(_) => HostfileWhat::Ranked,
        HostfileWhat::Name(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => HostfileWhat::Name,
    };
    lines.push(first);
    lines.extend(more.into_iter().map(|range| HostfileLine {
        what: kind(range),
        slots,
        max_slots,
        line,
    }));
}

fn bad<T>(line: Line<'_>, start: usize, end: usize, what: &'static str) -> Result<T, SpecError> {
    Err(SpecError::BadHostfile {
        at: line.at(start, end),
        fault: FileFault::Syntax(what),
    })
}

/// Characters of names and words.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '*' | '^' | '@' | '~' | '%')
}

/// A line's name, and what its brackets name beside that.
type ReadLine = (HostfileLine, Vec<NameRange>);

fn read_line(line: Line<'_>) -> Result<Option<ReadLine>, SpecError> {
    let mut cursor = Cursor::new(line.text);
    cursor.skip_blanks();
    if cursor.is_done() {
        return Ok(None);
    }
    let start = cursor.position();
    let name = take_name(line, &mut cursor);
    let end = cursor.position();
    if name.is_empty() {
        return bad(line, start, start + 1, "a node's name must stand here");
    }
    let mut more = Vec::new();
    if name == "rank" {
        return ranked(line, cursor).map(|read| Some((read, Vec::new())));
    }
    let what = if let Some(excluded) = name.strip_prefix('^') {
        HostfileWhat::Exclude(node_names(line, start + 1, excluded, &mut more)?)
    } else if let Some(relative) = name.strip_prefix('+') {
        match read_relative(relative) {
            Ok(HostEntry::Nth(nth)) => HostfileWhat::Nth(nth),
            Ok(HostEntry::Empty(count)) => HostfileWhat::Empty(count),
            Ok(HostEntry::Names(..)) => return bad(line, start, end, "+ is followed by e or n"),
            Err(HostFault::Syntax(what)) => return bad(line, start, end, what),
            Err(HostFault::TooMany(_)) => return bad(line, start, end, "too many nodes"),
        }
    } else {
        HostfileWhat::Name(node_names(line, start, name, &mut more)?)
    };
    let mut read = HostfileLine {
        what,
        slots: None,
        max_slots: None,
        line: line.number,
    };
    read_keys(line, cursor, &mut read)?;
    Ok(Some((read, more)))
}

/// A name with its brackets.
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

/// A name, perhaps with a user in front and numbers in brackets; what these name beside the first range goes to `more`.
fn node_names(
    line: Line<'_>,
    start: usize,
    name: &str,
    more: &mut Vec<NameRange>,
) -> Result<NameRange, SpecError> {
    let Some(open) = name.find('[') else {
        return node_name(line, start, name);
    };
    // What stands around brackets is a name, too: a user, no second @, no character that names nothing.
    let inside = |at: usize| {
        name[..at]
            .rfind('[')
            .is_some_and(|open| !name[open..at].contains(']'))
    };
    let plain: String = name
        .char_indices()
        .map(|(at, c)| {
            if inside(at) || matches!(c, '[' | ']') {
                '0'
            } else {
                c
            }
        })
        .collect();
    node_name(line, start, &plain)?;
    let host = name.split_once('@').map_or(name, |(_, host)| host);
    let fault = if open < name.len() - host.len() {
        Err(HostFault::Syntax("a range cannot stand in a user's name"))
    } else {
        read_names(host)
    };
    let end = start + name.len();
    match fault {
        Ok(mut names) if !names.is_empty() => {
            let first = names.remove(0);
            *more = names;
            Ok(first)
        }
        Ok(_) => bad(line, start, end, "this is no node's name"),
        Err(HostFault::Syntax(what)) => bad(line, start, end, what),
        Err(HostFault::TooMany(_)) => bad(line, start, end, "too many nodes"),
    }
}

/// A name, perhaps with a user in front.
fn node_name(line: Line<'_>, start: usize, name: &str) -> Result<NameRange, SpecError> {
    let end = start + name.len();
    let host = match name.split_once('@') {
        None => name,
        Some((_, host)) if host.contains('@') => {
            return bad(line, start, end, "a name has one @ at most");
        }
        Some((_, host)) => host,
    };
    let named = plain(host);
    if named.prefix.is_empty() || host.contains(['^', '*', '+', '~', '%']) {
        return bad(line, start, end, "this is no node's name");
    }
    if host.contains(':') && host.parse::<std::net::IpAddr>().is_err() {
        return bad(
            line,
            start,
            end,
            "this is no node's name; slots are written slots=N",
        );
    }
    Ok(named)
}

/// `rank INT = NAME`, and whatever follows.
fn ranked(line: Line<'_>, mut cursor: Cursor<'_>) -> Result<HostfileLine, SpecError> {
    let syntax = "a rank is written rank 0=NAME";
    cursor.skip_blanks();
    let number = cursor.number();
    cursor.skip_blanks();
    if number.is_none() || cursor.eat("=").is_none() {
        return bad(line, cursor.position(), cursor.position() + 1, syntax);
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let name = cursor.take_while(in_name);
    let what = HostfileWhat::Ranked(node_name(line, start, name)?);
    Ok(HostfileLine {
        what,
        slots: None,
        max_slots: None,
        line: line.number,
    })
}

fn read_keys(
    line: Line<'_>,
    mut cursor: Cursor<'_>,
    read: &mut HostfileLine,
) -> Result<(), SpecError> {
    loop {
        cursor.skip_blanks();
        if cursor.is_done() {
            return Ok(());
        }
        let start = cursor.position();
        let word = cursor.take_while(in_name);
        if word.is_empty() {
            return bad(line, start, start + 1, "this character has no meaning here");
        }
        let mut ahead = cursor;
        ahead.skip_blanks();
        if ahead.eat("=").is_none() {
            continue; // A word or number without a key: ignored.
        }
        ahead.skip_blanks();
        let value_start = ahead.position();
        let value = ahead.take_while(in_name);
        let value_end = ahead.position();
        cursor = ahead;
        let count = || match value.parse::<u32>() {
            Ok(count) if value.bytes().all(|b| b.is_ascii_digit()) => Ok(count),
            Ok(_) | Err(_) => bad(
                line,
                value_start,
                value_end.max(value_start + 1),
                "a number must stand here",
            ),
        };
        match word.replace('-', "_").as_str() {
            "slots" | "cpu" | "count" => {
                if read.slots.is_some() {
                    return bad(line, start, value_end, "the slots are given twice");
                }
                let slots = count()?;
                read.slots = Some(slots);
                read.max_slots = read.max_slots.map(|max| max.max(slots));
            }
            "max_slots" | "slots_max" | "max_cpu" | "cpu_max" | "max_count" | "count_max" => {
                let max = count()?;
                if read.slots.is_some_and(|slots| max < slots) {
                    return bad(line, start, value_end, "max_slots is below slots");
                }
                read.max_slots = Some(max);
            }
            "port" | "username" | "user_name" if !value.is_empty() => {}
            _ => return bad(line, start, value_end, "this is no key of a hostfile"),
        }
    }
}
