//! The size of the tests: small in an ordinary check, full in the long one.

use crate::shapes::{self, Shape};

/// Whether this is the long check.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("STOWPLAN_LONG").is_some()
}

/// The divisor for the node counts of named shapes.
#[must_use]
pub fn divisor() -> u32 {
    if is_long() { 1 } else { 32 }
}

/// A named shape, at the size of this check.
///
/// # Panics
/// If there is no such shape.
#[must_use]
pub fn named(name: &str) -> Shape {
    shapes::named(name, divisor()).expect("there is such a shape")
}
