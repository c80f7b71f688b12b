//! Sections 2 and 3: how GNU binds, and its places.

use super::team::Word;
use super::{Asked, Bound, By, Cpu, Set};

const WORDS: [&str; 5] = ["threads", "cores", "sockets", "ll_caches", "numa_domains"];

/// The words of a list, if all of its entries are words.
pub(super) fn bind_words(value: &str) -> Option<Vec<Word>> {
    let entries = value
        .split(',')
        .map(|entry| match entry.trim().to_ascii_lowercase().as_str() {
            "master" | "primary" => Some(Word::Primary),
            "close" => Some(Word::Close),
            "spread" => Some(Word::Spread),
            _ => None,
        });
    entries.collect()
}

pub(super) fn bound(asked: &Asked<'_>) -> Bound {
    let value = asked
        .var("OMP_PROC_BIND")
        .map(|value| value.trim().to_ascii_lowercase());
    let words = value.as_deref().and_then(bind_words);
    let truth = value.as_deref() == Some("true");
    if value.as_deref() == Some("false") {
        return Bound::Free(asked.mask.clone());
    }
    let places = asked.var("OMP_PLACES").and_then(|text| places(asked, text));
    let places = places.or_else(|| {
        asked
            .var("GOMP_CPU_AFFINITY")
            .and_then(|text| by_number(asked, text))
    });
    let said = truth || words.is_some();
    let places = match places {
        Some(places) => places,
        None if said => by_word(asked, "threads"),
        None => return Bound::Free(asked.mask.clone()),
    };
    let words = words.unwrap_or_else(|| vec![Word::Close]);
    let places = places
        .into_iter()
        .map(|place| (place.clone(), place))
        .collect();
    Bound::Places(places, By::Words(words), None)
}

fn places(asked: &Asked<'_>, text: &str) -> Option<Vec<Set>> {
    let bare: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let bare = bare.to_ascii_lowercase();
    let Some(word) = WORDS.iter().find(|word| bare.starts_with(**word)) else {
        return list(asked, &bare);
    };
    let rest = &bare[word.len()..];
    let mut found = by_word(asked, word);
    if !rest.is_empty() {
        let number = rest.strip_prefix('(')?.strip_suffix(')')?;
        let number: usize = number.parse().ok()?;
        if number == 0 {
            return None;
        }
        found.truncate(number);
    }
    Some(found)
}

/// Objects in the order in which a walk over the mask meets them.
fn walk(asked: &Asked<'_>, of: impl Fn(&Cpu) -> (u32, u32)) -> Vec<Set> {
    let mut met: Vec<((u32, u32), Set)> = Vec::new();
    for cpu in asked.mask.iter().filter_map(|&os| asked.hardware.cpu(os)) {
        match met.iter_mut().find(|(own, _)| *own == of(cpu)) {
            Some((_, set)) => {
                set.insert(cpu.os);
            }
            None => met.push((of(cpu), Set::from([cpu.os]))),
        }
    }
    met.into_iter().map(|(_, set)| set).collect()
}

fn by_word(asked: &Asked<'_>, word: &str) -> Vec<Set> {
    let cores = walk(asked, |cpu| (cpu.package, cpu.core));
    match word {
        "cores" => cores,
        "threads" => cores
            .iter()
            .flatten()
            .map(|&cpu| Set::from([cpu]))
            .collect(),
        "sockets" => walk(asked, |cpu| (cpu.package, 0)),
        "numa_domains" => {
            let mut nodes = walk(asked, |cpu| (cpu.numa, 0));
            nodes.sort_by_key(|set| {
                set.first()
                    .and_then(|&os| asked.hardware.cpu(os))
                    .map(|cpu| cpu.numa)
            });
            nodes
        }
        _ => {
            let lowest = asked.mask.first().and_then(|&os| asked.hardware.cpu(os));
            let cache = lowest.map_or(0, |cpu| cpu.caches[2]);
            let own = asked
                .hardware
                .cpus
                .iter()
                .filter(|cpu| cpu.caches[2] == cache);
            vec![
                own.map(|cpu| cpu.os)
                    .filter(|os| asked.mask.contains(os))
                    .collect(),
            ]
        }
    }
}

