//! What is refused, each with its class.

/// Why something cannot be scored or ordered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScoreError {
    /// A pattern that is none, or does not fit its app.
    #[error("{pattern}: {why}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong, what there is.
        why: String,
    },
    /// An order of ranks that is none, or does not fit its app.
    #[error("{order}: {why}")]
    Order {
        /// The order as given.
        order: String,
        /// What is wrong, what there is.
        why: String,
    },
    /// Beyond a bound.
    #[error("{what}: {found}, at most {limit} are possible")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// The bound.
        limit: u64,
    },
}

impl ScoreError {
    /// The stable class (`docs/errors.md`).
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Pattern { .. } => "bad-pattern",
            Self::Order { .. } => "bad-rank-order",
            Self::TooLarge { .. } => "job-too-large",
        }
    }
}

/// A pattern is refused.
pub(crate) fn bad_pattern<T>(pattern: &str, why: impl Into<String>) -> Result<T, ScoreError> {
    Err(ScoreError::Pattern {
        pattern: pattern.to_owned(),
        why: why.into(),
    })
}
