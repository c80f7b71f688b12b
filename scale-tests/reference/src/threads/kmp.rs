//! Section 6: KMP_AFFINITY.

use super::layers::{Kind as Layer, Layers};
use super::{Asked, Bound, By, Set, balanced};

/// Its types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    None,
    Disabled,
    Compact,
    Scatter,
    Balanced,
    Explicit,
    Logical,
    Physical,
}

const KINDS: [(&str, Kind); 8] = [
    ("none", Kind::None),
    ("disabled", Kind::Disabled),
    ("compact", Kind::Compact),
    ("scatter", Kind::Scatter),
    ("balanced", Kind::Balanced),
    ("explicit", Kind::Explicit),
    ("logical", Kind::Logical),
    ("physical", Kind::Physical),
];

/// A value, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) kind: Option<Kind>,
    pub(super) whole: bool,
    once: bool,
    granularity: Option<String>,
    numbers: Vec<i64>,
    list: Option<Vec<Vec<i64>>>,
}

pub(super) fn read(text: &str) -> Said {
    let mut said = Said::default();
    let lower = text.to_ascii_lowercase();
    let (mut words, mut depth, mut word) = (Vec::new(), 0, String::new());
    for sign in lower.chars().chain([',']) {
        match sign {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                words.push(std::mem::take(&mut word));
                continue;
            }
            _ => {}
        }
        word.push(sign);
    }
    for word in words.iter().map(|word| word.trim()) {
        if let Some(list) = word.strip_prefix("proclist=[") {
            said.list = Some(items(list.trim_end_matches(']')));
        } else if let Some(size) = word.strip_prefix("granularity=") {
            said.granularity = Some(size.to_owned());
        } else if word == "norespect" {
            said.whole = true;
        } else if word == "noduplicates" {
            said.once = true;
        } else if let Ok(number) = word.parse() {
            said.numbers.push(number);
        } else if let Some((_, kind)) = KINDS.iter().find(|(own, _)| *own == word)
            && said.kind.is_none()
        {
            said.kind = Some(*kind);
        }
    }
    said
}

/// Items of a list, each the cpus of its entries: a set in braces is one entry, a range is one for each cpu.
pub(super) fn items(text: &str) -> Vec<Vec<i64>> {
    let text = text.replace(' ', ",");
    let mut found = Vec::new();
    for part in super::llvm::split_places(&text)
        .into_iter()
        .filter(|part| !part.is_empty())
    {
        if let Some(inside) = part.strip_prefix('{') {
            let inside = inside.trim_end_matches('}');
            found.push(
                inside
                    .split(',')
                    .filter_map(|number| number.trim().parse().ok())
                    .collect(),
            );
            continue;
        }
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last), Ok(step)) = (
            first.parse::<i64>(),
            last.parse::<i64>(),
            step.parse::<i64>(),
        ) else {
            continue;
        };
        let mut cpu = first;
        while if step > 0 { cpu <= last } else { cpu >= last } {
            found.push(vec![cpu]);
            cpu += step;
        }
    }
    found
}

/// The layer of the granularity.
pub(super) fn granularity(said: &Said, layers: &Layers) -> usize {
    let found = match said.granularity.as_deref() {
        Some("fine" | "thread") => Some(layers.thread()),
        Some("socket") => Some(0),
        Some("node") => layers.find(Layer::Numa),
        Some("l2_cache") => layers.find(Layer::L2),
        Some("l3_cache") => layers.find(Layer::L3),
        Some(_) | None => None,
    };
    found.unwrap_or_else(|| layers.core())
}

pub(super) fn bound(asked: &Asked<'_>, said: &Said, layers: &Layers, mask: &Set) -> Bound {
    let layer = granularity(said, layers);
    let depth = layers.kinds.len();
    let number = |at: usize| said.numbers.get(at).copied().unwrap_or(0);
    let permute = usize::try_from(number(0)).unwrap_or(0);
    let most = layers
        .objects(layers.core())
        .iter()
        .map(Set::len)
        .max()
        .unwrap_or(1);
    let most_offset = i64::try_from(most).unwrap_or(1);
    let (innermost, offset) = match said.kind {
        None | Some(Kind::None | Kind::Disabled) => return Bound::Free(mask.clone()),
        Some(Kind::Balanced) => return Bound::Balanced(balanced::Unit::of(layer, layers)),
        Some(Kind::Explicit) => {
            let list = said.list.clone().unwrap_or_default();
            return listed(&list, layer, layers, mask);
        }
        Some(Kind::Compact) => (permute.min(depth - 1), number(1)),
        Some(Kind::Scatter) if permute >= depth => (depth - 1, number(1)),
        Some(Kind::Scatter) => (depth - 1 - permute, number(1)),
        Some(Kind::Logical) => (0, number(0) * most_offset),
        Some(Kind::Physical) => (usize::from(most > 1), number(0) * most_offset),
    };
    let mut order: Vec<usize> = (0..layers.cpus.len()).collect();
    order.sort_by_key(|&at| {
        let within = &layers.cpus[at].within;
        let (outer, inner) = within[..depth].split_at(depth - innermost);
        let mut key: Vec<u32> = inner.iter().rev().copied().collect();
        key.extend(outer);
        key
    });
    let objects = layers.objects(layer);
    let mut places: Vec<Set> = Vec::new();
    for at in order {
        let os = layers.cpus[at].os;
        let group = objects.iter().find(|set| set.contains(&os));
        let group = group.cloned().unwrap_or_default();
        if !said.once || !places.contains(&group) {
            places.push(group);
        }
    }
    let covered: Set = places.iter().flatten().copied().collect();
    let covers = asked.rules.since(18).then_some(covered.len());
    let cpus = i64::try_from(layers.cpus.len()).unwrap_or(1);
    let offset = usize::try_from(offset.rem_euclid(cpus)).unwrap_or(0);
    let places = places.into_iter().map(|set| (set.clone(), set)).collect();
    Bound::Places(places, By::Number(offset), covers)
}

/// The places of a list of cpus.
pub(super) fn listed(list: &[Vec<i64>], layer: usize, layers: &Layers, mask: &Set) -> Bound {
    let objects = layers.objects(layer);
    let mut places = Vec::new();
    for item in list {
        let mut place = Set::new();
        for cpu in item.iter().filter_map(|&cpu| u32::try_from(cpu).ok()) {
            let group = objects.iter().find(|set| set.contains(&cpu));
            place.extend(group.into_iter().flatten());
        }
        if !place.is_empty() {
            places.push((place.clone(), place));
        }
    }
    if places.is_empty() {
        return Bound::Free(mask.clone());
    }
    Bound::Places(places, By::Number(0), None)
}
