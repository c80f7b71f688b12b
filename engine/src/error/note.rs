//! What is no error, but worth knowing: printed as `note[CLASS]: …`, never changing the result.

/// Something worth knowing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Note {
    /// NOLOCAL, but no local node is in the list.
    #[error("app {app} asks for NOLOCAL, and its nodes hold no local node")]
    NothingLocal {
        /// The app, from 0.
        app: u32,
    },
}

impl Note {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::NothingLocal { .. } => "nothing-local",
        }
    }
}
