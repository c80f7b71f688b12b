//! Networks in words: `dragonfly group:4 switch:4 node:4 n[0-63]`, `torus 4x4x2 w[01-32]`.

use super::grid::{Part, count, dims, filling};
use super::rows::{Row, Tops};
use super::{
    BadNetwork, Kind, LEVELS_MAX, NODES_MAX, Network, SWITCHES_MAX, grid, host_list, level_words,
    rows,
};
use std::collections::VecDeque;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::digits;

/// Words that begin a network, and what they make.
const KINDS: &[(&str, Kind)] = &[
    ("tree", Kind::Tree),
    ("dragonfly", Kind::Dragonfly),
    ("dragonfly+", Kind::DragonflyPlus),
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
];

/// A level of a part: its word, and how many a parent has.
type Counted = (String, u32);

/// Reads a network in words.
///
/// # Errors
/// The first wrong word.
pub(super) fn read(text: &str) -> Result<Network, BadNetwork> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let bad = |why: String| BadNetwork::told(format!("--network {text}: {why}"));
    let named = words
        .first()
        .and_then(|word| KINDS.iter().find(|kind| kind.0 == *word));
    let kind = named.map_or(Kind::Tree, |named| named.1);
    if named.is_some() {
        words.remove(0);
    }
    let Some(hosts) = words
        .pop()
        .filter(|last| !last.contains(':') && *last != "+")
    else {
        return Err(bad(
            "no hosts are at its end, as in switch:2 node:4 n[0-7]".to_owned()
        ));
    };
    let hosts = host_list::read(hosts).map_err(bad)?;
    if count(&hosts) > u64::from(NODES_MAX) {
        return Err(bad(format!(
            "it has {} hosts, at most {NODES_MAX} are possible",
            count(&hosts)
        )));
    }
    match kind {
        Kind::Torus | Kind::Mesh => {
            let [sizes] = words[..] else {
                return Err(bad(format!(
                    "{} takes sizes and hosts: {0} 4x4x2 n[01-32]",
                    kind.word()
                )));
            };
            let Some(dims) = dims(sizes) else {
                return Err(bad(format!(
                    "{sizes} is no size of a {} such as 4x4x2",
                    kind.word()
                )));
            };
            let cells: u64 = dims.iter().map(|&size| u64::from(size)).product();
            if cells != count(&hosts) {
                return Err(bad(format!(
                    "{sizes} has {cells} places, and {} hosts are given",
                    count(&hosts)
                )));
            }
            let part = Part {
                name: kind.word().to_owned(),
                dims,
                nodes: filling(hosts),
                line: 0,
            };
            grid::network(kind, &[part], "torus", text)
        }
        Kind::Tree | Kind::Dragonfly | Kind::DragonflyPlus | Kind::Ring => {
            let parts = parts(&words, kind).map_err(bad)?;
            let mut network = dealt(&parts, hosts, text)?;
            network.kind = kind;
            Ok(network)
        }
    }
}

/// The parts between `+`.
fn parts(words: &[&str], kind: Kind) -> Result<Vec<Vec<Counted>>, String> {
    let mut found: Vec<Vec<Counted>> = Vec::new();
    for part in words.split(|word| *word == "+") {
        let mut levels: Vec<Counted> = Vec::new();
        for word in part {
            let Some((name, number)) = word.split_once(':') else {
                return Err(format!("{word} is no level with a count, as switch:4"));
            };
            let Some(number) = digits::number(number).filter(|&number| number > 0) else {
                return Err(format!("{word}: the count goes from 1"));
            };
            if levels.len() > LEVELS_MAX {
                return Err(format!("at most {LEVELS_MAX} levels are possible"));
            }
            if levels.last().is_some_and(|last| last.0 == "node") {
                return Err(format!("{word} comes after node:, which is the last level"));
            }
            if name != "node" {
                level_words::check(name)?;
            }
            if levels.iter().any(|level| level.0 == name) {
                return Err(format!("level {name} is given twice"));
            }
            levels.push((name.to_owned(), number));
        }
        if levels.last().is_none_or(|last| last.0 != "node") {
            return Err("node:COUNT must be the last level of each part".to_owned());
        }
        if levels.len() < 2 {
            return Err("a level above node: is missing, as in switch:2 node:4".to_owned());
        }
        if kind != Kind::Tree && levels[0].0 != "group" {
            return Err(format!(
                "a {} begins with group:, not with {}:",
                kind.word(),
                levels[0].0
            ));
        }
        let first = found.first().unwrap_or(&levels);
        let other = levels
            .iter()
            .map(|level| &level.0)
            .ne(first.iter().map(|level| &level.0));
        if let Some((_, name)) = levels
            .iter()
            .zip(first)
            .map(|(own, first)| (own.0 != first.0, &own.0))
            .find(|other| other.0)
            && other
        {
            return Err(format!(
                "the parts have other levels: {name} here, another word in the first part"
            ));
        }
        if other {
            return Err(format!(
                "the parts have {} and {} levels",
                first.len(),
                levels.len()
            ));
        }
        found.push(levels);
    }
    Ok(found)
}

