//! Columns of a plan as bytes.

use proptest::prelude::*;
use stowplan_engine::limit::{PLAN_VALUES_FREE, PLAN_VALUES_GRANTED};
use stowplan_engine::plan::bytes::FrameKind;
use stowplan_engine::plan::bytes::inside::{Edition, Reader, Writer};

proptest! {
    #[test]
    fn columns_come_back(values in prop::collection::vec(prop_oneof![Just(7_u32), 0_u32..4, any::<u32>()], 0..900)) {
        let mut writer = Writer::default();
        writer.column(values.iter().copied());
        let sealed = writer.seal(FrameKind::Slice, Edition::Plain);
        let mut reader = Reader::open(&sealed, FrameKind::Slice).unwrap();
        prop_assert_eq!(reader.column(values.len()).unwrap(), values);
        prop_assert!(reader.end().is_ok());
    }

    #[test]
    fn damage_is_seen(values in prop::collection::vec(any::<u32>(), 1..40), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut writer = Writer::default();
        writer.column(values.iter().copied());
        let mut sealed = writer.seal(FrameKind::Whole, Edition::Plain);
        let at = at.index(sealed.len());
        sealed[at] ^= 1 << bit;
        prop_assert!(Reader::open(&sealed, FrameKind::Whole).is_err());
    }
}

/// What a reader of so many bytes says of tables with so many rows, one behind the other.
fn refused<const N: usize>(bytes: usize, tables: &[usize]) -> Option<&'static str> {
    let mut writer = Writer::default();
    (0..bytes).for_each(|_| writer.number(0_u32));
    let sealed = writer.seal(FrameKind::Whole, Edition::Plain);
    let mut reader = Reader::open(&sealed, FrameKind::Whole).unwrap();
    let said = tables
        .iter()
        .map(|&rows| reader.columns::<N>(rows).unwrap_err().expected);
    // Zeros are no groups: that is seen once the memory is there.
    said.last()
        .filter(|expected| !expected.starts_with("a group"))
}

#[test]
fn a_table_takes_memory_in_proportion_to_its_bytes() {
    assert_eq!(refused::<1>(4096, &[4096 * 128]), None);
    let too_many = Some("columns that the bytes left can fill");
    assert_eq!(refused::<1>(4096, &[4096 * 128 + 1]), too_many);
    assert_eq!(refused::<7>(4096, &[4096 * 128]), too_many);
    assert_eq!(refused::<7>(4096, &[usize::MAX]), too_many);
}

#[test]
fn all_tables_together_have_a_bound() {
    let bytes = PLAN_VALUES_FREE / 64;
    let half = (PLAN_VALUES_FREE + bytes * PLAN_VALUES_GRANTED) / 2;
    assert_eq!(refused::<2>(bytes, &[half]), None);
    let too_many = Some("fewer values: 2^24, and four for each byte");
    assert_eq!(refused::<2>(bytes, &[half + 1]), too_many);
    assert_eq!(refused::<1>(bytes, &[half, half, 1]), too_many);
}

#[test]
fn equal_steps_cost_nothing() {
    let mut writer = Writer::default();
    writer.column((0..16_384).map(|row| row * 3));
    assert!(writer.written() < 256);
}
