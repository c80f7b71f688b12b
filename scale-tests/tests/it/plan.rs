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
