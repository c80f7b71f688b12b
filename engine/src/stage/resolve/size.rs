//! Bindings that nobody said, decided by the size of the job. Source: `semantics` 3.6.
//!
//! Which bindings wait for the size is decided in `options.rs` (`settle_bind`).

use crate::policy::{BindTo, ObjKind};
use crate::table::apps::Policy;

/// The size of a job, as far as bindings depend on it (3.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// One process or two.
    Few,
    /// Three processes or more.
    Many,
}

impl Size {
    pub(crate) const fn of(total: u64) -> Self {
        if total < 3 { Self::Few } else { Self::Many }
    }
}

/// Decides a default binding that depends on the size of the job (3.6).
pub(crate) fn settle(policy: &Policy, total: u64) -> Policy {
    if policy.bind != BindTo::BySize {
        return *policy;
    }
    let kind = match Size::of(total) {
        Size::Many => ObjKind::Numa,
        Size::Few => policy.mode.cpu(),
    };
    Policy {
        bind: BindTo::Object(kind),
        ..*policy
    }
}
