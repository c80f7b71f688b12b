//! Sets of cpus as Flux reads them.

use stowplan::launchers::cpus::ranges;
use stowplan::launchers::flux::sets::read;

#[test]
fn sets_are_read_as_hwloc_reads_them() {
    let texts = |text| {
        let sets = read(text, 4).unwrap();
        sets.iter().map(|set| ranges(set, ',')).collect::<Vec<_>>()
    };
    assert_eq!(texts("0-3,8"), ["0-3,8"]);
    assert_eq!(texts("0xc5;3;0x1,0x3"), ["0,2,6-7", "3", "0-1,32"]);
    for bad in ["", ";", "0x", "0x0", "x", "3-1", "0;x"] {
        assert!(read(bad, 4).is_err(), "{bad}");
    }
    assert!(read("0;x", 1).is_ok(), "only the sets of tasks are read");
}
