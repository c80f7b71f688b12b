//! `stowplan help`, `completions SHELL` and `man`: all from the option table that the parser follows.

use super::manual;
use super::pages::topics::Topic;
use super::pages::{self, PAGES, Page, topics};
use super::roff;
use crate::Console;
use crate::format::screen::Reader;
use crate::report::{Refused, Target};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use std::io::{self, Write};
use stowplan_engine::text::words::{self, spellings};
use stowplan_job::args::FORMATS;
use stowplan_job::options::{IGNORED, Meaning, OPTIONS, Row, Takes};
use stowplan_launchers::environment::System;
use stowplan_topo::builtin::MACHINES;

/// Words of `completions`, in the order of the help text.
const SHELLS: &[(&str, Shell)] = &[
    ("bash", Shell::Bash),
    ("zsh", Shell::Zsh),
    ("fish", Shell::Fish),
    ("elvish", Shell::Elvish),
    ("powershell", Shell::PowerShell),
];

/// The argument for an option: its names, its values and its help.
fn option(row: &'static Row) -> Arg {
    let mut arg = Arg::new(row.names[0]).help(help_of(row));
    for (at, &name) in row.names.iter().enumerate() {
        let mut letters = name.chars();
        arg = match (letters.next(), letters.next(), at) {
            (Some(letter), None, 0) => arg.short(letter),
            (Some(letter), None, _) if arg.get_short().is_none() => arg.short(letter),
            (Some(letter), None, _) => arg.visible_short_alias(letter),
            _ if arg.get_long().is_none() => arg.long(name),
            _ => arg.visible_alias(name),
        };
    }
    if let Some(values) = values(row.names[0]) {
        arg = arg
            .value_parser(PossibleValuesParser::new(values))
            .hide_possible_values(true);
    }
    match row.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::One => arg.value_name(row.metavar).action(ArgAction::Append),
        Takes::Two => arg
            .value_names(row.metavar.split(' '))
            .num_args(2)
            .action(ArgAction::Append),
        Takes::Maybe => arg
            .value_name(row.metavar)
            .num_args(0..=1)
            .require_equals(true),
    }
}

/// The values of an option that completions offer; the option may take others too.
fn values(name: &str) -> Option<Vec<&'static str>> {
    // The command is built once per process, and its words live as long.
    let kept = |word: String| -> &'static str { String::leak(word) };
    let words = |policies: Vec<&'static str>, qualifiers: Vec<&'static str>| {
        let qualifiers = qualifiers.into_iter().map(|word| kept(format!(":{word}")));
        Some(policies.into_iter().chain(qualifiers).collect())
    };
    match name {
        "map-by" => words(
            spellings(words::MAP_WORDS),
            spellings(words::MAP_QUALIFIERS),
        ),
        "rank-by" => words(spellings(words::RANK_WORDS), Vec::new()),
        "bind-to" => words(
            spellings(words::BIND_WORDS),
            spellings(words::BIND_QUALIFIERS),
        ),
        "format" => words(FORMATS.iter().map(|row| row.0).collect(), Vec::new()),
        "topo" => {
            let machines = MACHINES
                .iter()
                .map(|row| kept(format!("builtin:{}", row.name)));
            Some(machines.chain(["here"]).collect())
        }
        "here" => words(System::ALL.map(System::word).to_vec(), Vec::new()),
        "gpus" => words(vec!["split", "share", "none"], Vec::new()),
        _ => None,
    }
}

fn help_of(row: &Row) -> String {
    if let Meaning::Old(_) = row.meaning {
        return format!("old spelling of {}", row.help);
    }
    let silent = row.help.is_empty();
    if silent {
        "accepted, without effect here"
    } else {
        row.help
    }
    .to_owned()
}

fn map() -> Command {
    let options = OPTIONS.iter().map(option);
    // Ignored options are hidden: they are accepted, and `docs/options.md` lists them.
    let ignored = IGNORED.iter().map(|row| option(row).hide(true));
    bare(&pages::MAP)
        .disable_version_flag(true)
        .args(options.chain(ignored))
}

/// A subcommand without options.
fn bare(page: &Page) -> Command {
    let command = Command::new(page.name())
        .about(page.about)
        .disable_help_flag(true)
        .override_usage(format!("stowplan {} {}", page.words, page.synopsis));
    if page.examples.is_empty() {
        return command;
    }
    let mut text = String::from("Examples:");
    for (line, what) in page.examples {
        text.push_str(&format!("\n  {line}\n      {what}"));
    }
    command.after_help(text)
}

/// A subcommand, with its options and its own subcommands.
fn described(page: &Page) -> Command {
    let options = page.options.iter().map(|option| {
        let arg = Arg::new(option.name).help(option.help);
        let mut letters = option.name.chars();
        let arg = match (letters.next(), letters.next()) {
            (Some(letter), None) => arg.short(letter),
            _ => arg.long(option.name),
        };
        if option.value.is_empty() {
            arg.action(ArgAction::SetTrue)
        } else {
            arg.value_name(option.value).action(ArgAction::Set)
        }
    });
    bare(page)
        .args(options)
        .subcommands(page.inner().map(described))
}

