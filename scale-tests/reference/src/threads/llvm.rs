//! Sections 2 and 4: what decides in LLVM and Intel, and their places.

use super::layers::{Kind, Layers};
use super::team::Word;
use super::{Asked, Bound, By, Rules, Set, Why};
use super::{kmp, subset};

const BINDS: [(&str, Word); 4] = [
    ("master", Word::Primary),
    ("primary", Word::Primary),
    ("close", Word::Close),
    ("spread", Word::Spread),
];

const WORDS: [(&str, Kind); 11] = [
    ("threads", Kind::Thread),
    ("cores", Kind::Core),
    ("numa_domains", Kind::Numa),
    ("ll_caches", Kind::L3),
    ("sockets", Kind::Package),
    ("dice", Kind::Core),
    ("modules", Kind::Core),
    ("tiles", Kind::Core),
    ("l3_caches", Kind::L3),
    ("l2_caches", Kind::L2),
    ("l1_caches", Kind::L1),
];

/// OMP_PROC_BIND.
enum Bind {
    Unset,
    True,
    False,
    Words(Vec<Word>),
    Bad,
}

fn bind(asked: &Asked<'_>) -> Bind {
    let Some(value) = asked.var("OMP_PROC_BIND") else {
        return Bind::Unset;
    };
    let value = value.trim().to_ascii_lowercase();
    if value.starts_with("true") {
        return Bind::True;
    }
    if value.starts_with("false") {
        return Bind::False;
    }
    let word = |entry: &str| {
        BINDS
            .iter()
            .find(|(own, _)| entry.trim().starts_with(own))
            .map(|(_, word)| *word)
    };
    let words: Option<Vec<Word>> = value.split(',').map(word).collect();
    words.map_or(Bind::Bad, Bind::Words)
}

/// How threads are bound, the cpus that the runtime looks at, and how many threads there are by themselves.
pub(super) fn bound(asked: &Asked<'_>) -> Result<(Bound, Set, usize), Why> {
    let all = asked.hardware.all();
    let said = asked.var("KMP_AFFINITY").map(kmp::read).unwrap_or_default();
    if said.kind == Some(kmp::Kind::Disabled) {
        return Ok((
            Bound::Free(asked.mask.clone()),
            asked.mask.clone(),
            all.len(),
        ));
    }
    let mut mask = if said.whole { all } else { asked.mask.clone() };
    if let Some(text) = asked.var("KMP_HW_SUBSET") {
        mask = subset::kept(asked, &mask, text)?;
    }
    let layers = Layers::of(asked, &mask);
    let bound = if said.kind.is_some() {
        kmp::bound(asked, &said, &layers, &mask)
    } else if let Some(text) = asked.var("GOMP_CPU_AFFINITY") {
        kmp::listed(&kmp::items(text), layers.thread(), &layers, &mask)
    } else {
        by_omp(asked, &said, &layers, &mask)?
    };
    let available = mask.len();
    Ok((bound, mask, available))
}

fn by_omp(asked: &Asked<'_>, said: &kmp::Said, layers: &Layers, mask: &Set) -> Result<Bound, Why> {
    let old = !asked.rules.since(18);
    let text = asked.var("OMP_PLACES");
    let places_last = asked.place_of("OMP_PLACES") > asked.place_of("OMP_PROC_BIND");
    let by = match bind(asked) {
        Bind::Unset if text.is_none() => None,
        Bind::Unset | Bind::True => Some(By::Words(vec![Word::Spread])),
        Bind::Words(words) => Some(By::Words(words)),
        Bind::False => (old && text.is_some() && places_last).then_some(By::Number(0)),
        Bind::Bad => old.then_some(By::Number(0)),
    };
    let Some(by) = by else {
        return Ok(Bound::Free(mask.clone()));
    };
    let (places, by_word) = match text {
        Some(text) => places(asked, text, layers, mask)?,
        None => (same(layers.objects(kmp::granularity(said, layers))), true),
    };
    if places.is_empty() {
        return Ok(Bound::Free(mask.clone()));
    }
    let covered: Set = places.iter().flat_map(|(_, cpus)| cpus).copied().collect();
    let covers = (by_word && !old).then_some(covered.len());
    Ok(Bound::Places(places, by, covers))
}

/// Places as they are told, and what their threads get.
type Pairs = Vec<(Set, Set)>;

