//! Why a call fails.

/// Why a call fails.
pub(crate) enum Fail {
    Refused(face::Error),
    Invalid(&'static str),
    TooSmall,
    NotFound(String),
}

impl From<face::Error> for Fail {
    fn from(error: face::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<stowplan_job::error::JobError> for Fail {
    fn from(error: stowplan_job::error::JobError) -> Self {
        Self::Refused(error.into())
    }
}
