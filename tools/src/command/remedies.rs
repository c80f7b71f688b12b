//! Jobs that would work in place of a job without room. Each is planned before it is shown.

use super::noted::advise;
use crate::report::Refused;
use crate::surroundings::Surroundings;
use std::cell::Cell;
use std::time::{Duration, Instant};
use stowplan::answers::expert::mended;
use stowplan::answers::explain::in_keys::in_keys;
use stowplan::answers::explain::refused::explain_refused;
use stowplan::answers::explain::remedies::remedies;
use stowplan::job::args::{JobArgs, map_args};
use stowplan::job::error::{JobError, told};
use stowplan_engine::error::Note;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

/// The most jobs that are tried.
const TRIES: u32 = 100;
/// The most jobs that are tried for the notes of a job.
const NOTE_TRIES: u32 = 16;
/// No job is begun after this time: a job that takes minutes to plan must not be refused an hour later.
const TIME: Duration = Duration::from_millis(500);

/// Adds to notes what would mend them, if a change of one word of the job does.
pub(super) fn mend(notes: &mut [Note], words: &[String], plan: &Plan, files: &dyn Files) {
    if words.is_empty() || notes.is_empty() {
        return;
    }
    // The same job has the same notes on every machine: tries are counted, and no clock is read.
    let tries = Cell::new(0);
    mended::mend(notes, words, plan, &|words| {
        tries.set(tries.get() + 1);
        if tries.get() > NOTE_TRIES {
            return Err(no_more());
        }
        let mut placed = stowplan::job::place::place(map_args(words)?, &Surroundings { files })?;
        advise(&mut placed)?;
        Ok((placed.mapped.plan, placed.mapped.notes))
    });
}

/// How many jobs are tried, and how long.
pub(super) struct Limit {
    begun: Instant,
    tries: Cell<u32>,
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            tries: Cell::new(0),
        }
    }
}

impl Limit {
    /// Whether one more job may be tried.
    pub(super) fn one_more(&self) -> Result<(), JobError> {
        self.tries.set(self.tries.get() + 1);
        if self.tries.get() > TRIES || self.begun.elapsed() > TIME {
            return Err(no_more());
        }
        Ok(())
    }
}

fn no_more() -> JobError {
    told("internal", "no more jobs are tried")
}

/// The refusal, followed by what would work.
pub(super) fn beside(error: JobError, words: &[String], files: &dyn Files) -> Refused {
    if words.is_empty() {
        return error.into();
    }
    let limit = Limit::default();
    let remedies = remedies(words, &error, &|words| {
        limit.one_more()?;
        let placed = stowplan::job::place::place(map_args(words)?, &Surroundings { files })?;
        Ok(placed.mapped.plan)
    });
    mended(error, remedies.iter().map(ToString::to_string).collect())
}

/// The refusal of a request, followed by what would work in the request's own keys. `job`: the options beside it.
pub(super) fn beside_request(
    error: JobError,
    request: &[u8],
    job: &JobArgs,
    files: &dyn Files,
) -> Refused {
    let limit = Limit::default();
    let remedies = in_keys(request, job, &error, &|asked| {
        limit.one_more()?;
        let placed = stowplan::job::place::place(asked, &Surroundings { files })?;
        Ok(placed.mapped.plan)
    });
    mended(error, remedies)
}

fn mended(error: JobError, remedies: Vec<String>) -> Refused {
    let refused = Box::new(error.into());
    match remedies.is_empty() {
        true => *refused,
        false => Refused::Mended { refused, remedies },
    }
}

/// A job that works, and what it changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Remedy {
    /// The option with its new value, behind what it gives up.
    pub(crate) change: String,
    /// The whole job.
    pub(crate) words: Vec<String>,
}

/// The nearest jobs that work, if the job is refused for room, objects or cpus.
pub(crate) fn nearest(words: &[String], error: &JobError, files: &dyn Files) -> Vec<Remedy> {
    let limit = Limit::default();
    let found = explain_refused(words, error, &|words| {
        limit.one_more()?;
        let placed = stowplan::job::place::place(map_args(words)?, &Surroundings { files })?;
        Ok(placed.mapped.plan)
    });
    let nearest = found.map_or_else(Vec::new, |found| found.nearest);
    let remedies = nearest.into_iter().map(|near| Remedy {
        change: format!("{}{}", near.gives_up.unwrap_or(""), near.change),
        words: near.words,
    });
    remedies.collect()
}
