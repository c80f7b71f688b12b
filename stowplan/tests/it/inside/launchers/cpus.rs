//! Lists of cpus.

use stowplan::launchers::cpus::{ranges, read_list};

#[test]
fn lists_are_read_with_suspicion() {
    let read = |text| read_list(text, 99).map(|set| ranges(&set, ','));
    assert_eq!(read("0-3,8"), Some("0-3,8".into()));
    assert_eq!(read("8,0-3,2"), Some("0-3,8".into()));
    for bad in ["", "-", "3-1", "1,", "+1", "0-100", "a", "1-2-3"] {
        assert_eq!(read(bad), None, "{bad}");
    }
}
