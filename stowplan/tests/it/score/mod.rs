//! Compares scores with a plain count.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    reason = "tests of small jobs"
)]

mod advice;
mod networks;
mod orders;
mod published;
mod random;
mod refused;
mod vectors;
