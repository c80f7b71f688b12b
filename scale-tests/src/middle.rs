//! The middle of several times.

use std::time::Duration;

/// The time of the middle one, in nanoseconds: other programs on the machine disturb it least.
///
/// # Panics
/// Without a time.
#[must_use]
pub fn middle(mut took: Vec<Duration>) -> u128 {
    took.sort_unstable();
    took[took.len() / 2].as_nanos()
}
