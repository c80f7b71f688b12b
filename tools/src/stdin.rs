//! Standard input, as `-` in place of a file: it is read once, and a command may name it at one place only.

use crate::bounded::{Unread, bounded};
use crate::report::{Refused, told};
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use stowplan::answers::journal_file::{self, FileError};
use stowplan::job::line::cut;
use stowplan::job::options::find;
use stowplan::job::our_words::in_our_words;
use stowplan::job::words::{AppWords, CommandLine, OptionWords};
use stowplan_engine::limit::TEXT_BYTES_MAX;

/// The word that stands for standard input.
pub const STDIN: &str = "-";

/// Kept, because a refused job is planned again with other words.
static READ: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();

/// All of standard input.
///
/// # Errors
/// The system's reason, or more bytes than a file may have.
pub fn bytes() -> Result<&'static [u8], String> {
    let read = READ.get_or_init(|| {
        bounded(std::io::stdin().lock(), TEXT_BYTES_MAX, 0).map_err(|error| match error {
            Unread::TooLong => format!("it has more than {TEXT_BYTES_MAX} bytes"),
            Unread::Io(error) => error.to_string(),
        })
    });
    read.as_deref().map_err(Clone::clone)
}

/// The bytes of a journal, from a file or for `-` from standard input.
///
/// # Errors
/// As [`journal_file::read`].
pub fn journal(path: &Path) -> Result<Vec<u8>, FileError> {
    if path != Path::new(STDIN) {
        return journal_file::read(path);
    }
    let read = bytes().map(<[u8]>::to_vec);
    read.map_err(|error| FileError::Io {
        doing: "read",
        error: io::Error::other(error),
    })
}

/// Refuses a command that has `-` in place of two files.
///
/// # Errors
/// `bad-value`.
pub fn judge(subcommand: &str, args: &[String]) -> Result<(), Refused> {
    let mut found = Vec::new();
    // In exec, the program comes after the first --. In other commands, a job comes after each --.
    let mut parts = args.split(|word| word == "--");
    if matches!(subcommand, "map" | "batch") {
        job(args, &mut found);
    } else {
        let own = parts.next().unwrap_or_default();
        let plain = own.iter().take_while(|word| is_plain(word)).count();
        positional(&own[..plain], &mut found);
        job(&own[plain..], &mut found);
        if subcommand != "exec" {
            parts.for_each(|part| job(part, &mut found));
        }
    }
    let [first, second, ..] = found.as_slice() else {
        return Ok(());
    };
    Err(told(
        "bad-value",
        format!("{first} and {second} are both standard input, which can be read once"),
    ))
}

fn is_plain(word: &str) -> bool {
    word == STDIN || !word.starts_with('-')
}

fn positional(words: &[String], found: &mut Vec<String>) {
    found.extend(words.iter().filter(|word| *word == STDIN).cloned());
}

fn job(words: &[String], found: &mut Vec<String>) {
    for AppWords { options, program } in CommandLine::read(&ours(words)).apps {
        found.extend(
            options
                .iter()
                .filter(|option| is_stdin(option))
                .map(words_of),
        );
        // A file may be called -, a program may not.
        positional(&program[..program.len().min(1)], found);
    }
}

/// The words of ours: files in the words of a launcher are its affair, and standard input is that of its program.
fn ours(words: &[String]) -> Vec<String> {
    let own = || cut(words).map_or_else(|| words.to_vec(), |cut| cut.ours.to_vec());
    in_our_words(words).unwrap_or_else(own)
}

fn words_of(option: &OptionWords) -> String {
    format!("{} {}", option.name, option.values.join(" "))
}

/// Whether an option reads its file from standard input.
fn is_stdin(option: &OptionWords) -> bool {
    match find(option.name.trim_start_matches('-')) {
        Some(row) => row.reads_stdin(&option.values),
        // Options of other subcommands, such as --live and --matrix.
        None => option.values.last().is_some_and(|value| value == STDIN),
    }
}
