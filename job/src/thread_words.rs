//! What a job says about the threads of its processes: the variables of each app, whose rules, how many levels.

use crate::args::JobArgs;
use crate::error::JobError;
use crate::line::variables::variables;
use crate::outside::Outside;
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::thread_words::ThreadWords;

/// Variables whose rules are known.
pub const MODELLED: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OMP_THREAD_LIMIT",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_NESTED",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "KMP_HW_SUBSET",
];

/// Variables of LLVM and Intel whose effect was not measured.
pub const NOT_MEASURED: &[&str] = &[
    "KMP_PLACE_THREADS",
    "KMP_ALL_THREADS",
    "KMP_DEVICE_THREAD_LIMIT",
    "KMP_TOPOLOGY_METHOD",
];

/// Whether a variable has a say in where threads go, or in whether that is known.
///
/// ```
/// use stowplan_job::thread_words::counts;
/// assert!(counts("OMP_PLACES") && counts("OMP_NUM_THREADS_ALL") && !counts("OMP_STACKSIZE"));
/// ```
#[must_use]
pub fn counts(name: &str) -> bool {
    let of_all = name.starts_with("OMP_") && name.ends_with("_ALL");
    MODELLED.contains(&name) || NOT_MEASURED.contains(&name) || name == "OMP_DYNAMIC" || of_all
}

/// The words of a job about its threads. `apps`: how many apps it has.
///
/// # Errors
/// `unknown-variable` for `-x NAME` without a value that is said anywhere; a file of `--env-file` that cannot be read.
pub fn thread_words(
    job: &JobArgs,
    apps: usize,
    outside: &dyn Outside,
) -> Result<ThreadWords, JobError> {
    let silent = job.exported.is_empty() && job.env.is_empty() && job.env_files.is_empty();
    let mut words = ThreadWords {
        apps: BTreeMap::new(),
        runtime: job.omp.clone(),
        levels: job.levels,
    };
    if silent && !job.env_here {
        return Ok(words);
    }
    let all = variables(job, outside)?;
    let mut around: Vec<(String, String)> = Vec::new();
    for (name, value) in all.into_iter().filter(|(name, _)| counts(name)) {
        set(&mut around, &name, &value);
    }
    if !around.is_empty() {
        words.apps = (0..apps)
            .map(|app| (AppId::from_row(app), around.clone()))
            .collect();
    }
    for (app, text) in &job.exported {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        if !counts(name) {
            continue;
        }
        let said = around.iter().find(|(own, _)| own == name);
        let value = value.or(said.map(|(_, value)| value.as_str()));
        let value = value.ok_or_else(|| JobError::Told {
            class: "unknown-variable",
            sentence: format!("-x {name}: no --env, --env-file or --env-here says its value"),
        })?;
        let own = words
            .apps
            .entry(AppId::from_row(*app as usize))
            .or_default();
        set(own, name, value);
    }
    Ok(words)
}

/// Sets a variable. One that is there keeps its place in the order.
fn set(variables: &mut Vec<(String, String)>, name: &str, value: &str) {
    match variables.iter_mut().find(|(own, _)| own == name) {
        Some((_, own)) => value.clone_into(own),
        None => variables.push((name.to_owned(), value.to_owned())),
    }
}