/// Parts of a list of places: cut at commas that are not in braces.
pub(super) fn split_places(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

fn same(sets: Vec<Set>) -> Pairs {
    sets.into_iter().map(|set| (set.clone(), set)).collect()
}

fn places(
    asked: &Asked<'_>,
    text: &str,
    layers: &Layers,
    mask: &Set,
) -> Result<(Vec<(Set, Set)>, bool), Why> {
    let lower = text.to_ascii_lowercase();
    if let Some((word, kind)) = WORDS.iter().find(|(word, _)| lower.starts_with(word)) {
        let last = [Kind::L3, Kind::L2, Kind::L1]
            .into_iter()
            .find_map(|kind| layers.find(kind));
        let row = match *word {
            "ll_caches" => last.unwrap_or(0),
            "dice" | "modules" | "tiles" => layers.core(),
            _ => layers.find(*kind).unwrap_or_else(|| layers.core()),
        };
        let mut found = layers.objects(row);
        let count = lower[word.len()..]
            .trim()
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'));
        if let Some(count) = count
            .and_then(|(number, _)| number.trim().parse::<usize>().ok())
            .filter(|&count| count > 0)
        {
            found.truncate(count);
        }
        return Ok((same(found), true));
    }
    let bare: String = lower.chars().filter(|sign| !sign.is_whitespace()).collect();
    match list(asked, &bare, mask)? {
        Some(found) => Ok((found, false)),
        None if asked.rules == Rules::Intel => Ok((same(layers.objects(layers.thread())), true)),
        None => Ok((same(layers.objects(layers.core())), true)),
    }
}

/// A list of places; `None`: it is none.
fn list(asked: &Asked<'_>, text: &str, mask: &Set) -> Result<Option<Pairs>, Why> {
    let mut found: Pairs = Vec::new();
    for part in split_places(text) {
        let (not, part) = match part.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, part),
        };
        let (place, times) = match part.strip_prefix('{') {
            Some(rest) => {
                let Some((inside, behind)) = rest.split_once('}') else {
                    return Ok(None);
                };
                let Some(place) = braces(inside, mask) else {
                    return Ok(None);
                };
                (place, behind)
            }
            None => {
                let end = part.find(':').unwrap_or(part.len());
                let Ok(number) = part[..end].parse::<u32>() else {
                    return Ok(None);
                };
                let own = Some(number).filter(|number| mask.contains(number));
                (own.into_iter().collect(), &part[end..])
            }
        };
        let times: Option<Vec<i64>> = times
            .split(':')
            .skip(1)
            .map(|number| number.parse().ok())
            .collect();
        let Some(times) = times else {
            return Ok(None);
        };
        if not {
            if place.is_empty() {
                continue;
            }
            let others: Set = asked.hardware.all().difference(&place).copied().collect();
            let inside: Set = others.intersection(mask).copied().collect();
            match asked.rules {
                Rules::Llvm(16..=19) if inside.len() < others.len() => return Err(Why::Aborts),
                Rules::Llvm(14..=15) => found.push((inside, others)),
                Rules::Llvm(_) | Rules::Intel | Rules::Gnu => found.push((inside.clone(), inside)),
            }
            continue;
        }
        let count = times.first().copied().unwrap_or(1);
        let stride = times.get(1).copied().unwrap_or(1);
        let mut own = place;
        for _ in 0..count {
            if own.is_empty() {
                break;
            }
            found.push((own.clone(), own.clone()));
            let moved = own
                .iter()
                .filter_map(|&cpu| u32::try_from(i64::from(cpu) + stride).ok());
            own = moved.filter(|cpu| mask.contains(cpu)).collect();
        }
    }
    Ok(Some(found))
}

fn braces(text: &str, mask: &Set) -> Option<Set> {
    let mut place = Set::new();
    for part in text.split(',') {
        let numbers: Option<Vec<i64>> = part.split(':').map(|number| number.parse().ok()).collect();
        let (first, len, stride) = match *numbers?.as_slice() {
            [first] => (first, 1, 1),
            [first, len] => (first, len, 1),
            [first, len, stride] => (first, len, stride),
            _ => return None,
        };
        for step in 0..len {
            let cpu = u32::try_from(first + step * stride)
                .ok()
                .filter(|cpu| mask.contains(cpu));
            match cpu {
                Some(cpu) => {
                    place.insert(cpu);
                }
                None => break,
            }
        }
    }
    Some(place)
}
