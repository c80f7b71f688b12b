//! Why the reference refuses a job: a class of `docs/errors.md`, and a sentence for debugging.

/// A refusal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The class, as `not-enough-slots`.
    pub class: &'static str,
    /// What was asked for, what there was, and where.
    pub why: String,
}

impl Refusal {
    /// A refusal of this class.
    pub(crate) fn new(class: &'static str, why: impl Into<String>) -> Self {
        Self {
            class,
            why: why.into(),
        }
    }
    /// A refusal of this class, as a failed result.
    pub(crate) fn err<T>(class: &'static str, why: impl Into<String>) -> Result<T, Self> {
        Err(Self::new(class, why))
    }
}
