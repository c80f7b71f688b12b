//! Named machines.

use stowplan_topo::builtin::{MACHINES, find, nearest};

#[test]
fn every_machine_can_be_built() {
    for machine in MACHINES {
        let draft = machine.draft().unwrap();
        assert!(!draft.pus_os.is_empty(), "{}", machine.name);
    }
}

#[test]
fn hbv4_has_176_cores() {
    for name in ["hbv4", "hbv4-seen"] {
        assert_eq!(find(name).unwrap().draft().unwrap().pus_os.len(), 176);
    }
}

#[test]
fn a_job_does_not_get_the_cores_that_the_site_keeps() {
    let pus = |name: &str| find(name).unwrap().draft().unwrap().pus_os;
    assert_eq!(pus("frontier").len(), 2 * 56);
    assert_eq!(pus("aurora")[..2], [1, 105], "0, 52, 104 and 156 are kept");
    assert!(
        [0, 52, 104, 156]
            .iter()
            .all(|os| !pus("aurora").contains(os))
    );
}

#[test]
fn a_wrong_name_finds_its_neighbour() {
    assert_eq!(nearest("fronteir"), Some("frontier"));
    assert_eq!(nearest("Perlmutter"), Some("perlmutter-cpu"));
    assert_eq!(nearest("xyz"), None);
}
