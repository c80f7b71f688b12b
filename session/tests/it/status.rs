//! The table of statuses.

use stowplan_session::STATUSES;

#[test]
fn every_status_has_one_row() {
    for (place, row) in STATUSES.iter().enumerate() {
        assert_eq!(
            STATUSES.iter().position(|other| other.1 == row.1),
            Some(place)
        );
        assert_eq!((row.0.name(), row.0.code()), (row.1, row.2));
    }
}
