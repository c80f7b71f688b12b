//! Manual pages: one for the command, one for each subcommand, with exit statuses, formats and examples.

use super::pages::{self, EXAMPLES_ALL, FORMATS, Page};
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};

/// Writes the page of the whole command: its subcommands, and every option of `map`.
pub(super) fn whole(command: Command, map: Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command);
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_subcommands_section(text)?;
    Man::new(map.name("stowplan map")).render_options_section(text)?;
    behind(pages::STATUS, EXAMPLES_ALL, text)?;
    man.render_version_section(text)
}

/// Writes the page of a subcommand.
pub(super) fn of_page(page: &Page, command: Command, text: &mut Vec<u8>) -> io::Result<()> {
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
    behind(page.status(), page.examples, text)
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
