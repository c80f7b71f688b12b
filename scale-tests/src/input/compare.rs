//! Compares the engine with the plain mapper on the job that the bytes describe.

use crate::arbitrary::job_from_bytes;
use crate::catalogue::MACHINES;
use crate::compare::Verdict;
use crate::crew::Crew;

thread_local! {
    static CREW: Crew = Crew::new(1);
}

/// Places the job with both.
///
/// # Panics
/// When they differ, or the plan is not sound. The message has the command to paste.
pub fn compare(bytes: &[u8]) {
    let job = job_from_bytes(bytes);
    let verdict = CREW.with(|crew| crew.compare_one(&job));
    if let Verdict::Differs(difference) = verdict {
        let line = job.command_line(|machine| MACHINES[machine].topo.to_owned());
        panic!(
            "{}\n{line}\n engine {}\n wanted {}",
            difference.kind, difference.engine, difference.wanted
        );
    }
}
