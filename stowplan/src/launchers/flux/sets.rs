//! `map:L;L;…`: the sets of cpus or GPUs that local tasks get, in hwloc's spellings. Source: `lines/flux/spec.md` 8.

use crate::launchers::cpus::read_list;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;

/// The sets of the first `tasks` local tasks, as far as the list goes; a short list goes round.
///
/// # Errors
/// Why the shell gives up.
pub fn read(text: &str, tasks: u32) -> Result<Vec<RoaringBitmap>, String> {
    let parts = text.split(';').filter(|part| !part.is_empty());
    let sets: Option<Vec<RoaringBitmap>> = parts
        .take(tasks as usize)
        .map(|part| set(part).filter(|set| !set.is_empty()))
        .collect();
    match sets {
        None => Err(format!("map:{text} has a set that is empty or no list")),
        Some(sets) if sets.is_empty() => Err("no cpusets found in the list".to_owned()),
        Some(sets) => Ok(sets),
    }
}

/// One set: `0-3,8`, `0xff`, or words of 32 bits, highest first, `0x1,0x2`.
fn set(text: &str) -> Option<RoaringBitmap> {
    let Some(first) = text.strip_prefix("0x") else {
        return read_list(text, PUS_MAX);
    };
    if !text.contains(',') {
        return bits(first, 0);
    }
    let words: Vec<&str> = text.split(',').collect();
    let mut all = RoaringBitmap::new();
    for (place, word) in words.iter().rev().enumerate() {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        if digits.len() > 8 {
            return None;
        }
        all |= match digits.is_empty() {
            true => RoaringBitmap::new(),
            false => bits(digits, u32::try_from(place).ok()?.checked_mul(32)?)?,
        };
    }
    Some(all)
}

/// The bits of hexadecimal digits, counted from `base`.
fn bits(digits: &str, base: u32) -> Option<RoaringBitmap> {
    if digits.is_empty() || digits.len() > PUS_MAX as usize / 4 {
        return None;
    }
    let mut set = RoaringBitmap::new();
    for (place, digit) in (0..).zip(digits.chars().rev()) {
        let value = digit.to_digit(16)?;
        for bit in (0..4).filter(|bit| value >> bit & 1 == 1) {
            set.insert(base + place * 4 + bit);
        }
    }
    set.max().is_none_or(|max| max < PUS_MAX).then_some(set)
}
