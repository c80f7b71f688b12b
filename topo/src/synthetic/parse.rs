//! Reads the text of a description into levels.

use super::{Description, Fault, Level};
use crate::error::SyntheticFault;
use crate::kind::{self, Holds, Kind};
use std::ops::Range;
use stowplan_engine::limit::{OBJECTS_MAX, PUS_MAX};

/// The most levels of a description, including the machine and the PUs. hwloc has the same bound.
const LEVELS_MAX: u32 = 128;

/// Reads a whole description. Cost: linear in the text, whatever it describes.
pub(super) fn description(text: &[u8]) -> Result<Description, Fault> {
    let mut at = 0;
    let mut root = Level {
        kind: Some(Kind::Machine),
        group_depth: None,
        width: 1,
        at: 0,
        indexes: None,
        attached: 0,
    };
    if text.first() == Some(&b'(') {
        (root.indexes, at) = attributes(text, 1, Some(Kind::Machine))?;
    }
    let mut found = Description {
        levels: vec![root],
        attached_indexes: None,
        attached: 0,
    };
    loop {
        while matches!(text.get(at), Some(b' ' | b'\n')) {
            at += 1;
        }
        at = match text.get(at) {
            None => break,
            Some(b'[') => attached(text, at, &mut found)?,
            Some(_) => level(text, at, &mut found)?,
        };
    }
    finish(text, &mut found)?;
    Ok(found)
}

/// Reads one level, `core:8(indexes=…)` or a bare number. Returns where the text after it starts.
fn level(text: &[u8], start: usize, found: &mut Description) -> Result<usize, Fault> {
    let mut at = start;
    let (mut kind, mut group_depth) = (None, None);
    if !text[at].is_ascii_digit() {
        let named = level_kind(text, at)?;
        group_depth = group_number(text, at).filter(|_| named == Kind::Group);
        kind = Some(named);
        let colon = text[at..].iter().position(|&byte| byte == b':');
        let word = || word_at(text, start);
        at += 1 + colon.ok_or_else(|| (start, SyntheticFault::NoColon { word: word() }))?;
    }
    let (objects, after) = number(text, at).ok_or((at, SyntheticFault::NoNumber))?;
    if objects == 0 {
        return Err((at, SyntheticFault::NoNumber));
    }
    let width = match found.levels.last() {
        Some(above) => u64::from(above.width).saturating_mul(objects),
        None => objects,
    };
    let width = bounded("PUs", width, PUS_MAX).map_err(|fault| (at, fault))?;
    at = after;
    let mut indexes = None;
    if text.get(at) == Some(&b'(') {
        (indexes, at) = attributes(text, at + 1, kind)?;
    }
    found.levels.push(Level {
        kind,
        group_depth,
        width,
        at: start,
        indexes,
        attached: 0,
    });
    let levels = found.levels.len() as u64;
    bounded("levels", levels, LEVELS_MAX).map_err(|fault| (start, fault))?;
    Ok(at)
}

fn level_kind(text: &[u8], at: usize) -> Result<Kind, Fault> {
    let rest = &text[at..];
    let word = || word_at(text, at);
    match kind::scan(rest) {
        Some(
            kind @ (Kind::Package
            | Kind::Die
            | Kind::Numa
            | Kind::Cache(..)
            | Kind::Core
            | Kind::Pu
            | Kind::Group),
        ) => Ok(kind),
        Some(
            Kind::Machine
            | Kind::MemCache
            | Kind::Misc
            | Kind::Bridge
            | Kind::PciDevice
            | Kind::OsDevice,
        ) => Err((
            at,
            SyntheticFault::KindNotHere {
                word: word(),
                place: "a level",
            },
        )),
        // hwloc reserves these words for kinds that it may have one day.
        None if rest.starts_with(b"Tile") || rest.starts_with(b"Module") => Ok(Kind::Group),
        None => Err((at, SyntheticFault::UnknownKind { word: word() })),
    }
}

/// Reads attached memory, `[numa(memory=4GB)]`. Returns where the text after it starts.
fn attached(text: &[u8], start: usize, found: &mut Description) -> Result<usize, Fault> {
    let at = start + 1;
    let rest = &text[at..];
    let word = || word_at(text, at);
    match kind::scan(rest) {
        Some(Kind::Numa) => {}
        Some(_) => {
            let place = "attached memory";
            return Err((
                at,
                SyntheticFault::KindNotHere {
                    word: word(),
                    place,
                },
            ));
        }
        None => return Err((at, SyntheticFault::UnknownKind { word: word() })),
    }
    let close = rest.iter().position(|&byte| byte == b']');
    let close = close.ok_or((start, SyntheticFault::Unclosed { close: ']' }))?;
    if let Some(open) = rest[..close].iter().position(|&byte| byte == b'(') {
        let (indexes, _) = attributes(text, at + open + 1, Some(Kind::Numa))?;
        found.attached_indexes = indexes.or(found.attached_indexes.take());
    }
    if let Some(level) = found.levels.last_mut() {
        level.attached += 1;
        let attached = u64::from(found.attached) + u64::from(level.width);
        found.attached =
            bounded("objects", attached, OBJECTS_MAX).map_err(|fault| (start, fault))?;
    }
    Ok(at + close + 1)
}

