//! Versions of Slurm.

use stowplan::launchers::slurm::version::Version;

#[test]
fn a_version_is_the_nearest_below() {
    assert_eq!(Version::read(None).unwrap().0, Version::V24_11);
    let (version, note) = Version::read(Some("25.05")).unwrap();
    assert!(version == Version::V24_11 && note.is_some());
    let read = Version::read(Some("22.05.8")).unwrap();
    assert_eq!(read, (Version::V22_05, None));
    assert_eq!(
        Version::read(Some("21.08")).unwrap_err().class,
        "not-modelled"
    );
    assert_eq!(Version::read(Some("x")).unwrap_err().class, "bad-value");
}
