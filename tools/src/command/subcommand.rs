//! A subcommand as data: the words that call it, its options, what follows them, and lines to paste.

use crate::Console;
use crate::report::Refused;
pub(crate) use stowplan::job::options::Takes::{Maybe, Nothing, One};
pub(crate) use stowplan::job::options::Times::{Many, Once};
use stowplan::job::options::{Meaning, OPTIONS, OptionOf, Row, Takes, Times, row};

/// Runs a subcommand with the words behind its own. Returns the exit status.
pub type Run = fn(&[String], &mut Console<'_>) -> Result<u8, Refused>;

/// Words, and what each means.
pub type Told = &'static [(&'static str, &'static str)];

/// A subcommand, or a subcommand of one.
#[derive(Clone, Copy, Debug)]
pub struct Subcommand {
    /// The words that call it: `session run`.
    pub words: &'static str,
    /// The words after them.
    pub synopsis: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its own options; those of `map` are the job's.
    pub options: &'static [Row],
    /// The options of the job that it takes too.
    pub of_job: &'static [Meaning],
    /// What follows its options.
    pub behind: Behind,
    /// Its exit statuses.
    pub status: Told,
    /// What one would type, and what for. A test runs every line.
    pub examples: Told,
    /// What it does.
    pub run: Run,
}

/// What follows the options of a subcommand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    /// Nothing.
    Nothing,
    /// Behind `--`, words that are no options.
    Words,
    /// Behind `--`, a job; behind each further `--` another.
    Jobs,
    /// A program, behind `--` or as the second word.
    Program,
    /// Its words are those of a job, without `--` before them.
    Job,
}

/// A subcommand that takes words alone.
pub(crate) const fn subcommand(
    words: &'static str,
    synopsis: &'static str,
    about: &'static str,
    run: Run,
) -> Subcommand {
    Subcommand {
        words,
        synopsis,
        about,
        options: &[],
        of_job: &[],
        behind: Behind::Nothing,
        status: STATUS,
        examples: &[],
        run,
    }
}

/// An option of a subcommand alone.
pub(crate) const fn own(
    names: &'static [&'static str],
    takes: Takes,
    value: &'static str,
    times: Times,
    help: &'static str,
) -> Row {
    let (meaning, of) = (Meaning::Ignored, OptionOf::Command);
    row(names, takes, value, meaning, of, times, help)
}

impl Subcommand {
    /// The last word that calls it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.words.rsplit(' ').next().unwrap_or(self.words)
    }

    /// All options that it takes.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> {
        let of_job = self.of_job;
        let job = OPTIONS.iter().filter(|row| of_job.contains(&row.meaning));
        self.options.iter().chain(job)
    }
}

/// Exit statuses of most subcommands.
#[rustfmt::skip]
pub(crate) const STATUS: Told = &[
    ("0", "the answer is on standard output; notes are on standard error"),
    ("1", "standard output cannot be written: error[output] says why"),
    ("2", "refused: nothing on standard output, error[CLASS] on standard error; docs/errors.md has the classes"),
    ("130", "interrupted"),
];