/// Reads the text between brackets, from after `(` to after `)`. Returns where the value of `indexes=` is, and where the text after
/// the brackets starts. Sizes are ignored.
fn attributes(
    text: &[u8],
    start: usize,
    kind: Option<Kind>,
) -> Result<(Option<Range<usize>>, usize), Fault> {
    let close = text[start..].iter().position(|&byte| byte == b')');
    let close = start + close.ok_or((start - 1, SyntheticFault::Unclosed { close: ')' }))?;
    let (mut at, mut indexes) = (start, None);
    let is_cache = matches!(kind, Some(Kind::Cache(..)));
    while at < close {
        let rest = &text[at..close];
        let word = rest.iter().position(|&byte| byte == b' ');
        let word = word.unwrap_or(rest.len());
        if is_cache && rest.starts_with(b"size=") {
            at = size(text, at + "size=".len());
        } else if !is_cache && rest.starts_with(b"memory=") {
            at = size(text, at + "memory=".len());
        } else if rest.starts_with(b"memorysidecachesize=") {
            at = size(text, at + "memorysidecachesize=".len());
        } else if rest.starts_with(b"indexes=") {
            indexes = Some(at + "indexes=".len()..at + word);
            at += word;
        } else {
            let word = lossy(&rest[..word]);
            return Err((at, SyntheticFault::UnknownAttribute { word }));
        }
        match text.get(at) {
            Some(b' ') => at += 1,
            Some(b')') => {}
            Some(_) | None => return Err((at, SyntheticFault::NoSeparator)),
        }
    }
    Ok((indexes, close + 1))
}

/// Skips a size in bytes, with or without a unit. Returns where it ends.
fn size(text: &[u8], start: usize) -> usize {
    let at = number(text, start).map_or(start, |(_, after)| after);
    let units: [&[u8]; 8] = [b"tb", b"tib", b"gb", b"gib", b"mb", b"mib", b"kb", b"kib"];
    let rest = &text[at..];
    let unit = units.iter().find(|unit| {
        rest.get(..unit.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(unit))
    });
    at + unit.map_or(0, |unit| unit.len())
}

/// Reads a number as C does: spaces, then decimal, `0x` or octal. Returns the number (at most the largest `u64`) and where it ends,
/// or `None` if there is none.
pub(super) fn number(text: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut at = start;
    while matches!(text.get(at), Some(b' ' | b'\t'..=b'\r')) {
        at += 1;
    }
    if text.get(at) == Some(&b'+') {
        at += 1;
    }
    let digit = |at: usize, radix: u32| {
        text.get(at)
            .and_then(|&byte| char::from(byte).to_digit(radix))
    };
    let mut radix = 10;
    if text.get(at) == Some(&b'0') {
        radix = 8;
        if matches!(text.get(at + 1), Some(b'x' | b'X')) && digit(at + 2, 16).is_some() {
            (radix, at) = (16, at + 2);
        }
    }
    let first = at;
    let mut value: u64 = 0;
    while let Some(next) = digit(at, radix) {
        value = value
            .saturating_mul(u64::from(radix))
            .saturating_add(u64::from(next));
        at += 1;
    }
    (at > first).then_some((value, at))
}

/// The digits directly after the letters of a word: `1` of `group1:2`.
pub(super) fn group_number(text: &[u8], at: usize) -> Option<u32> {
    let letters = text[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic());
    let digits = at + letters.count();
    text.get(digits).filter(|byte| byte.is_ascii_digit())?;
    u32::try_from(number(text, digits)?.0).ok()
}

