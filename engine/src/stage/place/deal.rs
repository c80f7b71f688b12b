//! Processes being dealt to the nodes of an app: how many are left, and whether they are bound.

use super::placement::Placement;
use crate::policy::{BindStrength, Overload};
use crate::stage::node::layout::Binding;

/// Processes being dealt to nodes.
pub(crate) struct Deal {
    pub(crate) binding: Binding,
    pub(crate) asked: u32,
    pub(crate) left: u32,
}

/// How far an app came when it was refused.
#[derive(Clone, Copy)]
pub(crate) struct Stopped {
    pub(crate) asked: u32,
    pub(crate) placed: u64,
}

impl Deal {
    pub(crate) const fn stopped(&self, placed: u64) -> Stopped {
        Stopped {
            asked: self.asked,
            placed,
        }
    }

    pub(crate) fn so_far(&self) -> Stopped {
        self.stopped(u64::from(self.asked - self.left))
    }

    pub(crate) fn explicit(placement: &Placement<'_>) -> bool {
        placement.policy.strength == BindStrength::Explicit
    }

    pub(crate) fn overload(placement: &Placement<'_>) -> bool {
        placement.policy.overload == Overload::Allowed
    }
}
