//! Plan bytes through the bodies of their fuzz targets.

use proptest::prelude::*;
use stowplan_scale_tests::input::plan;

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        plan::bytes(&bytes);
    }

    #[test]
    fn damage_behind_a_fitting_checksum_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
        plan::resealed(&bytes);
    }
}

#[test]
fn the_fuzzers_plans_are_read_and_judged() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/plan_bytes");
    let files = std::fs::read_dir(folder).unwrap();
    let mut seen = 0;
    for file in files {
        plan::bytes(&std::fs::read(file.unwrap().path()).unwrap());
        seen += 1;
    }
    assert!(seen > 0, "{folder} is empty");
}
