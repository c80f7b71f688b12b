//! Counts and ranks: numbers with a unit, and sums that report overflow.

use crate::limit::RANKS_MAX;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Processes. Unit: one process.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct ProcCount(pub u32);

/// The rank of a process in its job, from 0. PMIx calls it a vpid.
///
/// ```
/// use stowplan_engine::count::Rank;
/// assert_eq!(u32::from(Rank::new(7)), 7);
/// assert_eq!(Rank::new(7).to_string(), "7");
/// ```
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Rank(pub u32);

impl Rank {
    /// The rank with this number.
    #[must_use]
    pub const fn new(rank: u32) -> Self {
        Self(rank)
    }

    /// This rank plus `count`, or `None` beyond [`RANKS_MAX`].
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

/// A number of things in words: `1 node`, `2 nodes`.
///
/// ```
/// use stowplan_engine::count::counted;
/// let words = [counted(1_u32, "process"), counted(2_u32, "entry"), counted(0_u32, "free cpu")];
/// assert_eq!(words.map(|words| words.to_string()), ["1 process", "2 entries", "0 free cpus"]);
/// ```
#[must_use]
pub fn counted(number: impl Into<u64>, noun: &'static str) -> Quantity {
    let number = number.into();
    Quantity { number, noun }
}

/// A number of things: [`counted`] makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantity {
    number: u64,
    noun: &'static str,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, noun } = *self;
        write!(f, "{number} ")?;
        match (number, noun.strip_suffix('y')) {
            (1, _) => f.write_str(noun),
            (_, Some(stem)) => write!(f, "{stem}ies"),
            (_, None) if noun.ends_with('s') => write!(f, "{noun}es"),
            (_, None) => write!(f, "{noun}s"),
        }
    }
}

impl fmt::Display for ProcCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Rank> for u32 {
    fn from(rank: Rank) -> Self {
        rank.0
    }
}

impl From<u32> for Rank {
    fn from(rank: u32) -> Self {
        Self(rank)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
