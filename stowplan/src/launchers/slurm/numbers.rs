//! Numbers and lists of numbers, as Slurm's words have them.

use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::text::digits;

/// A decimal number up to the largest `int`.
pub(super) fn number(text: &str) -> Option<u64> {
    digits::number(text).filter(|&number| number <= u64::from(i32::MAX.cast_unsigned()))
}

/// A number from 1.
pub fn positive(text: &str) -> Option<u64> {
    number(text).filter(|&number| number > 0)
}

/// Ranges of cpu or core numbers: `0-3,8`. Each is its first and its last number.
pub fn ranges(text: &str) -> Option<Vec<(u32, u32)>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let narrow = |text| u32::try_from(number(text)?).ok().filter(|&it| it < PUS_MAX);
        let (first, last) = (narrow(first)?, narrow(last)?);
        (first <= last).then_some((first, last))
    };
    text.split(',').map(range).collect()
}

/// Counts by node: `16(x4),8`. Each is a count and how many nodes have it.
pub fn counts(text: &str) -> Option<Vec<(u64, u64)>> {
    let part = |part: &str| {
        let (count, times) = match part.split_once("(x") {
            Some((count, times)) => (count, positive(times.strip_suffix(')')?)?),
            None => (part, 1),
        };
        Some((positive(count)?, times))
    };
    text.split(',').map(part).collect()
}