/// Settles the kinds of all levels, and checks that each is allowed where it is.
fn finish(text: &[u8], found: &mut Description) -> Result<(), Fault> {
    let end = text.len();
    let levels = &mut found.levels;
    let last = levels.len() - 1;
    if last == 0 {
        return Err((end, SyntheticFault::NoLevel));
    }
    match levels[last].kind {
        None => levels[last].kind = Some(Kind::Pu),
        Some(Kind::Pu) => {}
        Some(_) => {
            let (at, place) = (levels[last].at, "the last level, which is of PUs");
            let word = word_at(text, at);
            return Err((at, SyntheticFault::KindNotHere { word, place }));
        }
    }
    let once = [
        (Kind::Pu, "PUs"),
        (Kind::Package, "packages"),
        (Kind::Die, "dies"),
        (Kind::Numa, "NUMA nodes"),
        (Kind::Core, "cores"),
    ];
    for (kind, word) in once {
        let mut those = levels.iter().filter(|level| level.kind == Some(kind));
        if let Some(second) = those.nth(1) {
            return Err((second.at, SyntheticFault::TwoLevels { word }));
        }
    }
    let unnamed = levels.iter().filter(|level| level.kind.is_none()).count();
    if unnamed > 0 {
        if unnamed != last - 1 {
            let odd = levels[1..last].iter().find(|level| level.kind.is_some());
            let at = odd.map_or(end, |level| level.at);
            return Err((at, SyntheticFault::MixedLevels));
        }
        for (level, kind) in levels[1..last]
            .iter_mut()
            .zip(usual_kinds(unnamed, found.attached))
        {
            level.kind = Some(kind);
        }
    }
    let numa = levels.iter().find(|level| level.kind == Some(Kind::Numa));
    if let Some(level) = numa.filter(|_| found.attached > 0) {
        return Err((level.at, SyntheticFault::NumaTwice));
    }
    if numa.is_none() && found.attached == 0 {
        // hwloc puts one NUMA node above everything, and `indexes=numa:…` finds it.
        let mut whole = levels[0].clone();
        (whole.kind, whole.indexes) = (Some(Kind::Numa), None);
        levels.insert(1, whole);
    }
    count_groups(levels);
    check_caches(levels)?;
    let objects = levels.iter().map(|level| u64::from(level.width));
    let objects = objects.sum::<u64>() + u64::from(found.attached);
    bounded("objects", objects, OBJECTS_MAX).map_err(|fault| (0, fault))?;
    Ok(())
}

/// The kinds of levels without kinds, between machine and PUs. Kinds are chosen by this priority: NUMA (unless attached), package,
/// core, caches (L2, L1, L3, L1 of instructions), groups. They are put in this order: groups, package, NUMA, caches, core.
fn usual_kinds(levels: usize, attached: u32) -> Vec<Kind> {
    let mut left = levels;
    let mut take = |most: usize| {
        let taken = left.min(most);
        left -= taken;
        taken
    };
    let numa = take(usize::from(attached == 0));
    let (package, core, caches) = (take(1), take(1), take(4));
    let data = |level| Kind::Cache(level, Holds::Data);
    let instructions = Kind::Cache(1, Holds::Instructions);
    let caches: &[Kind] = match caches {
        0 => &[],
        1 => &[data(2)],
        2 => &[data(2), data(1)],
        3 => &[data(3), data(2), data(1)],
        _ => &[data(3), data(2), data(1), instructions],
    };
    let mut kinds = vec![Kind::Group; left];
    kinds.extend(std::iter::repeat_n(Kind::Package, package));
    kinds.extend(std::iter::repeat_n(Kind::Numa, numa));
    kinds.extend(caches);
    kinds.extend(std::iter::repeat_n(Kind::Core, core));
    kinds
}

/// Gives a depth to groups without one, so that `indexes=group1:…` finds them. The outermost group gets the highest depth.
fn count_groups(levels: &mut [Level]) {
    let groups = levels
        .iter()
        .filter(|level| level.kind == Some(Kind::Group))
        .count();
    let mut depth = u32::try_from(groups).unwrap_or(LEVELS_MAX);
    let unsaid = levels
        .iter_mut()
        .filter(|level| level.kind == Some(Kind::Group) && level.group_depth.is_none());
    for level in unsaid {
        level.group_depth = Some(depth);
        depth = depth.saturating_sub(1);
    }
}

/// Refuses two levels of one cache with different PUs, which our tables cannot list. If they have the same PUs, hwloc makes them
/// one object.
fn check_caches(levels: &[Level]) -> Result<(), Fault> {
    for (row, level) in levels.iter().enumerate() {
        let Some(Kind::Cache(number, Holds::Data)) = level.kind else {
            continue;
        };
        let outer = levels[..row].iter().find(|outer| outer.kind == level.kind);
        if outer.is_some_and(|outer| outer.width != level.width) {
            let words = [
                "L1 caches",
                "L2 caches",
                "L3 caches",
                "L4 caches",
                "L5 caches",
            ];
            let word = words.get(usize::from(number) - 1).unwrap_or(&"caches");
            return Err((level.at, SyntheticFault::TwoLevels { word }));
        }
    }
    Ok(())
}

fn bounded(what: &'static str, found: u64, limit: u32) -> Result<u32, SyntheticFault> {
    match u32::try_from(found) {
        Ok(fits) if fits <= limit => Ok(fits),
        Ok(_) | Err(_) => Err(SyntheticFault::TooLarge { what, found, limit }),
    }
}

/// The word at a place, cut to 40 bytes, for messages.
fn word_at(text: &[u8], at: usize) -> String {
    let ends = |byte: &u8| b" :[]()".contains(byte);
    let rest = &text[at..];
    let length = rest.iter().position(ends).unwrap_or(rest.len()).max(1);
    lossy(&rest[..length.min(40).min(rest.len())])
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