/// The smallest number that no cpu may have.
fn limit(asked: &Asked<'_>) -> i64 {
    let last = asked.mask.last().copied().unwrap_or(0);
    i64::from((last / 64 + 1) * 64)
}

fn list(asked: &Asked<'_>, text: &str) -> Option<Vec<Set>> {
    let limit = limit(asked);
    let within = |place: &Vec<i64>| place.iter().all(|cpu| (0..limit).contains(cpu));
    let mut all: Vec<Vec<i64>> = Vec::new();
    for part in super::llvm::split_places(text) {
        let (out, part) = match part.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, part),
        };
        let (place, times) = match part.strip_prefix('{') {
            Some(rest) => {
                let (inside, behind) = rest.split_once('}')?;
                (braces(inside)?, behind)
            }
            None => {
                let end = part.find(':').unwrap_or(part.len());
                (vec![part[..end].parse().ok()?], &part[end..])
            }
        };
        let times: Option<Vec<i64>> = times
            .split(':')
            .skip(1)
            .map(|number| number.parse().ok())
            .collect();
        let times = times?;
        if !within(&place) || times.len() > 2 {
            return None;
        }
        if out {
            if !times.is_empty() {
                return None;
            }
            let mut own = place.clone();
            own.sort_unstable();
            let at = all.iter().position(|known| *known == own)?;
            all.remove(at);
            continue;
        }
        let count = times.first().copied().unwrap_or(1);
        let stride = times.get(1).copied().unwrap_or(1);
        if !(1..65536).contains(&count) {
            return None;
        }
        for copy in 0..count {
            let mut own: Vec<i64> = place.iter().map(|cpu| cpu + copy * stride).collect();
            if !within(&own) {
                return None;
            }
            own.sort_unstable();
            all.push(own);
        }
    }
    let cut = all.into_iter().map(|place| -> Set {
        let own = place.into_iter().filter_map(|cpu| u32::try_from(cpu).ok());
        own.filter(|cpu| asked.mask.contains(cpu)).collect()
    });
    let places: Vec<Set> = cut.filter(|place| !place.is_empty()).collect();
    (!places.is_empty()).then_some(places)
}

fn braces(text: &str) -> Option<Vec<i64>> {
    let mut cpus: Vec<i64> = Vec::new();
    for part in text.split(',') {
        if let Some(number) = part.strip_prefix('!') {
            let number: i64 = number.parse().ok()?;
            let at = cpus.iter().position(|&cpu| cpu == number)?;
            cpus.remove(at);
            continue;
        }
        let numbers: Option<Vec<i64>> = part.split(':').map(|number| number.parse().ok()).collect();
        let (first, len, stride) = match *numbers?.as_slice() {
            [first] => (first, 1, 1),
            [first, len] => (first, len, 1),
            [first, len, stride] => (first, len, stride),
            _ => return None,
        };
        if len < 1 {
            return None;
        }
        for step in 0..len {
            let cpu = first + step * stride;
            if !cpus.contains(&cpu) {
                cpus.push(cpu);
            }
        }
    }
    Some(cpus)
}

/// GOMP_CPU_AFFINITY: a place for each cpu, in order.
fn by_number(asked: &Asked<'_>, text: &str) -> Option<Vec<Set>> {
    let limit = limit(asked);
    let mut places = Vec::new();
    for item in text.split([' ', ',']).filter(|item| !item.is_empty()) {
        let (range, step) = item.split_once(':').unwrap_or((item, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last, step): (i64, i64, i64) =
            (first.parse().ok()?, last.parse().ok()?, step.parse().ok()?);
        if first > last || step < 1 || last >= 65536 {
            return None;
        }
        let mut cpu = first;
        while cpu <= last {
            if cpu < limit {
                places.push(Set::from([u32::try_from(cpu).ok()?]));
            }
            cpu += step;
        }
    }
    (!places.is_empty()).then_some(places)
}
