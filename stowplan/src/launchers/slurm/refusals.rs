//! The classes of refusals.

use crate::launchers::line::LineRefused;

/// srun says no before the step exists.
pub(super) fn refuses(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("launcher-refuses", sentence)
}

/// The step exists, and its launch dies.
pub(super) fn fails(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("launch-fails", sentence)
}

/// The step never starts.
pub(super) fn waits(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("would-wait", sentence)
}

/// Slurm does something that is not known here.
pub(super) fn not_modelled(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("not-modelled", sentence)
}

/// srun knows no such word.
pub(super) fn option(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("bad-option", sentence)
}

/// A value of our own words that does not read.
pub(super) fn value(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("bad-value", sentence)
}

/// A setting of the site that does not read, or contradicts the hardware.
pub(super) fn site(sentence: impl Into<String>) -> LineRefused {
    LineRefused::new("bad-site", sentence)
}
