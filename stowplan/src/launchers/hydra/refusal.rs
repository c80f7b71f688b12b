//! How a line of Hydra ends without a job: at once, or when a node's daemon says no.

use crate::launchers::line::LineRefused;

/// A refusal at once.
pub(crate) fn refuses(why: &str) -> LineRefused {
    LineRefused::new(
        "launcher-refuses",
        format!("mpiexec refuses the line: {why}"),
    )
}

/// A job that starts and dies.
pub(crate) fn fails(why: &str) -> LineRefused {
    LineRefused::new("launch-fails", format!("the launch fails: {why}"))
}
