//! Reads hwloc's synthetic strings, as `package:2 core:4 pu:2(indexes=…)`. It knows enough of them for every test machine.

use crate::cpus::Cpus;
use crate::machine::{Machine, Object};
use stowplan_engine::policy::ObjKind;

/// What a level makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// Objects of a kind.
    Objects(ObjKind),
    /// Groups and instruction caches; they are not objects here.
    Nothing,
}

/// One level of the string.
struct Level {
    /// What it makes.
    makes: Makes,
    /// How many below each object of the level above.
    count: u32,
    /// The value of `indexes=`.
    indexes: Option<String>,
    /// Whether it is memory attached to each object of the level above (`[numa]`) and no level of the tree.
    attached: bool,
}

/// Reads a synthetic string; the PUs of `without` are not used. `None` when it is not a string that we know.
#[must_use]
pub fn read(text: &str, without: &[u32]) -> Option<Machine> {
    let levels = levels(text)?;
    let tree: Vec<&Level> = levels.iter().filter(|level| !level.attached).collect();
    let pus: u32 = tree.iter().map(|level| level.count).product();
    let pu_os = os_numbers(tree.last()?, pus)?;
    let usable = |range: std::ops::Range<u32>| -> Cpus {
        let os = range.map(|pu| pu_os[pu as usize]);
        os.filter(|os| !without.contains(os)).collect()
    };
    let mut found: Vec<(u32, u32, Object)> = Vec::new();
    let mut total = 1;
    for level in &levels {
        let objects = total * level.count;
        // Memory in brackets belongs to the objects of the level above and has all their cpus.
        let places = if level.attached { total } else { objects };
        let (os, width) = (os_numbers(level, objects)?, pus / places);
        for (i, &os) in (0..).zip(&os) {
            let first = i / (objects / places) * width;
            let cpus = usable(first..first + width);
            if let Makes::Objects(kind) = level.makes
                && (kind == ObjKind::Numa || !cpus.is_empty())
            {
                let (logical, os) = (0, Some(os));
                found.push((
                    first + width,
                    width,
                    Object {
                        kind,
                        logical,
                        os,
                        cpus,
                    },
                ));
            }
        }
        if !level.attached {
            total = objects;
        }
    }
    if !levels
        .iter()
        .any(|level| level.makes == Makes::Objects(ObjKind::Numa))
    {
        let (kind, cpus, logical, os) = (ObjKind::Numa, usable(0..pus), 0, Some(0));
        found.push((
            pus,
            pus,
            Object {
                kind,
                logical,
                os,
                cpus,
            },
        ));
    }
    // Memory in brackets is numbered in tree order, over all its levels together.
    let hung = levels.iter().any(|level| level.attached);
    // Memory below an object's children comes before the object's own memory: sort by the end, then the narrower first.
    found.sort_by_key(|&(end, width, _)| (end, width));
    let mut objects: Vec<Object> = found.into_iter().map(|(_, _, object)| object).collect();
    let numas = objects
        .iter_mut()
        .filter(|object| object.kind == ObjKind::Numa);
    if hung {
        (0..).zip(numas).for_each(|(os, numa)| numa.os = Some(os));
    }
    Machine::new(objects)
}

fn levels(text: &str) -> Option<Vec<Level>> {
    let mut levels = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = word_end(rest);
        let (word, behind) = rest.split_at(end);
        rest = behind.trim_start();
        let attached = word.starts_with('[');
        let word = word.trim_start_matches('[').trim_end_matches(']');
        let (word, attributes) = word.split_once('(').unwrap_or((word, ""));
        let (name, count) = word.split_once(':').unwrap_or((word, "1"));
        let indexes = attributes
            .trim_end_matches(')')
            .split(' ')
            .find_map(|attribute| attribute.strip_prefix("indexes="));
        levels.push(Level {
            makes: kind_of(name)?,
            count: count.parse().ok().filter(|&count| count > 0)?,
            indexes: indexes.map(str::to_owned),
            attached,
        });
    }
    Some(levels)
}

/// Where a word ends: at a blank outside parentheses and brackets.
fn word_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn kind_of(name: &str) -> Option<Makes> {
    Some(match name.to_ascii_lowercase().as_str() {
        "group" | "l1i" | "l2i" | "l3i" => Makes::Nothing,
        "package" | "socket" | "pack" => Makes::Objects(ObjKind::Package),
        "die" => Makes::Objects(ObjKind::Die),
        "numa" | "numanode" | "node" => Makes::Objects(ObjKind::Numa),
        "l5" | "l5cache" => Makes::Objects(ObjKind::L5),
        "l4" | "l4cache" => Makes::Objects(ObjKind::L4),
        "l3" | "l3cache" => Makes::Objects(ObjKind::L3),
        "l2" | "l2cache" => Makes::Objects(ObjKind::L2),
        "l1" | "l1cache" | "l1d" => Makes::Objects(ObjKind::L1),
        "core" => Makes::Objects(ObjKind::Core),
        "pu" => Makes::Objects(ObjKind::Hwthread),
        _ => return None,
    })
}

/// OS numbers of a level with `total` objects. In `a*b:c*d` each loop goes through `b` (`d`) values in steps of `a` (`c`) objects.
fn os_numbers(level: &Level, total: u32) -> Option<Vec<u32>> {
    let Some(text) = &level.indexes else {
        return Some((0..total).collect());
    };
    if !text.contains('*') {
        let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
        return numbers.filter(|numbers| numbers.len() == total as usize);
    }
    let mut numbers = vec![0; total as usize];
    let mut weight = 1;
    for part in text.split(':') {
        let (step, count) = part.split_once('*')?;
        let (step, count): (u32, u32) = (step.parse().ok()?, count.parse().ok()?);
        if step == 0 || count == 0 {
            return None;
        }
        for (i, number) in (0..).zip(&mut numbers) {
            *number += i / step % count * weight;
        }
        weight *= count;
    }
    Some(numbers)
}
