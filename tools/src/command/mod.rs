//! The subcommands, one file for each. A file has the row of its subcommand, and `COMMANDS` has all rows.

pub mod advise;
pub mod batch;
pub mod check;
mod coords;
pub mod diff;
pub mod exec;
pub mod explain;
mod explain_threads;
pub mod export;
// What a command line says: the reader of all of them.
#[doc(hidden)]
pub mod given;
pub mod help;
pub(crate) mod here;
mod levels;
mod manual;
pub mod map;
mod noted;
pub mod onto;
// A saved plan, and where it is carried.
mod carry;
pub mod page;
pub mod probe;
pub(crate) mod remedies;
#[doc(hidden)]
pub mod roff;
pub(crate) mod saved;
pub mod score;
pub mod script;
pub mod session;
pub mod show;
pub mod spawn;
pub mod taskmap;
pub mod threads;
// A subcommand as data.
pub mod subcommand;
pub mod topics;
pub mod topo;

use crate::Console;
use crate::report::{Refused, told};
use stowplan_engine::text::words::nearest;
use subcommand::{Behind, Subcommand};

/// All subcommands, in the order of the help text.
#[rustfmt::skip]
pub const COMMANDS: &[Subcommand] = &[
    map::COMMAND,
    show::COMMAND,
    onto::COMMAND,
    explain::COMMAND,
    diff::COMMAND,
    check::COMMAND,
    export::COMMAND,
    exec::COMMAND,
    probe::COMMAND,
    score::COMMAND,
    advise::COMMAND,
    batch::COMMAND,
    page::COMMAND,
    spawn::COMMAND,
    taskmap::COMMAND,
    session::COMMAND, session::RUN, session::REPLAY, session::SHOW, session::SERVE,
    threads::COMMAND,
    topo::COMMAND, topo::SHOW, topo::LIST,
    help::COMPLETIONS,
    help::MAN,
    help::HELP,
];

/// The subcommands of a subcommand; of no words, those that are called by one word.
pub(crate) fn inner(outer: &str) -> impl Iterator<Item = &'static Subcommand> {
    COMMANDS.iter().filter(move |command| {
        let before = command
            .words
            .strip_suffix(command.name())
            .unwrap_or_default();
        before.trim_end() == outer
    })
}

/// Runs the subcommand that words call. Returns the exit status.
///
/// # Errors
/// Those of the subcommand; `bad-option` where there is none.
pub fn run(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let (mut found, mut rest) = (None, args);
    while let Some((word, behind)) = rest.split_first() {
        let outer = found.map_or("", |command: &Subcommand| command.words);
        let Some(command) = inner(outer).find(|command| command.name() == word) else {
            break;
        };
        (found, rest) = (Some(command), behind);
    }
    match found {
        Some(command) if asks_for_help(command, rest) => {
            help::subcommand_help(command.words, console)
        }
        Some(command) if inner(command.words).next().is_none() => (command.run)(rest, console),
        Some(Subcommand { words, .. }) => Err(no_subcommand(words, rest.first())),
        None => Err(no_subcommand("", args.first())),
    }
}

/// Whether the user asks for help. After the first word of a job or of a program, it may be the program that is asked.
fn asks_for_help(command: &Subcommand, rest: &[String]) -> bool {
    let own = match command.behind {
        Behind::Job | Behind::Program => &rest[..rest.len().min(1)],
        Behind::Nothing | Behind::Words | Behind::Jobs => rest,
    };
    let mut own = own.iter().take_while(|word| *word != "--");
    own.any(|word| help::is_help(word))
}

fn no_subcommand(outer: &str, word: Option<&String>) -> Refused {
    let names: Vec<&str> = inner(outer).map(Subcommand::name).collect();
    let (all, of) = (names.join(" "), if outer.is_empty() { "" } else { " of " });
    let Some(word) = word else {
        return told(
            "bad-option",
            format!("a subcommand{of}{outer} is needed: {all}"),
        );
    };
    let near = nearest(names.into_iter(), word);
    let hint = near.map_or_else(|| ".".to_owned(), |near| format!(": did you mean {near}?"));
    told(
        "bad-option",
        format!("there is no subcommand {word:?}{of}{outer}{hint} There are: {all}"),
    )
}
