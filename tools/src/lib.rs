//! The `stowplan` command as a library.

use std::io::Write;

// Bodies of fuzz targets.
pub mod fuzz_bodies;
// Messages, notes and carets.
pub mod report;
// Reads bytes up to a limit.
pub mod bounded;
// Standard input in place of a file.
pub mod stdin;
// Reads files by path.
pub mod disk;
// Files that were read for an answer.
pub mod files_read;
// Formats: one plan in, one text out.
pub mod format;
// Ends the process early and cleanly.
pub mod interrupt;
// Where answers go.
pub mod output;
// Progress of long outputs.
pub mod progress;
// Files that were given where others were meant.
#[doc(hidden)]
pub mod mistaken;
// Everything else that the words of a job name.
pub mod surroundings;
// Variables and files from a launcher.
pub mod environment;
// The cpus of this process.
pub mod affinity;
// The subcommands, one file for each.
pub mod command;
// Lines as one types them, answers over HTTP.
pub mod page;
// The state to map on, from a journal or a dump.
mod session_state;

use format::screen::Screen;
use progress::Audience;
use stowplan_engine::stage::resolve::Files;

/// The streams, files and screen that the command uses.
pub struct Console<'c> {
    /// Standard output: only the answer.
    pub out: &'c mut dyn Write,
    /// Standard error: messages and notes.
    pub err: &'c mut dyn Write,
    /// The files that a request names.
    pub files: &'c dyn Files,
    /// What standard output can show.
    pub screen: Screen,
    /// Whether somebody watches standard error.
    pub audience: Audience,
}

/// Runs the command with these arguments (without the program's name). Returns the exit status.
///
/// The answer is formatted for a file: no colours, no progress. [`run_on`] writes to a terminal.
/// ```
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let args = ["topo", "list"].map(String::from);
/// assert_eq!(stowplan_cli::run(&args, &mut out, &mut err), 0);
/// assert_eq!(stowplan_cli::run(&["place".to_owned()], &mut out, &mut err), 2);
/// ```
pub fn run(args: &[String], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let screen = Screen::page();
    let audience = Audience::Nobody;
    run_on(
        args,
        &mut Console {
            out,
            err,
            files: &disk::Disk,
            screen,
            audience,
        },
    )
}

/// Runs the command with these arguments. Returns the exit status.
pub fn run_on(args: &[String], console: &mut Console<'_>) -> u8 {
    mistaken::named(args, console, |console| run_alone(args, console))
}

fn run_alone(args: &[String], console: &mut Console<'_>) -> u8 {
    if let Some((subcommand, rest)) = args.split_first()
        && let Err(refused) = stdin::judge(subcommand, rest)
    {
        return refused.print(console.err);
    }
    match command::script::expand(args, console) {
        Ok(Some(scripted)) => {
            let files = command::script::WithFiles {
                files: console.files,
                more: &scripted.files,
            };
            let mut with_files = Console {
                out: &mut *console.out,
                err: &mut *console.err,
                files: &files,
                screen: console.screen,
                audience: console.audience,
            };
            return run_expanded(&scripted.args, &mut with_files);
        }
        Ok(None) => {}
        Err(refused) => return refused.print(console.err),
    }
    run_expanded(args, console)
}

/// Runs the command with the lines of scripts in their places.
fn run_expanded(args: &[String], console: &mut Console<'_>) -> u8 {
    let answered = match args.split_first() {
        #[cfg(debug_assertions)]
        Some((word, _)) if word == PANICS => {
            rayon::scope(|scope| scope.spawn(|_| unreachable!("a test asks for it")));
            Ok(0)
        }
        Some((word, rest)) if command::help::is_help(word) => command::help::help(rest, console),
        Some((word, _)) if ["--version", "-V"].contains(&word.as_str()) => {
            command::help::version(console)
        }
        Some(_) | None => command::run(args, console),
    };
    answered.unwrap_or_else(|refused| refused.print(console.err))
}

/// Panics on another thread, for a test of what such an end looks like. Published programs have no such word.
#[cfg(debug_assertions)]
pub(crate) const PANICS: &str = "panic-for-a-test";

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
