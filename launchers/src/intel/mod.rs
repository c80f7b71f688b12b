//! The line of intel.

use crate::line::{Laid, LineAsked, LineRefused};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    Err(LineRefused::new(
        "not-modelled",
        format!("{}: its rules are not built yet", asked.command),
    ))
}
