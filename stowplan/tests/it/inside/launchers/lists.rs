//! Lists of cpus that come round.

use stowplan::launchers::lists::{CpuList, Same};
use stowplan_engine::id::Id as _;
use stowplan_engine::table::cpusets::CpusetId;

#[test]
fn the_shortest_period() {
    let of = |rows: &[usize]| {
        let mut list = CpuList::default();
        for &row in rows {
            list.push(Same {
                count: 1,
                cpus: CpusetId::from_row(row),
                is_bound: true,
            });
        }
        list.period().len()
    };
    assert_eq!(of(&[0, 1, 0, 1, 0]), 2);
    assert_eq!(of(&[0, 0, 0]), 1);
    assert_eq!(of(&[0, 1, 0, 0]), 3);
    assert_eq!(of(&[0, 1, 2]), 3);
}
