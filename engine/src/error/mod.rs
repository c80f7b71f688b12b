//! Errors and notes: data with a stable class. Each has its sentence here, made of the data when it is shown.

// Where a word is: which text, which bytes.
pub mod at;
// Wrong requests: words, values, combinations, files that do not parse.
pub mod spec;
// Parts of messages that several errors use.
pub mod phrases;
// Requests that these nodes cannot honor: nodes, slots, objects, cpus.
pub mod place;
// The classes of all errors.
pub mod class;
// Notes: not errors, but worth knowing.
pub mod note;
// Notes that hold for many apps, reported once.
pub mod fold;

pub use at::At;
pub use class::{Class, UnknownClass};
pub use note::Note;
pub use place::PlaceError;
pub use spec::SpecError;

/// Why a job is not mapped. Its class is stable: scripts match on it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MapError {
    /// The request itself is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The request is sound, but these nodes cannot honor it.
    #[error(transparent)]
    Place(#[from] PlaceError),
}

impl MapError {
    /// The app that is refused; `None`: the job, a file or a node is at fault, whichever app names it.
    #[must_use]
    pub fn app(&self) -> Option<u32> {
        match self {
            Self::Spec(error) => error.app(),
            Self::Place(error) => error.app(),
        }
    }

    /// The name that scripts match on, as `not-enough-slots`.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.class(),
            Self::Place(error) => error.class(),
        }
    }
}
