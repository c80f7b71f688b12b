//! Gives the devices that `--devices` states to the topologies of a job's nodes.

use crate::error::JobError;
use crate::named_nodes::hosts;
use crate::rows::{ROWS_MAX, Row, change};

/// Replaces the devices of all nodes, or of some, as `--devices` says.
///
/// # Errors
/// `bad-devices`, `bad-hostlist`.
///
/// Cost: as [`change`].
pub(crate) fn give(rows: &mut Vec<Row>, text: &str) -> Result<(), JobError> {
    let (nodes, stated) = stowplan_topo::devices::read(text)?;
    let nodes = nodes.map(hosts).transpose()?;
    change(rows, nodes, &|draft| Ok(stated.replace(draft)?))?;
    if rows.len() > ROWS_MAX {
        return Err(JobError::Told {
            class: "bad-devices",
            sentence: format!(
                "--devices {text}: with the options before it there are {} kinds of nodes, at most {ROWS_MAX} are possible",
                rows.len()
            ),
        });
    }
    Ok(())
}
