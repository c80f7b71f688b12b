//! Why there is no answer.

/// Why it cannot be said where threads go.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// A value that is none.
    #[error("{name}={value}: {wanted}")]
    BadValue {
        /// The variable or option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        wanted: &'static str,
    },
    /// The runtime does not answer twice alike, or its rule is not known.
    #[error("{what}: {why}")]
    NotModelled {
        /// What was asked.
        what: String,
        /// Why there is no rule.
        why: String,
    },
    /// The runtime ends the program.
    #[error("{runtime} ends the program: {message}\nhelp: {instead}")]
    Aborts {
        /// Whose rules.
        runtime: String,
        /// What it says.
        message: String,
        /// What to write.
        instead: String,
    },
}

impl Refused {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::BadValue { .. } => "bad-value",
            Self::NotModelled { .. } => "not-modelled",
            Self::Aborts { .. } => "runtime-aborts",
        }
    }

    pub(super) fn unknown(what: impl Into<String>, why: &str) -> Self {
        Self::NotModelled {
            what: what.into(),
            why: why.to_owned(),
        }
    }
}
