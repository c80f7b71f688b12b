//! The seq component and `app_idx`: all apps, one alone, a hole.

use crate::job::maps_only;
use stowplan_engine::stage::component::AppIndex;

const MAPPING: &str = "seq:file=seq";
const COMPONENT: &str = "seq";

#[test]
fn maps_all() {
    maps_only(MAPPING, COMPONENT, AppIndex::All, &[2, 0, 2]);
}

#[test]
fn maps_first_only() {
    maps_only(MAPPING, COMPONENT, AppIndex::Only(0), &[2, 0, 0]);
}

#[test]
fn maps_second_only() {
    maps_only(MAPPING, COMPONENT, AppIndex::Only(2), &[0, 0, 2]);
}

#[test]
fn skips_hole() {
    maps_only(MAPPING, COMPONENT, AppIndex::Only(1), &[0, 0, 0]);
    maps_only(MAPPING, COMPONENT, AppIndex::Only(99), &[0, 0, 0]);
}