/// The command as completions and the manual see it. `args` reads the arguments, because it knows prterun's spellings.
#[must_use]
pub fn command() -> Command {
    let others = PAGES.iter().filter(|page| page.is_outer()).map(described);
    Command::new("stowplan")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Shows, offline and in milliseconds, where a million ranks would land")
        .disable_help_subcommand(true)
        .subcommand(map())
        .subcommands(others)
}

/// Prints the help, or that of a subcommand or of an option's values.
pub fn help(of: &[String], console: &mut Console<'_>) -> u8 {
    if let [word] = of
        && let Some(topic) = Topic::of(word)
    {
        return give(console, |out| out.write_all(topic.page().as_bytes()));
    }
    let mut whole = command();
    whole.build();
    let mut found = &mut whole;
    for (at, word) in of.iter().enumerate() {
        if found.find_subcommand(word).is_none() {
            // A request for help among other words is about the words before it.
            if of.iter().any(|word| word.starts_with('-')) {
                break;
            }
            return no_topic(&of[..=at].join(" ")).print(console.err);
        }
        found = found.find_subcommand_mut(word).expect("it was found");
    }
    let text = found.render_help().to_string();
    give(console, |out| out.write_all(text.as_bytes()))
}

fn no_topic(asked: &str) -> Refused {
    let pages = PAGES.iter().chain([&pages::MAP]).map(|page| page.words);
    let names: Vec<&'static str> = pages.chain(topics::words()).collect();
    let last = asked.rsplit(' ').next().unwrap_or(asked);
    let near = words::nearest(names.iter().copied(), last);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    Refused::Told {
        class: "bad-option",
        sentence: format!(
            "there is no topic {asked:?} of help: {hint}there are {}",
            names.join(", ")
        ),
    }
}

/// Prints the version.
pub fn version(console: &mut Console<'_>) -> u8 {
    give(console, |out| {
        writeln!(out, "stowplan {}", env!("CARGO_PKG_VERSION"))
    })
}

/// Prints completions for a shell.
pub fn completions(args: &[String], console: &mut Console<'_>) -> u8 {
    let words: Vec<&str> = SHELLS.iter().map(|(word, _)| *word).collect();
    let shell = match args {
        [word] => SHELLS.iter().find(|(own, _)| own == word),
        _ => None,
    };
    let Some(&(_, shell)) = shell else {
        let sentence = format!(
            "completions {}: it takes one of: {}",
            args.join(" "),
            words.join(" ")
        );
        let class = "bad-value";
        return Refused::Told { class, sentence }.print(console.err);
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "stowplan", &mut text);
    give(console, |out| out.write_all(&text))
}

/// Prints the manual page: the command with every option of `map`, or a subcommand.
pub fn man(args: &[String], console: &mut Console<'_>) -> u8 {
    let mut text = Vec::new();
    let written = match args {
        [] => manual::whole(command(), map(), &mut text),
        words => {
            let name = words.join(" ");
            let mut pages = PAGES.iter().chain([&pages::MAP]);
            let Some(page) = pages.find(|page| page.words == name) else {
                return no_page(&name).print(console.err);
            };
            let command = if name == pages::MAP.words {
                map()
            } else {
                described(page)
            };
            manual::of_page(page, command, &mut text)
        }
    };
    match written {
        Ok(()) if console.screen.reader == Reader::Terminal => {
            let text = roff::plain(&String::from_utf8_lossy(&text));
            give(console, |out| out.write_all(text.as_bytes()))
        }
        Ok(()) => give(console, |out| out.write_all(&text)),
        Err(error) => {
            let to = Target::File("the manual page".to_owned());
            Refused::Output { to, error }.print(console.err)
        }
    }
}

fn no_page(name: &str) -> Refused {
    let names: Vec<&str> = PAGES.iter().map(|page| page.words).chain(["map"]).collect();
    let near = words::nearest(names.iter().copied(), name);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    Refused::Told {
        class: "bad-option",
        sentence: format!(
            "man has no page of {name:?}: {hint}there are {}",
            names.join(", ")
        ),
    }
}

fn give(console: &mut Console<'_>, answer: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> u8 {
    match crate::output::give(None, console.out, answer) {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_makes_a_sound_command() {
        command().debug_assert();
    }

    #[test]
    fn every_subcommand_has_a_page() {
        for page in PAGES.iter().chain([&pages::MAP]) {
            let mut text = Vec::new();
            manual::of_page(page, described(page), &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            for heading in ["EXIT STATUS", "FORMATS", "EXAMPLES"] {
                assert!(
                    text.contains(&format!(".SH \"{heading}\"")),
                    "{}",
                    page.words
                );
            }
        }
    }

    #[test]
    fn completions_offer_values() {
        for shell in SHELLS
            .iter()
            .filter(|row| ["bash", "zsh", "fish"].contains(&row.0))
        {
            let mut text = Vec::new();
            clap_complete::generate(shell.1, &mut command(), "stowplan", &mut text);
            let text = String::from_utf8(text).unwrap();
            for word in [
                "pe-list",
                "oversubscribe",
                "frontier",
                "ndjson",
                "if-supported",
            ] {
                assert!(text.contains(word), "{word} is not offered by {}", shell.0);
            }
        }
    }

    #[test]
    fn the_manual_names_every_option() {
        let mut text = Vec::new();
        manual::whole(command(), map(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap().replace('\\', "");
        for row in OPTIONS {
            assert!(
                text.contains(&row.written()),
                "{} is not in it",
                row.written()
            );
        }
    }
}
