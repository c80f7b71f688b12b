//! How the targets of a binding lie on a topology: what finds those that meet an object.

use super::units::Targets;
use crate::table::topologies::Topologies;

/// How targets lie: what finds those that meet an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TargetOrder {
    /// Target i is the i-th cpu: no search.
    Cpus,
    /// Single ascending stretches: found by search.
    Tidy,
    /// Anyhow: each is looked at.
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
