//! Subcommands: one file each.

pub mod advise;
pub mod batch;
pub mod check;
pub mod diff;
pub mod exec;
pub mod explain;
pub mod export;
mod here;
pub mod map;
pub mod pages;
pub mod probe;
pub mod score;
pub mod session;
pub mod show;
pub mod spawn;
pub mod taskmap;
pub mod topo;
pub mod words;

use crate::report::Refused;
use stowplan_job::args::{FORMATS, Format};

/// Refuses a format that a subcommand does not have.
///
/// # Errors
/// `bad-value`, unless it is fine.
fn refuse_format(fine: bool, command: &str, format: Format, known: &str) -> Result<(), Refused> {
    if fine {
        return Ok(());
    }
    let word = FORMATS.iter().find(|(_, own)| *own == format);
    let word = word.map_or("", |(word, _)| word);
    Err(Refused::Told {
        class: "bad-value",
        sentence: format!("--format {word}: {command} knows {known}"),
    })
}
