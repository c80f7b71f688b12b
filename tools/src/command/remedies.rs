//! Jobs that would work in place of a job without room. Each is planned before it is shown.

use crate::report::Refused;
use crate::surroundings::Surroundings;
use std::cell::Cell;
use std::time::{Duration, Instant};
use stowplan_answers::explain::remedies::remedies;
use stowplan_engine::stage::resolve::Files;
use stowplan_job::args::map_args;
use stowplan_job::error::JobError;

/// The most jobs that are tried.
const TRIES: u32 = 100;
/// No job is begun after this time: a job that takes minutes to plan must not be refused an hour later.
const TIME: Duration = Duration::from_millis(500);

/// The refusal, followed by what would work.
pub(super) fn beside(error: JobError, words: &[String], files: &dyn Files) -> Refused {
    if words.is_empty() {
        return error.into();
    }
    let (begun, tries) = (Instant::now(), Cell::new(0));
    let remedies = remedies(words, &error, &|words| {
        tries.set(tries.get() + 1);
        if tries.get() > TRIES || begun.elapsed() > TIME {
            return Err(JobError::Told {
                class: "internal",
                sentence: "no more jobs are tried".to_owned(),
            });
        }
        let placed = stowplan_job::place::place(map_args(words)?, &Surroundings { files })?;
        Ok(placed.mapped.plan)
    });
    let refused = Box::new(error.into());
    if remedies.is_empty() {
        return *refused;
    }
    Refused::Mended { refused, remedies }
}
