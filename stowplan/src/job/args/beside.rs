//! What is said beside a launcher's line, and would count for nothing.

use super::JobArgs;
use crate::job::error::bad_words;
use crate::job::line::LineArgs;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::OptionFault;

/// What options that speak of a line need.
pub(super) const A_LINE: &str = "the line of a launcher, such as srun -n 4 ./a";

/// Refuses what is said of a job that no launcher's line follows: nothing of it would count.
///
/// # Errors
/// `bad-option`.
pub(super) fn refuse_settings_alone(job: &JobArgs) -> Result<(), SpecError> {
    let Some((option, _)) = settings(job).into_iter().flatten().next() else {
        return Ok(());
    };
    Err(SpecError::BadOption {
        option: option.to_owned(),
        app: 0,
        fault: OptionFault::Without(A_LINE),
    })
}

/// Refuses a script that nobody put a line in the place of, and `--line` without one.
///
/// # Errors
/// `bad-option`.
pub(super) fn refuse_scripts(job: &JobArgs) -> Result<(), SpecError> {
    match (&job.script, job.line_number) {
        (Some(path), _) => Err(told(
            "bad-option",
            format!("--script {path}: no script is read here: say the line"),
        )),
        (None, Some(_)) => Err(SpecError::BadOption {
            option: "--line".to_owned(),
            app: 0,
            fault: OptionFault::Without("--script"),
        }),
        (None, None) => Ok(()),
    }
}

/// Refuses a session before the line of a launcher that is not of prterun's family.
///
/// # Errors
/// `bad-option`.
pub(super) fn refuse_session(line: &LineArgs, job: &JobArgs) -> Result<(), SpecError> {
    if job.session.is_none() {
        return Ok(());
    }
    let command = &line.command;
    Err(told(
        "bad-option",
        format!(
            "--session comes before {command}: only prterun's words are placed in a session, {command} on the nodes of -H"
        ),
    ))
}

/// Refuses settings of an allocation or a site that a line of prterun's family does not take.
///
/// # Errors
/// `bad-option`.
pub(super) fn refuse_settings_beside(line: &LineArgs, job: &JobArgs) -> Result<(), SpecError> {
    let command = &line.command;
    let [_, granted, site] = settings(job);
    if let Some((option, value)) = granted.or(site) {
        return Err(told(
            "bad-option",
            format!(
                "{option} {value} comes before {command}, which takes no such setting; --prtemca hwloc_default_cpu_list NODES=LIST says which cpus a node has"
            ),
        ));
    }
    Ok(())
}

fn told(class: &'static str, sentence: String) -> SpecError {
    bad_words(class, sentence, Vec::new())
}

/// What is said of an allocation and a site, as option and value.
fn settings(job: &JobArgs) -> [Option<(&'static str, &str)>; 3] {
    [
        job.alloc.as_deref().map(|value| ("--alloc", value)),
        job.granted.as_deref().map(|value| ("--granted", value)),
        job.site.as_deref().map(|value| ("--site", value)),
    ]
}
