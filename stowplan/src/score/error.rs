//! Errors, each with its class.

/// Why something cannot be scored or ordered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScoreError {
    /// A pattern is not valid, or does not fit its app.
    #[error("{pattern}: {why}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong, and what there is.
        why: String,
    },
    /// An order of ranks is not valid, or does not fit its app.
    #[error("{order}: {why}")]
    Order {
        /// The order as given.
        order: String,
        /// What is wrong, and what there is.
        why: String,
    },
    /// A number is beyond a bound.
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

/// Refuses a pattern.
pub(crate) fn bad_pattern<T>(pattern: &str, why: impl Into<String>) -> Result<T, ScoreError> {
    Err(ScoreError::Pattern {
        pattern: pattern.to_owned(),
        why: why.into(),
    })
}
