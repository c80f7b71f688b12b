//! Sets of bits as XML files spell them.

use stowplan_topo::xml::sets::Sets;

#[test]
fn words_are_read_highest_first() {
    let mut sets = Sets::default();
    let set = sets.read("0x00000001,,0x80000003").unwrap();
    let bits: Vec<u32> = (0..128).filter(|&bit| sets.has(set, bit)).collect();
    assert_eq!(bits, [0, 1, 31, 64]);
    assert_eq!(sets.first(set), Some(0));
    assert!(!sets.at_most(set, 0));
}

#[test]
fn a_full_set_has_all_bits_above_its_words() {
    let mut sets = Sets::default();
    let all = sets.read("0xf...f").unwrap();
    assert!(sets.has(all, 4_000_000));
    let above = sets.read("0xf...f,0x00000000").unwrap();
    assert_eq!(sets.first(above), Some(32));
    assert!(!sets.same(all, above));
    let same = sets.read("0xf...f,0xffffffff").unwrap();
    assert!(sets.same(all, same));
}

#[test]
fn leading_zero_words_change_nothing() {
    let mut sets = Sets::default();
    let short = sets.read("0x3").unwrap();
    let long = sets.read("0x0,0x0,0x00000003").unwrap();
    assert!(sets.same(short, long));
    assert!(sets.read("0x3,g").is_none());
    assert!(sets.read("-1").is_none());
    let empty = sets.read("0x0").unwrap();
    assert!(sets.is_empty(empty) && sets.at_most(empty, 7));
}
