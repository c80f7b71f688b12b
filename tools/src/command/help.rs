//! `stowplan help`, `completions SHELL` and `man`: all from the rows that the reader follows.

use super::subcommand::{Subcommand, subcommand};
use super::topics::{self, Topic};
use super::{COMMANDS, inner, manual, map, roff};
use crate::Console;
use crate::format::screen::Reader;
use crate::report::{Refused, Target, told};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use std::io::{self, Write};
use stowplan::job::args::FORMATS;
use stowplan::job::options::{IGNORED, Meaning, OptionOf, Row, Takes};
use stowplan::launchers::environment::System;
use stowplan_engine::text::words::{self, spellings};
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
    if let (false, Some(values)) = (row.of == OptionOf::Command, values(row.names[0])) {
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

/// A subcommand, with its options and its own subcommands.
fn described(page: &Subcommand) -> Command {
    // Options of a job without effect are hidden: they are accepted, and `docs/options.md` lists them.
    let ignored = if page.words == "map" { IGNORED } else { &[] };
    let ignored = ignored.iter().map(|row| option(row).hide(true));
    let command = Command::new(page.name())
        .about(page.about)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .override_usage(format!("stowplan {} {}", page.words, page.synopsis))
        .args(page.rows().map(option).chain(ignored))
        .subcommands(inner(page.words).map(described));
    if page.examples.is_empty() {
        return command;
    }
    let mut text = String::from("Examples:");
    for (line, what) in page.examples {
        text.push_str(&format!("\n  {line}\n      {what}"));
    }
    command.after_help(text)
}

/// The command as completions and the manual see it.
#[must_use]
pub fn command() -> Command {
    Command::new("stowplan")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Shows, offline and in milliseconds, where a million ranks would land")
        .disable_help_subcommand(true)
        .subcommands(inner("").map(described))
}

/// Whether a word asks for help.
pub(crate) fn is_help(word: &str) -> bool {
    word == "--help" || word == "-h"
}

#[rustfmt::skip]
pub(crate) const HELP: Subcommand = Subcommand {
    examples: &[
        ("stowplan help session run", "as session run --help"),
        ("stowplan help map-by", "every policy and qualifier; also rank-by bind-to topo host hostfile rankfile seq format"),
    ],
    ..subcommand("help", "[SUBCOMMAND | OPTION]", "Prints this, the help of a subcommand, or the values of an option", help)
};

/// Prints the help, or that of a subcommand or of an option's values.
pub(crate) fn help(of: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    if let [word] = of
        && let Some(topic) = Topic::of(word)
    {
        return give(console, |out| out.write_all(topic.page().as_bytes()));
    }
    // A request for help among other words is about the words before it.
    let words = of.iter().take_while(|word| !word.starts_with('-'));
    let words: Vec<&str> = words.map(String::as_str).collect();
    subcommand_help(&words.join(" "), console)
}

/// Prints the help of the subcommand that words call; of no words, that of the whole command.
pub(super) fn subcommand_help(words: &str, console: &mut Console<'_>) -> Result<u8, Refused> {
    let mut whole = command();
    whole.build();
    let mut found = &mut whole;
    for word in words.split_whitespace() {
        if found.find_subcommand(word).is_none() {
            return Err(no_topic(words));
        }
        found = found.find_subcommand_mut(word).expect("it was found");
    }
    let text = found.render_help().to_string();
    give(console, |out| out.write_all(text.as_bytes()))
}

fn no_topic(asked: &str) -> Refused {
    let last = asked.rsplit(' ').next().unwrap_or(asked);
    let all = names().chain(topics::words()).collect();
    unknown(&format!("there is no topic {asked:?} of help"), last, all)
}

/// What calls each subcommand.
fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.words)
}

/// The refusal of a word, with the nearest and all others.
fn unknown(sentence: &str, word: &str, all: Vec<&'static str>) -> Refused {
    let near = words::nearest(all.iter().copied(), word);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let sentence = format!("{sentence}: {hint}there are {}", all.join(", "));
    told("bad-option", sentence)
}

/// Prints the version.
pub(crate) fn version(console: &mut Console<'_>) -> Result<u8, Refused> {
    give(console, |out| {
        writeln!(out, "stowplan {}", env!("CARGO_PKG_VERSION"))
    })
}

#[rustfmt::skip]
pub(crate) const COMPLETIONS: Subcommand = Subcommand {
    examples: &[("stowplan completions bash", "to be sourced by the shell")],
    ..subcommand("completions", "SHELL", "Prints completions for bash, zsh, fish, elvish or powershell", completions)
};

fn completions(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let shell = match args {
        [word] => SHELLS.iter().find(|(own, _)| own == word),
        _ => None,
    };
    let Some(&(_, shell)) = shell else {
        let words: Vec<&str> = SHELLS.iter().map(|(word, _)| *word).collect();
        let (args, words) = (args.join(" "), words.join(" "));
        return Err(told(
            "bad-value",
            format!("completions {args}: it takes one of: {words}"),
        ));
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "stowplan", &mut text);
    give(console, |out| out.write_all(&text))
}

#[rustfmt::skip]
pub(crate) const MAN: Subcommand = Subcommand {
    examples: &[("stowplan man map", "to be read with man -l -")],
    ..subcommand("man", "[SUBCOMMAND]", "Prints the manual page, or that of a subcommand", man)
};

/// Prints the manual page: the command with every option of `map`, or a subcommand.
fn man(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let mut text = Vec::new();
    let name = args.join(" ");
    let written = match COMMANDS.iter().find(|page| page.words == name) {
        None if args.is_empty() => manual::whole(command(), described(&map::COMMAND), &mut text),
        None => {
            let sentence = format!("man has no page of {name:?}");
            return Err(unknown(&sentence, &name, names().collect()));
        }
        Some(page) => manual::of_page(page, described(page), &mut text),
    };
    if let Err(error) = written {
        let to = Target::File("the manual page".to_owned());
        return Err(Refused::Output { to, error });
    }
    if console.screen.reader == Reader::Terminal {
        text = roff::plain(&String::from_utf8_lossy(&text)).into_bytes();
    }
    give(console, |out| out.write_all(&text))
}

fn give(
    console: &mut Console<'_>,
    answer: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<u8, Refused> {
    crate::output::give(None, console.out, answer).map(|()| 0)
}
