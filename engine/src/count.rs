//! Counts and ranks: numbers with a unit, and sums that say when they overflow.

use crate::limit::RANKS_MAX;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Processes. Unit: one process.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct ProcCount(pub u32);

/// A rank in the job (a vpid, where PMIx spells it). From 0.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Rank(pub u32);

impl Rank {
    /// The rank `count` behind this one, or `None` beyond [`RANKS_MAX`].
    ///
    /// ```
    /// use stowplan_engine::count::{ProcCount, Rank};
    /// assert_eq!(Rank(3).plus(ProcCount(2)), Some(Rank(5)));
    /// assert_eq!(Rank(3).plus(ProcCount(u32::MAX)), None);
    /// ```
    #[must_use]
    pub fn plus(self, count: ProcCount) -> Option<Self> {
        self.0
            .checked_add(count.0)
            .filter(|&sum| sum <= RANKS_MAX)
            .map(Self)
    }
}

impl fmt::Display for ProcCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
