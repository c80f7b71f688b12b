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
pub(crate) fn write<'s>(writer: &mut Writer, sets: impl Iterator<Item = &'s RoaringBitmap>) {
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
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Vec<RoaringBitmap>, BadPlan> {
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

#[cfg(test)]
mod tests {
    use super::super::refused_tests::{numbers, reads};
    use super::*;

    #[test]
    fn sets_of_pus_ascend_with_gaps_and_move_within_the_bound() {
        const ASCENDING: &str = "ascending ranges of PUs";
        const STATED: &str = "as many sets as stated";
        const WITHIN: &str = "moves within the PUs";
        let check = |told: &[u32], expected: Result<&[u64], &str>| {
            let read = reads(numbers(told), read);
            let read = read.map(|sets| sets.iter().map(|set| set.len()).collect::<Vec<u64>>());
            assert_eq!(read, expected.map(<[u64]>::to_vec), "{told:?}");
        };
        let last = PUS_MAX - 1;
        // Sets; of each: moves, by how much if any, ranges, and of each: from the last PU before, PUs behind its first.
        check(&[1, 0, 2, 0, 1, 2, 0], Ok(&[3]));
        check(&[1, 0, 2, 0, 1, 1, 0], Err(ASCENDING));
        check(&[1, 0, 1, last, 0], Ok(&[1]));
        check(&[1, 0, 1, last, 1], Err(ASCENDING));
        check(&[1, 0, 1, PUS_MAX, 0], Err(ASCENDING));
        check(&[3, 2, 4, 1, 0, 3], Ok(&[4, 4, 4]));
        check(&[2, 2, 4, 1, 0, 3], Err(STATED));
        check(&[3, 2, (PUS_MAX - 4) / 2, 1, 0, 3], Ok(&[4, 4, 4]));
        check(&[3, 2, (PUS_MAX - 4) / 2, 1, 0, 4], Err(WITHIN));
    }

    #[test]
    fn sets_that_move_along_are_told_once_and_only_so_many() {
        let moving = |sets: u32, ranges: u32| {
            let set = move |at: u32| (0..ranges).map(move |range| at + 2 * range);
            (0..sets).map(move |at| set(at).collect::<RoaringBitmap>())
        };
        for (count, ranges, most) in [(1, 1, 8), (200, 1, 8), (2, 300, 700), (600, 300, 300_000)] {
            let all: Vec<RoaringBitmap> = moving(count, ranges).collect();
            let mut bytes = 0;
            let write = |writer: &mut Writer| {
                write(writer, all.iter());
                bytes = writer.written();
            };
            let read = reads(write, read);
            assert!(read == Ok(all.clone()), "{count} sets of {ranges} ranges");
            assert!(bytes <= most, "{count} sets of {ranges} ranges: {bytes}");
        }
        // One set that moves 256 times.
        let check = |ranges: u32, expected| {
            let apart = (0..ranges).flat_map(|at| [2 * u32::from(at > 0), 0]);
            let told: Vec<u32> = [257, 256, 1, ranges].into_iter().chain(apart).collect();
            let read = reads(numbers(&told), read);
            assert_eq!(read.map(|sets| sets.len()), expected, "{ranges}");
        };
        check(256, Ok(257));
        check(257, Err("fewer moved ranges"));
        // Empty sets that move take memory, too.
        let empty = |groups: u32| {
            let told: Vec<u32> = std::iter::once(257 * groups)
                .chain((0..groups).flat_map(|_| [256, 0, 0]))
                .collect();
            reads(numbers(&told), read).map(|sets| sets.len())
        };
        assert_eq!(empty(256), Ok(257 * 256));
        assert_eq!(empty(257), Err("fewer moved ranges"));
    }
}
