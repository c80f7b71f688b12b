//! Why a call fails.

/// Why a call fails.
pub(crate) enum Fail {
    Refused(face::Error),
    /// The job at this place among several.
    RefusedOf(usize, face::Error),
    /// A refusal of this interface: its class and its sentence.
    Told(&'static str, &'static str),
    Invalid(&'static str),
    TooSmall,
    NotFound(String),
}

impl From<face::Error> for Fail {
    fn from(error: face::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<face::job::error::JobError> for Fail {
    fn from(error: face::job::error::JobError) -> Self {
        Self::Refused(error.into())
    }
}
