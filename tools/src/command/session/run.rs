//! `session run`: scenarios, step by step.

use super::args::{Format, Run, Sync};
use super::person::{self, Since};
use super::scenario::{self, Scenario};
use super::{Failure, Verdict, state_json};
use crate::disk::Disk;
use crate::stdin;
use serde_json::Value as Json;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use stowplan::answers::journal_file::{FileError, JournalFile};
use stowplan::answers::json_text;
use stowplan::answers::session_json::malformed::Malformed;
use stowplan::answers::session_json::{event_json, outcome_json};
use stowplan_engine::stage::resolve::Files as _;
use stowplan_session::{
    Broken, Effects, Event, Journal, JournalError, Mode, ReplayError, State, Status, Store, Tail,
    check, check_step, recover, scan, step,
};

pub(super) fn run(wanted: &Run, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let scenarios = chosen(wanted)?;
    run_all(wanted, &scenarios, out)
}

fn chosen(wanted: &Run) -> Result<Vec<Scenario>, Failure> {
    let text = Disk
        .read(&wanted.scenario)
        .map_err(|error| Malformed::File {
            path: wanted.scenario.clone(),
            error,
        })?;
    let read = scenario::read(&text);
    let mut scenarios =
        read.map_err(|error| Failure::File(Box::new(error.of_file(&wanted.scenario, &text))))?;
    if let Some(only) = &wanted.only {
        scenarios.retain(|scenario| scenario.name == *only);
        if scenarios.is_empty() {
            return Err(Malformed::NoSuch(only.clone()).into());
        }
    }
    if wanted.journal.is_some() && scenarios.len() != 1 {
        let sentence = format!(
            "a journal holds one scenario, the file has {}; see --only",
            scenarios.len()
        );
        return Err(Failure::Scenario(sentence));
    }
    Ok(scenarios)
}

fn run_all(wanted: &Run, scenarios: &[Scenario], out: &mut dyn Write) -> Result<Verdict, Failure> {
    let mut verdict = Verdict::Met;
    for scenario in scenarios {
        if run_one(wanted, scenario, out)? == Verdict::Unmet {
            verdict = Verdict::Unmet;
        }
    }
    Ok(verdict)
}

fn run_one(wanted: &Run, scenario: &Scenario, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let begun = State::new(scenario.config, &scenario.initial);
    let begun = begun
        .map_err(|error| Failure::Scenario(format!("scenario {:?}: {error}", scenario.name)))?;
    // A journal can fail halfway, and standard output must then stay empty. So the scenario is played once before it is shown.
    if wanted.journal.is_some() || wanted.check {
        record(wanted, scenario, begun.clone())?;
    }
    tell(wanted, scenario, begun, out)
}

/// Plays a scenario to its end, in memory if no journal is named. With `--check`, reads the journal back.
fn record(wanted: &Run, scenario: &Scenario, state: State) -> Result<(), Failure> {
    let begun = (&scenario.config, &scenario.initial);
    let Some(path) = &wanted.journal else {
        let place = "in memory";
        let journal = Journal::begin(Vec::new(), begun.0, begun.1);
        let journal = journal.map_err(|error| Failure::unwritten(place, &error))?;
        let (journal, state) = play(wanted, scenario, (journal, place), state)?;
        return replays(&journal.into_store(), place, &state);
    };
    let journal = Journal::begin(new_file(path)?, begun.0, begun.1);
    let journal = journal.map_err(|error| Failure::unwritten(path, &error))?;
    let (_, state) = play(wanted, scenario, (journal, path), state)?;
    if !wanted.check {
        return Ok(());
    }
    let bytes = stdin::journal(Path::new(path)).map_err(|error| Failure::file(path, &error))?;
    replays(&bytes, path, &state)
}

/// A file for a new journal.
fn new_file(path: &str) -> Result<JournalFile, Failure> {
    let failed = |error: FileError| Failure::file(path, &error);
    let (mut file, bytes) = JournalFile::open(Path::new(path)).map_err(failed)?;
    let there = scan(&bytes);
    if there.frames > 0 || there.tail != Tail::Torn {
        let sentence = format!("{path}: is there already; a run begins a new journal");
        return Err(Failure::Journal(sentence));
    }
    file.cut(0).map_err(failed)?;
    Ok(file)
}