/// Deals hosts, in order, to the objects of the lowest level.
fn dealt(parts: &[Vec<Counted>], hosts: Vec<NameRange>, text: &str) -> Result<Network, BadNetwork> {
    let bad = |why: String| BadNetwork::told(format!("--network {text}: {why}"));
    let depth = parts[0].len() - 1;
    let places: u64 = parts
        .iter()
        .map(|part| {
            part.iter()
                .fold(1_u64, |all, level| all.saturating_mul(u64::from(level.1)))
        })
        .sum();
    let wanted = count(&hosts);
    if wanted > places {
        return Err(bad(format!(
            "it has {places} places for nodes, and {wanted} hosts are given"
        )));
    }
    let mut hosts: VecDeque<NameRange> = hosts.into();
    let mut counters = vec![0_u64; depth];
    let mut built = Vec::new();
    'parts: for part in parts {
        let sizes: Vec<u64> = part.iter().map(|level| u64::from(level.1)).collect();
        let leaves = sizes[..depth]
            .iter()
            .fold(1_u64, |all, &size| all.saturating_mul(size));
        // Leaves below one object of each level.
        let below = |level: usize| {
            sizes[level + 1..depth]
                .iter()
                .fold(1_u64, |all, &size| all.saturating_mul(size))
        };
        for leaf in 0..leaves {
            if hosts.is_empty() {
                break 'parts;
            }
            if built.len() * depth >= SWITCHES_MAX {
                return Err(bad(format!("it has more than {SWITCHES_MAX} switches")));
            }
            let objects = (0..depth)
                .map(|level| format!("{}{}", part[level].0, counters[level] + leaf / below(level)));
            let objects: Vec<String> = objects.collect();
            let nodes = take(&mut hosts, part[depth].1);
            built.push(Row {
                nodes,
                objects,
                line: 0,
            });
        }
        for level in 0..depth {
            counters[level] += sizes[..=level]
                .iter()
                .fold(1_u64, |all, &size| all.saturating_mul(size));
        }
    }
    let words: Vec<String> = parts[0][..depth]
        .iter()
        .map(|level| level.0.clone())
        .collect();
    rows::network(&built, &words, Tops::Kept, text)
}

/// Takes so many hosts from the front.
pub(super) fn take(hosts: &mut VecDeque<NameRange>, many: u32) -> Vec<NameRange> {
    let mut taken = Vec::new();
    let mut left = many;
    while left > 0 {
        let Some(mut range) = hosts.pop_front() else {
            break;
        };
        if range.count > left {
            let rest = NameRange {
                first: range.first + u64::from(left),
                count: range.count - left,
                ..range.clone()
            };
            hosts.push_front(rest);
            range.count = left;
        }
        left -= range.count;
        taken.push(range);
    }
    taken
}

/// A shape over hosts: a machine of the table.
pub(super) fn of_shape(shape: &str, hosts: &str) -> Result<Network, BadNetwork> {
    read(&format!("{shape} {hosts}"))
}
