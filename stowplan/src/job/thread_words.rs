//! What a job says about the threads of its processes: the variables of each app, whose rules, how many levels.

use crate::job::args::JobArgs;
use crate::job::error::{JobError, told};
use crate::job::line::LineArgs;
use crate::job::line::variables::variables;
use crate::job::outside::Outside;
use crate::launchers::line::exported::{Exported, exported};
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::spawn::request::SpawnRequest;
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
/// use stowplan::job::thread_words::counts;
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
    let mut words = ThreadWords {
        apps: BTreeMap::new(),
        runtime: job.omp.clone(),
        levels: job.levels,
    };
    let around = around(job, outside)?;
    if around.is_empty() && job.exported.is_empty() {
        return Ok(words);
    }
    let mut own = vec![around.clone(); apps];
    for (app, text) in &job.exported {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        let Some(own) = own.get_mut(*app as usize).filter(|_| counts(name)) else {
            continue;
        };
        let value = value.or_else(|| of(&around, name));
        set(own, name, value.ok_or_else(|| unknown("-x", name))?);
    }
    words.apps = by_app(own);
    Ok(words)
}

/// What the environments of a request's apps say about threads: the app, and `NAME=VALUE`.
pub(crate) fn of_request(request: &SpawnRequest) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    for (app, _) in request.apps().iter() {
        let words = request.label(app).into_iter().flat_map(|label| &label.env);
        let own = words.filter(|word| {
            let set = word.split_once('=');
            set.is_some_and(|(name, _)| counts(name))
        });
        all.extend(own.map(|word| (app.number(), word.clone())));
    }
    all
}

/// The words of another launcher's line about the threads of its programs. Its own words win over what stands around it.
///
/// # Errors
/// `unknown-variable` for a name without a value that is said anywhere; a file of `--env-file` that cannot be read.
pub(crate) fn of_line(
    job: &JobArgs,
    line: &LineArgs,
    programs: &[Vec<String>],
    outside: &dyn Outside,
) -> Result<ThreadWords, JobError> {
    let around = around(job, outside)?;
    let mut apps = Vec::with_capacity(programs.len());
    for said in exported(line.launcher, &line.words, programs) {
        let mut own = around.clone();
        if said.contains(&Exported::NoOthers) {
            own.clear();
        }
        for word in said {
            match word {
                Exported::NoOthers => {}
                Exported::Gone(name) => own.retain(|(known, _)| *known != name),
                Exported::Set(name, value) if counts(&name) => set(&mut own, &name, &value),
                Exported::Kept(name) if counts(&name) => {
                    let value = of(&around, &name);
                    let value = value.ok_or_else(|| unknown(&line.command, &name))?;
                    set(&mut own, &name, value);
                }
                Exported::Set(_, _) | Exported::Kept(_) => {}
            }
        }
        apps.push(own);
    }
    Ok(ThreadWords {
        apps: by_app(apps),
        runtime: job.omp.clone(),
        levels: job.levels,
    })
}

/// The variables of `--env`, `--env-file` and `--env-here` that count.
fn around(job: &JobArgs, outside: &dyn Outside) -> Result<Vec<(String, String)>, JobError> {
    let silent = job.env.is_empty() && job.env_files.is_empty() && !job.env_here;
    let all = if silent {
        Vec::new()
    } else {
        variables(job, outside)?
    };
    let mut around = Vec::new();
    for (name, value) in all.into_iter().filter(|(name, _)| counts(name)) {
        set(&mut around, &name, &value);
    }
    Ok(around)
}

/// The apps that have variables, with these.
fn by_app(apps: Vec<Vec<(String, String)>>) -> BTreeMap<AppId, Vec<(String, String)>> {
    let apps = apps.into_iter().enumerate();
    let with = apps.filter(|(_, own)| !own.is_empty());
    with.map(|(app, own)| (AppId::from_row(app), own)).collect()
}

fn of<'v>(variables: &'v [(String, String)], name: &str) -> Option<&'v str> {
    let found = variables.iter().find(|(own, _)| own == name);
    found.map(|(_, value)| value.as_str())
}

fn unknown(word: &str, name: &str) -> JobError {
    told(
        "unknown-variable",
        format!("{word} {name}: no --env, --env-file or --env-here says its value"),
    )
}

/// Sets a variable. One that is there keeps its place in the order.
fn set(variables: &mut Vec<(String, String)>, name: &str, value: &str) {
    match variables.iter_mut().find(|(own, _)| own == name) {
        Some((_, own)) => value.clone_into(own),
        None => variables.push((name.to_owned(), value.to_owned())),
    }
}
