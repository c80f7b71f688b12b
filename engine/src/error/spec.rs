//! What was said wrongly. Source: `errors` "The command line", "What is given".

/// A request that is wrong in itself.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// `-n`, or a sum, beyond what ids count.
    #[error("{asked} {what} are asked for, at most {limit} are possible")]
    JobTooLarge {
        /// `processes`, `nodes` or `cpus`.
        what: &'static str,
        /// The number.
        asked: u64,
        /// The bound.
        limit: u64,
    },
}

impl SpecError {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::JobTooLarge { .. } => "job-too-large",
        }
    }
}
