//! Sets of cpus.

use stowplan_reference::cpus::Cpus;

#[test]
fn lists_write_runs() {
    let set: Cpus = [0, 1, 2, 18, 64, 65, 130].into_iter().collect();
    assert_eq!(set.list(), "0-2,18,64-65,130");
    assert_eq!(set.minus(&set), Cpus::none());
    assert!(set.holds(&[1, 64].into_iter().collect()) && !set.has(3));
}
