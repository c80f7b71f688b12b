//! The subcommands, one file for each.

pub mod advise;
pub mod batch;
pub mod check;
mod coords;
pub mod diff;
pub mod exec;
pub mod explain;
mod explain_threads;
pub mod export;
pub(crate) mod here;
mod levels;
mod manual;
pub mod map;
mod noted;
pub mod onto;
// A saved plan, and where it is carried.
mod carry;
pub mod page;
pub mod pages;
pub mod probe;
pub(crate) mod remedies;
mod roff;
pub(crate) mod saved;
pub mod score;
pub mod script;
pub mod session;
pub mod show;
pub mod spawn;
pub mod taskmap;
pub mod threads;
pub mod topo;
pub mod words;

use crate::report::Refused;
use stowplan_job::args::{FORMATS, Format};

/// The refusal for an option that a subcommand does not have, with the nearest of those that it has. `command`: the words that call it.
fn no_such_option(command: &str, given: &str) -> Refused {
    let refused = Refused::Told {
        class: "bad-option",
        sentence: format!("{command} has no option {given}"),
    };
    match nearest_option(command, given) {
        Some(near) => Refused::Mended {
            refused: Box::new(refused),
            remedies: vec![format!("did you mean {near}?")],
        },
        None => refused,
    }
}

/// The option of a subcommand that is most like a given one, with its dashes.
fn nearest_option(command: &str, given: &str) -> Option<String> {
    let page = pages::PAGES.iter().find(|page| page.words == command)?;
    let bare = given.trim_start_matches('-');
    let bare = bare.split('=').next().unwrap_or(bare);
    let names = page.options.iter().map(|option| option.name);
    let near = stowplan_engine::text::words::nearest(names, bare)?;
    Some(if near.len() == 1 {
        format!("-{near}")
    } else {
        format!("--{near}")
    })
}

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
