//! Columns and lists by id.

use stowplan_engine::define_id;
use stowplan_engine::id::{Column, Lists};

define_id! {
    /// A row of these tests.
    RowId
}
const _: () = assert!(size_of::<Option<RowId>>() == 4);

#[test]
fn a_pushed_value_is_found_under_its_id() {
    let mut column: Column<RowId, &str> = Column::new();
    let a = column.push("a");
    let b = column.push("b");
    assert_eq!((column[a], column[b]), ("a", "b"));
}

#[test]
fn lists_keep_their_bounds() {
    let mut lists: Lists<RowId, u8> = Lists::default();
    let (a, b, c) = (lists.push([1, 2]), lists.push([]), lists.push([3]));
    assert_eq!(
        (&lists[a], &lists[b], &lists[c]),
        (&[1, 2][..], &[][..], &[3][..])
    );
    assert!(lists.is_sound());
}
