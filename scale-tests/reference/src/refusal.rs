//! Why the reference refuses a job: a class of `docs/errors.md`, and a sentence for people who debug.

/// A refusal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The class, as `not-enough-slots`.
    pub class: &'static str,
    /// What was asked, what there was, where.
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
    /// The same, as the failed result it ends in.
    pub(crate) fn err<T>(class: &'static str, why: impl Into<String>) -> Result<T, Self> {
        Err(Self::new(class, why))
    }
}
