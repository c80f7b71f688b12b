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

use super::given::Given;
use super::subcommand::{Many, Nothing, One, Subcommand, Told, own, subcommand};
use crate::Console;
use crate::report::{Refused, told};
use std::io::{self, BufRead};
use stowplan::answers::journal_file::FileError;
use stowplan::answers::session_json::malformed::Malformed;
use stowplan::job::options::Row;
use stowplan_engine::error::SpecError;
use stowplan_session::{Broken, JournalError, ReplayError};

#[rustfmt::skip]
const CHECKS: Row = own(&["check"], Nothing, "", Many, "check all invariants after every event");
#[rustfmt::skip]
const FORM: Row = own(&["format"], One, "F", Many, "json, or text for people [default: json]");

#[rustfmt::skip]
const STATUS: Told = &[
    ("0", "done, and every expectation of a scenario met"),
    ("1", "done, and some expectation not met"),
    ("2", "a scenario, a journal or words that are refused: nothing on standard output"),
    ("70", "an invariant is broken: a fault of ours"),
];

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    status: STATUS,
    ..subcommand("session", "run|replay|show|serve ...", "Sessions and reservations: scenarios, journals, a launcher's channel", |_, _| Ok(0))
};

#[rustfmt::skip]
pub(crate) const RUN: Subcommand = Subcommand {
    options: &[
        own(&["journal"], One, "FILE", Many, "write what happens to a journal, ahead of each answer"),
        CHECKS,
        own(&["only"], One, "NAME", Many, "run this scenario alone"),
        own(&["snapshot-every"], One, "N", Many, "a snapshot of the state after N events"),
        own(&["sync"], One, "WHEN", Many, "each, or none: leave it to the system [default: each]"),
        FORM,
    ],
    status: STATUS,
    examples: &[
        ("stowplan session run scenario.json --check", "what each step answers"),
        ("stowplan session run scenario.json --journal dvm.journal", "and keep it, to be looked at below"),
    ],
    ..subcommand("session run", "SCENARIO.json [options]", "Runs scenarios: a line of JSON for each step, then the final state", |args, console| {
        let wanted = args::Run::of(&Given::read(&RUN, args)?)?;
        ended(run::run(&wanted, console.out), console)
    })
};

#[rustfmt::skip]
pub(crate) const REPLAY: Subcommand = Subcommand {
    options: &[
        CHECKS,
        own(&["verify"], Nothing, "", Many, "compare every snapshot with the events before it"),
        own(&["salvage"], Nothing, "", Many, "go on after damage in the middle, at the next snapshot"),
        FORM,
    ],
    status: STATUS,
    examples: &[("stowplan session replay dvm.journal --format text", "who holds what")],
    ..subcommand("session replay", "JOURNAL [options]", "The state that a journal leads to: who holds which nodes, since which event, and what would end it", |args, console| {
        let given = Given::read(&REPLAY, args)?;
        let (path, format) = (given.only("JOURNAL")?, args::format(&given)?);
        ended(replay::run(path, &given, format, console.out), console)
    })
};

#[rustfmt::skip]
pub(crate) const SHOW: Subcommand = Subcommand {
    options: &[FORM],
    status: STATUS,
    examples: &[
        ("stowplan session show dvm.journal --format text", "what happened"),
        ("stowplan map --session dvm.journal --topo 'core:4 pu:1' -n 2 ./app", "a job on what may be used"),
    ],
    ..subcommand("session show", "JOURNAL [options]", "What is in a journal, frame by frame: every event with its answer, every snapshot", |args, console| {
        let given = Given::read(&SHOW, args)?;
        let (path, format) = (given.only("JOURNAL")?, args::format(&given)?);
        ended(show::run(path, format, console.out), console)
    })
};

#[rustfmt::skip]
pub(crate) const SERVE: Subcommand = Subcommand {
    options: &[own(&["journal"], One, "FILE", Many, "the journal to go on with, or to begin"), CHECKS],
    status: STATUS,
    examples: &[("stowplan session serve --journal dvm.journal < events.jsonl", "go on where the journal ends: the first line is {}, an event on each other")],
    ..subcommand("session serve", "--journal FILE [options]", "A launcher's channel: one event a line in, one answer a line out, on disk before it is said", |args, console| {
        serve(args, &mut io::stdin().lock(), console)
    })
};

/// What went wrong; the exit status depends on it.
#[derive(Debug)]
enum Failure {
    /// A scenario file that is wrong at a place.
    File(Box<SpecError>),
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
    /// A journal that cannot be written.
    fn unwritten<E: std::error::Error>(place: &str, error: &JournalError<E>) -> Self {
        Self::Journal(format!("{place}: {error}"))
    }
    /// A journal that cannot be replayed.
    fn replay(path: &str, error: &ReplayError) -> Self {
        let sentence = format!("{path}: {error}");
        match error.class() {
            "internal" => Self::Internal(sentence),
            _ => Self::Journal(sentence),
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

/// Answers events of a launcher, as `session serve` with these words.
///
/// # Errors
/// Those of the words; `scenario`, `journal`, `internal`, `output`.
pub fn serve(
    args: &[String],
    stdin: &mut dyn BufRead,
    console: &mut Console<'_>,
) -> Result<u8, Refused> {
    let wanted = args::Serve::of(&Given::read(&SERVE, args)?)?;
    ended(serve::run(&wanted, stdin, console.out), console)
}

/// The exit status of a subcommand that has ended.
fn ended(verdict: Result<Verdict, Failure>, console: &mut Console<'_>) -> Result<u8, Refused> {
    let (class, sentence) = match verdict.and_then(|verdict| Ok((verdict, console.out.flush()?))) {
        Ok((Verdict::Met, ())) => return Ok(0),
        Ok((Verdict::Unmet, ())) => return Ok(1),
        Err(Failure::Unread(error)) => return Err(Refused::unwritten(error)),
        Err(Failure::File(error)) => return Err((*error).into()),
        Err(Failure::Scenario(sentence)) => ("scenario", sentence),
        Err(Failure::Journal(sentence)) => ("journal", sentence),
        Err(Failure::Internal(sentence)) => ("internal", sentence),
    };
    Err(told(class, person::plain(&sentence)))
}
