//! Ranks.

use std::fmt;

/// The rank of a process in its job, from 0.
///
/// ```
/// use stowplan::Rank;
/// assert_eq!(u32::from(Rank::new(7)), 7);
/// assert_eq!(Rank::new(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rank(u32);

impl Rank {
    /// The rank with this number.
    /// ```
    /// assert!(stowplan::Rank::new(1) > stowplan::Rank::new(0));
    /// ```
    #[must_use]
    pub const fn new(rank: u32) -> Self {
        Self(rank)
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
