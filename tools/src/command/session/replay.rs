//! `session replay`: the state that a journal leads to.

use super::args::Format;
use super::person::{self, Since};
use super::{Failure, Verdict, state_json};
use crate::command::given::Given;
use crate::stdin;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use stowplan::answers::session_json::outcome_json::CANDIDATES_NAMED;
use stowplan_engine::count::counted;
use stowplan_session::{
    Broken, Mode, Recovered, ReplayError, State, Tail, check, check_step, recover,
};

/// What stops a replay.
enum Stopped {
    Replay(ReplayError),
    Broken(Broken, u64),
}

impl From<ReplayError> for Stopped {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error)
    }
}

pub(super) fn run(
    path: &str,
    given: &Given<'_>,
    format: Format,
    out: &mut dyn Write,
) -> Result<Verdict, Failure> {
    let bytes = stdin::journal(Path::new(path)).map_err(|error| Failure::file(path, &error))?;
    let mut since = Since::default();
    let recovered = replay(given, format, &bytes, &mut since).map_err(|stopped| match stopped {
        Stopped::Replay(error) => Failure::replay(path, &error),
        Stopped::Broken(error, number) => {
            Failure::broken(&error, &format!("{path}, step {number}"))
        }
    })?;
    // No crash leaves damage in the middle: the user must accept the loss of the rest.
    if let (Tail::Damaged { offset }, false) = (recovered.tail, given.has("salvage")) {
        return Err(Failure::replay(path, &ReplayError::Damaged { offset }));
    }
    let tail = if recovered.tail == Tail::Clean {
        "clean"
    } else {
        "torn"
    };
    let (events, discarded) = (recovered.events, recovered.discarded);
    match format {
        Format::Json => {
            let told = json!({"events": events, "tail": tail, "discarded_bytes": discarded});
            writeln!(out, "{}", json!({"recovered": told}))?;
            let last = state_json::FinalLine {
                expected: None,
                last: recovered.state.short_rows(CANDIDATES_NAMED),
                scenario: None,
            };
            last.write(out)?;
        }
        Format::Text => {
            writeln!(
                out,
                "recovered {}, tail {tail}, {} discarded",
                counted(events, "event"),
                counted(discarded as u64, "byte")
            )?;
            write!(out, "{}", person::view(&recovered.state, &since))?;
        }
    }
    Ok(Verdict::Met)
}

fn replay(
    given: &Given<'_>,
    format: Format,
    bytes: &[u8],
    since: &mut Since,
) -> Result<Recovered, Stopped> {
    let checks = given.has("check");
    // To show or check every event, the replay must start at the first.
    let all = checks || given.has("verify") || format == Format::Text;
    let mode = if all { Mode::Verify } else { Mode::Fast };
    let mut number = 0;
    let mut before: Option<State> = None;
    let recovered = recover::<Stopped>(bytes, mode, |event, (status, effects), after| {
        number += 1;
        since.observe(number, event, status, effects);
        if checks {
            let judged = match &before {
                Some(before) => check_step(before, event, status, effects, after),
                None => check(after),
            };
            judged.map_err(|error| Stopped::Broken(error, number))?;
            before = Some(after.clone());
        }
        Ok(())
    })?;
    if checks {
        check(&recovered.state).map_err(|error| Stopped::Broken(error, number))?;
    }
    Ok(recovered)
}
