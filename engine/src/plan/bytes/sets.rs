//! Sets of PUs in bytes: the ranges of a set, and how many sets follow that are the same ranges moved up.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::limit::{PLAN_CPUSETS_MAX, PUS_MAX};
use crate::table::cpusets::runs;
use roaring::RoaringBitmap;

/// How many sets may follow from one written set at most.
const MOVES_MAX: u32 = 256;
/// How many ranges moved sets may have together.
const RANGES_FREE: usize = 1 << 16;

type SetRanges = Vec<(u32, u32)>;

/// How far `last` must be moved up to be `next`; `None`: `next` is another set.
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
pub fn write<'s>(writer: &mut Writer, sets: impl Iterator<Item = &'s RoaringBitmap>) {
    let sets: Vec<SetRanges> = sets.map(|set| runs(set).collect()).collect();
    writer.size(sets.len());
    let (mut left, mut told) = (&sets[..], 0);
    while let Some((own, behind)) = left.split_first() {
        // Each move repeats all ranges of a set, and the reader allows only so many.
        let most = (RANGES_FREE - told) / own.len().max(1);
        let by = behind.first().and_then(|next| moved(own, next));
        let pairs = left.windows(2).take(most.min(MOVES_MAX as usize));
        let same = pairs.take_while(|pair| by.is_some() && moved(&pair[0], &pair[1]) == by);
        let moves = same.count();
        writer.size(moves);
        if let Some(by) = by.filter(|_| moves > 0) {
            writer.number(by);
        }
        writer.size(own.len());
        let mut end = 0;
        for &(first, last) in own {
            writer.number(first - end);
            writer.number(last - first);
            end = last;
        }
        told += moves * own.len();
        left = &behind[moves..];
    }
}

/// Reads sets in order.
pub fn read(reader: &mut Reader<'_>) -> Result<Vec<RoaringBitmap>, BadPlan> {
    let count = reader.rows_up_to(PLAN_CPUSETS_MAX, "at most 2^24 sets of cpus")?;
    let mut sets = Vec::new();
    let mut told = 0;
    while sets.len() < count {
        let moves = reader.number(MOVES_MAX, "at most 256 moves")?;
        let by = match moves {
            0 => 0,
            _ => reader.number(PUS_MAX, "a move within the PUs")?,
        };
        let mut end = None;
        let ranges = reader.list("a number of ranges", |reader| {
            let first = end.unwrap_or(0) + reader.number(PUS_MAX, "a PU")?;
            let last = first + reader.number(PUS_MAX, "a PU")?;
            let ascends = end.is_none_or(|end| first > end + 1);
            reader.ensure(|| ascends && last < PUS_MAX, "ascending ranges of PUs")?;
            end = Some(last);
            Ok((first, last))
        })?;
        reader.ensure(
            || sets.len() + (moves as usize) < count,
            "as many sets as stated",
        )?;
        // An empty set moved is one, too, and takes memory.
        told += ranges.len().max(1) * moves as usize;
        reader.ensure(|| told <= RANGES_FREE, "fewer moved ranges")?;
        let top = u64::from(end.unwrap_or(0)) + u64::from(by) * u64::from(moves);
        reader.ensure(|| top < u64::from(PUS_MAX), "moves within the PUs")?;
        for ahead in (0..=moves).map(|turn| by * turn) {
            let mut set = RoaringBitmap::new();
            for &(first, last) in &ranges {
                set.insert_range(first + ahead..=last + ahead);
            }
            sets.push(set);
        }
    }
    Ok(sets)
}
