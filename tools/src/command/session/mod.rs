//! `stowplan session`: scenarios, journals and the launcher's channel. Source: reservations "Sessions and reservations".

// Reads the command line.
mod args;
// Conversion between JSON and the types of the engine.
pub mod scenario;
pub mod state_json;
// Output for people.
mod person;
// One file for each subcommand.
mod replay;
mod run;
mod serve;
mod show;

use crate::report::Refused;
use std::io::{self, BufRead, Write};
use stowplan_answers::journal_file::FileError;
use stowplan_answers::session_json::malformed::Malformed;
use stowplan_session::{Broken, ReplayError};

/// What went wrong; the exit status depends on it.
#[derive(Debug)]
enum Failure {
    /// A wrong word on the command line.
    Words {
        class: &'static str,
        sentence: String,
    },
    /// An unknown option, and the nearest known one.
    Mended { sentence: String, help: String },
    /// A scenario that cannot be read or started.
    Scenario(String),
    /// A journal that cannot be read, is in use, or cannot be written.
    Journal(String),
    /// An internal error of stowplan.
    Internal(String),
    /// Standard output cannot be written.
    Unread(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Self::Scenario(malformed.to_string())
    }
}

impl Failure {
    /// An error of a journal file.
    fn file(path: &str, error: &FileError) -> Self {
        Self::Journal(format!("{path}: {error}"))
    }
    /// A journal that cannot be replayed.
    fn replay(path: &str, error: &ReplayError) -> Self {
        if error.is_ours() {
            Self::Internal(format!("{path}: {error}"))
        } else {
            Self::Journal(format!("{path}: {error}"))
        }
    }
    /// A broken invariant, and where it broke.
    fn broken(broken: &Broken, place: &str) -> Self {
        Self::Internal(format!("{broken}, {place}"))
    }
}

/// The result of a subcommand that gave an answer; decides the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// As expected, or nothing was expected.
    Met,
    /// An expectation was not met.
    Unmet,
}

/// Runs the subcommand with the arguments after `session`. Returns the exit status of reservations "Sessions and reservations":
/// 0, 1 when an expectation is not met, 2 for what cannot be read, 70 for a fault of ours.
pub fn run(
    args: &[String],
    stdin: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let verdict = answer(args, stdin, out).and_then(|verdict| {
        out.flush()?;
        Ok(verdict)
    });
    let (status, told) = match verdict {
        Ok(Verdict::Met) => return 0,
        Ok(Verdict::Unmet) => return 1,
        Err(Failure::Unread(error)) => return Refused::unwritten(error).print(err),
        Err(Failure::Words { class, sentence }) => (2, format!("error[{class}]: {sentence}")),
        Err(Failure::Mended { sentence, help }) => {
            let _ = writeln!(
                err,
                "{}",
                person::plain(&format!("error[bad-option]: {sentence}"))
            );
            (2, format!("help: {help}"))
        }
        Err(Failure::Scenario(sentence)) => (2, format!("error[scenario]: {sentence}")),
        Err(Failure::Journal(sentence)) => (2, format!("error[journal]: {sentence}")),
        Err(Failure::Internal(sentence)) => (70, format!("error[internal]: {sentence}")),
    };
    // The worst that can happen to a message is that nobody reads it.
    let _ = writeln!(err, "{}", person::plain(&told));
    status
}

fn answer(
    args: &[String],
    stdin: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<Verdict, Failure> {
    match args::read(args)? {
        args::Wanted::Run(wanted) => run::run(&wanted, out),
        args::Wanted::Replay(wanted) => replay::run(&wanted, out),
        args::Wanted::Show(wanted) => show::run(&wanted, out),
        args::Wanted::Serve(wanted) => serve::run(&wanted, stdin, out),
    }
}
