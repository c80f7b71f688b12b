//! Sets of ids, compared with plain sets.

use std::collections::BTreeSet;
use stowplan_engine::id::Id as _;
use stowplan_session::IdSet;

stowplan_engine::define_id! {
    /// A row of these tests.
    RowId
}

fn id_of(row: u32) -> RowId {
    RowId::from_row(row as usize)
}

fn set(rows: &[u32]) -> IdSet<RowId> {
    rows.iter().map(|&row| id_of(row)).collect()
}

/// Sets of about the size that is stored in place, dense and sparse, each with each.
#[test]
fn both_forms_do_what_a_plain_set_does() {
    let samples: Vec<Vec<u32>> = (0..12)
        .flat_map(|len: u32| [1, 3, 70_000].map(|gap| (0..len).map(|at| 5 + at * gap).collect()))
        .chain([(0..100).collect(), (50..300).collect()])
        .collect();
    for one in &samples {
        for two in &samples {
            let (a, b) = (set(one), set(two));
            let (x, y): (BTreeSet<u32>, BTreeSet<u32>) =
                (one.iter().copied().collect(), two.iter().copied().collect());
            let list =
                |set: &IdSet<RowId>| set.iter().map(|id| id.number()).collect::<BTreeSet<u32>>();
            assert_eq!(list(&a.and(&b)), &x & &y);
            assert_eq!(list(&a.minus(&b)), &x - &y);
            assert_eq!(a.is_disjoint(&b), x.is_disjoint(&y));
            assert_eq!(a.is_subset(&b), x.is_subset(&y));
            let mut both = a.clone();
            both.add_all(&b);
            assert_eq!(list(&both), &x | &y);
            both.remove_all(&b);
            assert_eq!(list(&both), &x - &y);
            assert_eq!(both == a, x.is_disjoint(&y));
            assert_eq!(a == b, x == y);
        }
    }
}

#[test]
fn a_set_that_shrank_equals_one_that_never_grew() {
    let mut shrunk = set(&(0..20).collect::<Vec<_>>());
    for row in 3..20 {
        assert!(shrunk.remove(id_of(row)));
    }
    assert_eq!(shrunk, set(&[0, 1, 2]));
    assert_eq!(shrunk.runs(), [(0, 2)]);
    assert!(shrunk.has_range(0..=2) && !shrunk.has_range(0..=3));
}