/// Records every event in a journal, which is at a place, and checks every invariant if asked to.
fn play<S: Store>(
    wanted: &Run,
    scenario: &Scenario,
    (mut journal, place): (Journal<S>, &str),
    mut state: State,
) -> Result<(Journal<S>, State), Failure> {
    let broken = |broken: &Broken, number: usize| {
        let place = format!("scenario {:?}, step {number}", scenario.name);
        Failure::broken(broken, &place)
    };
    if wanted.check {
        check(&state).map_err(|error| broken(&error, 0))?;
    }
    for (at, json) in scenario.steps.iter().enumerate() {
        let event = event_json::event(json).map_err(Malformed::from)?;
        let before = (wanted.check).then(|| state.clone());
        let recorded = submit(wanted, &mut journal, &mut state, &event);
        let (status, effects) = recorded.map_err(|error| Failure::unwritten(place, &error))?;
        if let Some(before) = before {
            check_step(&before, &event, status, &effects, &state)
                .map_err(|error| broken(&error, at + 1))?;
        }
    }
    let flushed = journal.flush();
    flushed.map_err(|error| Failure::unwritten(place, &error))?;
    Ok((journal, state))
}

fn submit<S: Store>(
    wanted: &Run,
    journal: &mut Journal<S>,
    state: &mut State,
    event: &Event<'_>,
) -> Result<(Status, Effects), JournalError<S::Error>> {
    let outcome = journal.submit(state, event)?;
    let every = wanted.snapshot_every;
    if every.is_some_and(|every| journal.events().is_multiple_of(every)) {
        journal.snapshot(state)?;
    }
    match wanted.sync {
        Sync::Each => journal.commit()?,
        Sync::None => journal.flush()?,
    }
    Ok(outcome)
}

/// Reads a journal back; it must give exactly this state (I-23).
fn replays(bytes: &[u8], place: &str, state: &State) -> Result<(), Failure> {
    let wrong = |what: &dyn Display| Failure::Internal(format!("I-23 journal {place}: {what}"));
    for mode in [Mode::Fast, Mode::Verify] {
        let again = recover::<ReplayError>(bytes, mode, |_, _, _| Ok(()));
        let again = again.map_err(|error| wrong(&error))?;
        if again.state.canonical() != state.canonical() {
            return Err(wrong(&"the replay gives another state"));
        }
    }
    Ok(())
}

/// Plays a scenario and shows every step and the final state.
fn tell(
    wanted: &Run,
    scenario: &Scenario,
    mut state: State,
    out: &mut dyn Write,
) -> Result<Verdict, Failure> {
    let mut since = Since::default();
    let mut verdict = Verdict::Met;
    for (at, json) in scenario.steps.iter().enumerate() {
        let number = at + 1;
        let event = event_json::event(json).map_err(Malformed::from)?;
        let (status, effects) = step(&mut state, &event);
        since.observe(number as u64, &event, status, &effects);
        // A line for people has the first names alone, and a step that expects nothing needs no others.
        let expects = json.get("expect").is_some();
        let which = match wanted.format {
            Format::Text if !expects => outcome_json::Named::First,
            Format::Text | Format::Json => outcome_json::Named::All,
        };
        let told = outcome_json::effects(&state, &effects, which);
        let mut line = outcome_json::step(&scenario.name, number, event.name(), status, told);
        if !is_met(json.get("expect"), &line) {
            verdict = Verdict::Unmet;
            line.insert("expected".to_owned(), json["expect"].clone());
        }
        match wanted.format {
            Format::Json => writeln!(out, "{}", json_text::text(&line))?,
            Format::Text => writeln!(out, "{}", person::step(&line))?,
        }
    }
    let last = finish(wanted, scenario, &state, &since, out)?;
    Ok(if last == Verdict::Unmet {
        last
    } else {
        verdict
    })
}

/// Whether a step is as expected; true if nothing is expected.
fn is_met(expect: Option<&Json>, line: &serde_json::Map<String, Json>) -> bool {
    let Some(expect) = expect.and_then(Json::as_object) else {
        return true;
    };
    let same = |key: &str| {
        expect
            .get(key)
            .is_none_or(|wanted| line.get(key) == Some(wanted))
    };
    same("status") && same("effects")
}

fn finish(
    wanted: &Run,
    scenario: &Scenario,
    state: &State,
    since: &Since,
    out: &mut dyn Write,
) -> Result<Verdict, Failure> {
    let wished = scenario.last.as_ref().and_then(Json::as_object);
    // The state is converted to a value only if an expectation needs it.
    let value = wished.and_then(|_| serde_json::to_value(state).ok());
    let value = value.unwrap_or_default();
    let differs = |wished: &&serde_json::Map<String, Json>| {
        let mut keys = wished.iter();
        keys.any(|(key, wanted)| value.get(key) != Some(wanted))
    };
    let expected = wished.filter(differs);
    match wanted.format {
        Format::Json => {
            let last = state_json::FinalLine {
                expected,
                last: state.rows(),
                scenario: Some(&scenario.name),
            };
            last.write(out)?;
        }
        Format::Text => write!(out, "{}", person::view(state, since))?,
    }
    Ok(if expected.is_some() {
        Verdict::Unmet
    } else {
        Verdict::Met
    })
}
