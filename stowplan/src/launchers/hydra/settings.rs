//! Settings before the line that Hydra and Intel MPI do not take.

use crate::launchers::line::{LineAsked, LineRefused};

/// Refuses what nobody would read.
///
/// # Errors
/// `bad-option` for a site.
pub(crate) fn refuse(asked: &LineAsked<'_>) -> Result<(), LineRefused> {
    let command = asked.command;
    if let Some(site) = asked.site {
        let sentence =
            format!("--site {site} comes before {command}, which has no settings of a site");
        return Err(LineRefused::new("bad-option", sentence));
    }
    Ok(())
}
