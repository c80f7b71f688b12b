//! Sets of PUs: ranges, or the set before moved along.

use super::wire::{BadPlan, Reader, Writer};
use crate::limit::PUS_MAX;
use roaring::RoaringBitmap;

/// Sets told by one moved set at most.
const MOVES_MAX: u32 = 256;
/// Ranges that moved sets may have together, before each byte earns more of them.
const RANGES_FREE: usize = 1 << 16;

type SetRanges = Vec<(u32, u32)>;

fn ranges(set: &RoaringBitmap) -> SetRanges {
    let mut iter = set.iter();
    let mut ranges = Vec::new();
    while let Some(range) = iter.next_range() {
        ranges.push((*range.start(), *range.end()));
    }
    ranges
}

/// How far `next` is `last` moved up; `None`: it is another set.
fn moved(last: &SetRanges, next: &SetRanges) -> Option<u32> {
    let by = next.first()?.0.checked_sub(last.first()?.0)?;
    let same = last.len() == next.len()
        && last
            .iter()
            .zip(next)
            .all(|(a, b)| a.0 + by == b.0 && a.1 + by == b.1);
    (same && by > 0).then_some(by)
}

/// Writes sets in order.
pub(crate) fn write<'s>(writer: &mut Writer, sets: impl Iterator<Item = &'s RoaringBitmap>) {
    let sets: Vec<SetRanges> = sets.map(ranges).collect();
    writer.size(sets.len());
    let (mut at, mut told) = (0, 0);
    while at < sets.len() {
        let own = &sets[at];
        // A set of many ranges is told again each time it moves: the reader grants only so many.
        let mut moves = 0_u32;
        if let Some(by) = sets.get(at + 1).and_then(|next| moved(own, next)) {
            let mut next = at + 1;
            while next < sets.len()
                && moves < MOVES_MAX
                && told + own.len() <= RANGES_FREE
                && moved(&sets[next - 1], &sets[next]) == Some(by)
            {
                moves += 1;
                told += own.len();
                next += 1;
            }
            writer.number(moves);
            if moves > 0 {
                writer.number(by);
            }
        } else {
            writer.number(0_u32);
        }
        writer.size(own.len());
        let mut end = 0;
        for &(first, last) in own {
            writer.number(first - end);
            writer.number(last - first);
            end = last;
        }
        at += 1 + moves as usize;
    }
}

/// Reads them.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Vec<RoaringBitmap>, BadPlan> {
    let count = reader.rows()?;
    let mut sets = Vec::with_capacity(count.min(reader.left()));
    let mut told = 0;
    while sets.len() < count {
        let moves = reader.number(MOVES_MAX, "at most 256 moves")?;
        let by = if moves > 0 {
            reader.number(PUS_MAX, "a move within the PUs")?
        } else {
            0
        };
        let size = reader.size(1, "a number of ranges")?;
        let mut ranges = Vec::with_capacity(size);
        let mut end = 0_u32;
        for _ in 0..size {
            let first = end.saturating_add(reader.number(PUS_MAX, "a PU")?);
            let last = first.saturating_add(reader.number(PUS_MAX, "a PU")?);
            let ascends = ranges.is_empty() || first > end.saturating_add(1);
            reader.ensure(|| ascends && last < PUS_MAX, "ascending ranges of PUs")?;
            ranges.push((first, last));
            end = last;
        }
        reader.ensure(
            || sets.len() + (moves as usize) < count,
            "as many sets as stated",
        )?;
        told += size * moves as usize;
        reader.ensure(|| told <= RANGES_FREE, "fewer moved ranges")?;
        let top = u64::from(end) + u64::from(by) * u64::from(moves);
        reader.ensure(|| top < u64::from(PUS_MAX), "moves within the PUs")?;
        for turn in 0..=moves {
            let ahead = by * turn;
            let mut set = RoaringBitmap::new();
            for &(first, last) in &ranges {
                set.insert_range(first + ahead..=last + ahead);
            }
            sets.push(set);
        }
    }
    Ok(sets)
}
