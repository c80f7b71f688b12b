//! Sets of PUs in a plan as bytes.

use super::refused::{numbers, reads};
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::plan::bytes::inside::{Writer, read_sets, write_sets};

#[test]
fn sets_of_pus_ascend_with_gaps_and_move_within_the_bound() {
    const ASCENDING: &str = "ascending ranges of PUs";
    const STATED: &str = "as many sets as stated";
    const WITHIN: &str = "moves within the PUs";
    let check = |told: &[u32], expected: Result<&[u64], &str>| {
        let read = reads(numbers(told), read_sets);
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
            write_sets(writer, all.iter());
            bytes = writer.written();
        };
        let read = reads(write, read_sets);
        assert!(read == Ok(all.clone()), "{count} sets of {ranges} ranges");
        assert!(bytes <= most, "{count} sets of {ranges} ranges: {bytes}");
    }
    // One set that moves 256 times.
    let check = |ranges: u32, expected| {
        let apart = (0..ranges).flat_map(|at| [2 * u32::from(at > 0), 0]);
        let told: Vec<u32> = [257, 256, 1, ranges].into_iter().chain(apart).collect();
        let read = reads(numbers(&told), read_sets);
        assert_eq!(read.map(|sets| sets.len()), expected, "{ranges}");
    };
    check(256, Ok(257));
    check(257, Err("fewer moved ranges"));
    // Empty sets that move take memory, too.
    let empty = |groups: u32| {
        let told: Vec<u32> = std::iter::once(257 * groups)
            .chain((0..groups).flat_map(|_| [256, 0, 0]))
            .collect();
        reads(numbers(&told), read_sets).map(|sets| sets.len())
    };
    assert_eq!(empty(256), Ok(257 * 256));
    assert_eq!(empty(257), Err("fewer moved ranges"));
}
