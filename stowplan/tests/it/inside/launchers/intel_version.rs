//! Versions of Intel MPI.

use stowplan::launchers::intel::version::Version;

#[test]
fn versions_are_read_by_their_first_two_numbers() {
    let read = |text| Version::read(Some(text));
    assert_eq!(Version::read(None), read("2021.18.1"));
    assert_eq!(read("2021"), read("2021.18"));
    assert!(!read("2021.14.2").is_ok_and(Version::pins_are_known));
    for unknown in ["2021.5", "2021.20", "2019.8", "2021.x", "18", ""] {
        let class = read(unknown).map_err(|refused| refused.class);
        assert_eq!(class, Err("not-modelled"), "{unknown}");
    }
}
