//! Weights of edges, and their sums: exact for integers, in steps of 2^-40 for others. Sums do not depend on the order.

use crate::score::limit::WEIGHT_END;
use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;

/// Bits after the point.
const FRACTION: u32 = 40;
/// One, in steps.
const ONE: u128 = 1 << FRACTION;

/// A weight, or a sum of weights.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Weight(u128);

impl Weight {
    /// The weight of an edge of a named pattern.
    pub const ONE: Self = Self(ONE);

    /// A sum of whole weights.
    #[must_use]
    pub const fn whole(count: u64) -> Self {
        Self((count as u128) << FRACTION)
    }

    /// Reads a weight: at least 0 and below 2^53.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if !text.is_empty() && text.len() < 20 && text.bytes().all(|sign| sign.is_ascii_digit()) {
            let count = text.parse::<u64>().ok();
            return count.filter(|&count| count < WEIGHT_END).map(Self::whole);
        }
        let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0)?;
        Self::of_float(number)
    }

    #[expect(
        clippy::float_arithmetic,
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be at least 0 and below 2^53: the product is below 2^93"
    )]
    fn of_float(number: f64) -> Option<Self> {
        (number < WEIGHT_END as f64).then(|| Self((number * ONE as f64).round() as u128))
    }

    /// The share of a whole in tenths of a percent, rounded down; 0 if the whole is 0.
    #[must_use]
    pub fn per_mille(self, whole: Self) -> u64 {
        let share = (self.0 * 1000).checked_div(whole.0).unwrap_or(0);
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// The weight in the smallest units in which `total` stays below 2^60.
    #[must_use]
    pub(crate) fn in_units_of(self, total: Self) -> i64 {
        let bits = u128::BITS - total.0.leading_zeros();
        let shift = bits.saturating_sub(60);
        i64::try_from(self.0 >> shift).unwrap_or(i64::MAX)
    }

    /// What is left of it.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// So many times as much.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count as u128))
    }

    /// Half of it, rounded down to a step.
    #[must_use]
    pub const fn half(self) -> Self {
        Self(self.0 / 2)
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(weights: I) -> Self {
        Self(weights.map(|weight| weight.0).sum())
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nine decimals are shown; the steps are finer.
        let decimals = ((self.0 % ONE) * 1_000_000_000 + ONE / 2) >> FRACTION;
        let whole = (self.0 >> FRACTION) + decimals / 1_000_000_000;
        match decimals % 1_000_000_000 {
            0 => write!(f, "{whole}"),
            decimals => {
                let decimals = format!("{decimals:09}");
                write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
            }
        }
    }
}
