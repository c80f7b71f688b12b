//! Rows found by digest.

use stowplan_engine::table::inside::{Guess, Interner, KeyRows};

#[test]
fn rows_are_found_in_any_order() {
    let mut rows: KeyRows<u32> = KeyRows::default();
    for key in [7, 3, 9] {
        rows.push(key);
    }
    let mut guess = Guess::default();
    let found = [7, 3, 9, 3, 9, 5, 7, 7].map(|key| rows.find(key, &mut guess));
    let expected = [0, 1, 2, 1, 2, 9, 0, 0].map(|row| (row < 9).then_some(row));
    assert_eq!(found, expected);
}

#[test]
fn unequal_values_of_one_digest_are_told_apart() {
    let values = ["a", "b", "c"];
    let mut interner: Interner<usize> = Interner::default();
    for (row, value) in values.into_iter().enumerate() {
        assert_eq!(interner.find(7, |other| values[other] == value), None);
        interner.keep(7, row);
    }
    let find = |value| interner.find(7, |row| values[row] == value);
    assert_eq!(values.map(find), [Some(0), Some(1), Some(2)]);
}

#[test]
fn rows_are_found_whatever_their_places() {
    // All in one slot, all in the last slots, and spread as digests are.
    for spread in [1 << 50, u64::MAX << 36, 0x9e37_79b9_7f4a_7c15] {
        let mut interner: Interner<u64> = Interner::default();
        for row in 0..500_u64 {
            let digest = row.wrapping_mul(spread);
            let find = |interner: &Interner<u64>| interner.find(digest, |other| other == row);
            assert_eq!(find(&interner), None);
            interner.keep(digest, row);
            assert_eq!(find(&interner), Some(row));
            if row == 300 {
                interner.reserve(1000);
            }
        }
        let found = |row: u64| interner.find(row.wrapping_mul(spread), |other| other == row);
        assert!((0..500).all(|row| found(row) == Some(row)));
    }
}
