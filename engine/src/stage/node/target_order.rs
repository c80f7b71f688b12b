//! How the targets of a binding lie on a topology, which decides how to find the targets that meet an object.

use super::units::Targets;
use crate::table::topologies::Topologies;

/// How targets lie, which decides how to find the targets that meet an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TargetOrder {
    /// Target i is cpu i: no search.
    Cpus,
    /// Single stretches in ascending order: found by search.
    Tidy,
    /// In any order: each target is checked.
    Any,
}

impl TargetOrder {
    pub(super) fn of(topologies: &Topologies, objects: &Targets<'_>) -> Self {
        let mut end = 0;
        for object in objects.iter() {
            match topologies.ranges(object) {
                [(first, behind)] if *first >= end => end = *behind,
                _ => return Self::Any,
            }
        }
        Self::Tidy
    }
}
