//! The subcommands, one file for each.

pub mod advise;
pub mod batch;
pub mod check;
pub mod diff;
pub mod exec;
pub mod explain;
pub mod export;
mod here;
mod manual;
pub mod map;
pub mod pages;
pub mod probe;
mod remedies;
mod roff;
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
/// `bad-value`, unless `known` has the format.
fn refuse_format(known: &[Format], command: &str, format: Format) -> Result<(), Refused> {
    if known.contains(&format) {
        return Ok(());
    }
    let word = |format: Format| {
        let row = FORMATS.iter().find(|(_, own)| *own == format);
        row.map_or("map-devel", |(word, _)| word)
    };
    let words: Vec<&str> = known.iter().map(|&own| word(own)).collect();
    Err(Refused::Told {
        class: "bad-value",
        sentence: format!(
            "--format {}: {command} knows {}",
            word(format),
            words.join(" ")
        ),
    })
}
