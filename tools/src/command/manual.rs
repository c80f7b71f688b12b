//! Manual pages: one for the command, one for each subcommand, with exit statuses, formats and examples.

use super::subcommand::{STATUS, Subcommand, Told};
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};

/// Formats of plans.
#[rustfmt::skip]
pub(super) const FORMATS: Told = &[
    ("text", "for people: at most 24 lines, or a line a rank up to 32 ranks"),
    ("map", "the layout of prterun's --display map"),
    ("tsv", "a line a rank: rank app app_rank node local_rank node_rank object cpus"),
    ("ndjson", "an object a rank, with the same keys"),
    ("json", "compact, by runs: docs/plan.schema.json"),
    ("html svg", "a picture"),
    ("taskmap", "the task map of RFC 34"),
    ("pmi", "PMI_process_mapping"),
    ("raw", "the node of each rank"),
];

/// Examples of the whole command.
#[rustfmt::skip]
const EXAMPLES_ALL: Told = &[
    ("stowplan map --topo 'package:2 core:4 pu:2' -H a:8,b:8 --map-by numa ./x", "where each rank goes"),
    ("stowplan explain 3 job.plan", "why rank 3 of a saved plan is there"),
    ("stowplan help map-by", "every policy and qualifier"),
];

/// Writes the page of the whole command: its subcommands, and every option of `map`.
pub(super) fn whole(command: Command, map: Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command);
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_subcommands_section(text)?;
    Man::new(map.name("stowplan map")).render_options_section(text)?;
    behind(STATUS, EXAMPLES_ALL, text)?;
    man.render_version_section(text)
}

/// Writes the page of a subcommand.
pub(super) fn of_page(page: &Subcommand, command: Command, text: &mut Vec<u8>) -> io::Result<()> {
    let name: &'static str = String::leak(format!("stowplan-{}", page.words.replace(' ', "-")));
    let has_options = command.get_arguments().next().is_some();
    let man = Man::new(command.name(name)).title(name.to_ascii_uppercase());
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    if has_options {
        man.render_options_section(text)?;
    }
    behind(page.status, page.examples, text)
}

/// Exit statuses, formats, examples.
fn behind(
    status: &[(&str, &str)],
    examples: &[(&str, &str)],
    text: &mut Vec<u8>,
) -> io::Result<()> {
    rows("EXIT STATUS", status, text)?;
    rows("FORMATS", FORMATS, text)?;
    rows("EXAMPLES", examples, text)
}

fn rows(heading: &str, rows: &[(&str, &str)], text: &mut Vec<u8>) -> io::Result<()> {
    writeln!(text, ".SH \"{heading}\"")?;
    for (word, what) in rows {
        writeln!(text, ".TP\n\\fB{}\\fR\n{}", escaped(word), escaped(what))?;
    }
    Ok(())
}

/// A text with all roff instructions escaped.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.chars().next() {
        Some('.' | '\'') => format!("\\&{text}"),
        Some(_) | None => text,
    }
}
