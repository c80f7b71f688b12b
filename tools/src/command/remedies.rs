//! Jobs that would work in place of a job without room. Each is planned before it is shown.

use crate::report::Refused;
use std::cell::Cell;
use std::time::{Duration, Instant};
use stowplan_answers::explain::refused::explain_refused;
use stowplan_answers::explain::remedies::remedies;
use stowplan_engine::plan::Plan;
use stowplan_job::args::map_args;
use stowplan_job::error::JobError;
use stowplan_job::outside::Outside;

/// The most jobs that are tried.
const TRIES: u32 = 100;
/// No job is begun after this time: a job that takes minutes to plan must not be refused an hour later.
const TIME: Duration = Duration::from_millis(500);

/// The refusal, followed by what would work.
pub(super) fn beside(error: JobError, words: &[String], files: &dyn Outside) -> Refused {
    if words.is_empty() {
        return error.into();
    }
    let remedies = remedies(words, &error, &tried(files));
    let refused = Box::new(error.into());
    if remedies.is_empty() {
        return *refused;
    }
    Refused::Mended { refused, remedies }
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
pub(crate) fn nearest(words: &[String], error: &JobError, files: &dyn Outside) -> Vec<Remedy> {
    let found = explain_refused(words, error, &tried(files));
    let nearest = found.map_or_else(Vec::new, |found| found.nearest);
    let remedies = nearest.into_iter().map(|near| Remedy {
        change: format!("{}{}", near.gives_up.unwrap_or(""), near.change),
        words: near.words,
    });
    remedies.collect()
}

/// Plans jobs until there were enough.
fn tried(files: &dyn Outside) -> impl Fn(&[String]) -> Result<Plan, JobError> {
    let (begun, tries) = (Instant::now(), Cell::new(0));
    move |words| {
        tries.set(tries.get() + 1);
        if tries.get() > TRIES || begun.elapsed() > TIME {
            return Err(JobError::Told {
                class: "internal",
                sentence: "no more jobs are tried".to_owned(),
            });
        }
        let placed = stowplan_job::place::place(map_args(words)?, files)?;
        Ok(placed.mapped.plan)
    }
}
