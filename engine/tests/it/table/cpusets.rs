//! Interned cpu sets.

use roaring::RoaringBitmap;
use stowplan_engine::table::cpusets::{Cpusets, list_form};

#[test]
fn equal_sets_share_one_id_however_they_come() {
    let mut cpusets = Cpusets::default();
    let a = cpusets.intern([0, 1, 2, 128].into_iter().collect());
    assert_eq!(cpusets.intern_pus(&mut [128, 2, 1, 0, 1]), a);
    let empty = cpusets.intern_pus(&mut []);
    assert_eq!(cpusets.intern(RoaringBitmap::new()), empty);
    let large = cpusets.intern_pus(&mut [u32::MAX, 0]);
    assert_eq!(list_form(cpusets.get(large)), "0,4294967295");
    assert_eq!(cpusets.len(), 3);
}
