//! Processes being dealt to the nodes of an app: how many are left, and whether they are bound.

use super::lots::Work;
use super::pattern::Binding;
use crate::policy::{BindStrength, Overload};

/// Processes being dealt to nodes.
pub(super) struct Deal {
    pub(super) binding: Binding,
    pub(super) asked: u32,
    pub(super) left: u32,
}

/// How far an app came when it was refused.
#[derive(Clone, Copy)]
pub(super) struct Stopped {
    pub(super) asked: u32,
    pub(super) placed: u64,
}

impl Deal {
    pub(super) const fn stopped(&self, placed: u64) -> Stopped {
        Stopped {
            asked: self.asked,
            placed,
        }
    }

    pub(super) fn so_far(&self) -> Stopped {
        self.stopped(u64::from(self.asked - self.left))
    }

    pub(super) fn explicit(work: &Work<'_>) -> bool {
        work.policy.strength == BindStrength::Explicit
    }

    pub(super) fn overload(work: &Work<'_>) -> bool {
        work.policy.overload == Overload::Allowed
    }
}
