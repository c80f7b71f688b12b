//! Why a request is refused, and what is worth a note: data with a stable class, never a formatted sentence.

// Where something stands: which text, which bytes.
pub mod at;
// What was said wrongly: words, values, combinations, files that do not parse.
pub mod spec;
// Small facts in words.
pub mod words;
// What cannot be placed: nodes, slots, objects, cpus.
pub mod place;
// Their classes.
mod class;
// What is no error, but worth knowing.
pub(crate) mod note;
// The same of many apps, told once.
pub mod fold;

pub use at::At;
pub use note::Note;
pub use place::PlaceError;
pub use spec::SpecError;

/// Why a job is not mapped. The class is stable; scripts match on it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MapError {
    /// The request itself is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The request is sound, and these nodes cannot honour it.
    #[error(transparent)]
    Place(#[from] PlaceError),
}

impl MapError {
    /// The name that scripts match on, as `not-enough-slots`.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.class(),
            Self::Place(error) => error.class(),
        }
    }
}
