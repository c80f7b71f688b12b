//! The size of the tests: small in an ordinary check, full in the long one.

use stowplan_scale_tests::shapes::{self, Shape};

/// Whether this is the long check.
pub(crate) fn is_long() -> bool {
    std::env::var_os("STOWPLAN_LONG").is_some()
}

/// The divisor for the node counts of named shapes.
pub(crate) fn divisor() -> u32 {
    if is_long() { 1 } else { 32 }
}

/// A named shape, at the size of this check.
pub(crate) fn named(name: &str) -> Shape {
    shapes::named(name, divisor()).unwrap()
}
