//! Settings before the line that Hydra and Intel MPI do not take, or whose rule is not known here.

use crate::line::{LineAsked, LineRefused};

/// Refuses what nobody would read.
///
/// # Errors
/// `bad-option` for a site, `not-modelled` for parts of nodes.
pub(crate) fn refuse(asked: &LineAsked<'_>) -> Result<(), LineRefused> {
    let command = asked.command;
    if let Some(site) = asked.site {
        let sentence =
            format!("--site {site} stands before {command}, which has no settings of a site");
        return Err(LineRefused::new("bad-option", sentence));
    }
    if let Some(cpus) = asked.granted {
        let sentence =
            format!("--granted {cpus}: what {command} does on a part of a node is not known here");
        return Err(LineRefused::new("not-modelled", sentence));
    }
    Ok(())
}
