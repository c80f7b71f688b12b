//! Slurm's srun: where its ranks, cpus and GPUs are, by the rules of each version. Source: `lines/slurm/spec.md`.

// Versions, what each of them changed, and the classes of refusals.
mod refusals;
pub mod rules;
pub mod version;
// Words: their table, how a line is read, their values.
pub mod cpu_bind;
pub mod distribution;
mod gpu_bind;
pub mod gpu_count;
mod hint;
pub mod numbers;
mod options;
mod reading;
mod words;
// The site, the cpus that a job was given, a node's hardware, the job's nodes.
mod granted;
mod job;
mod job_names;
mod machines;
mod node_set;
mod shape;
mod site;
// What the job sets and the line inherits.
mod inherit;
mod level;
mod told;
// srun's arithmetic, then the controller's choice.
mod choice;
mod gpus;
mod step;
// Tasks of each node.
mod tasks_per_node;
// Cores, cpus and GPUs on one node.
mod binding;
mod cores;
mod laying;
mod node;
mod visible;
// What is said of a line: what was derived, slips of Slurm's own, notes.
mod derived;
mod notes;
mod notes_gpus;
mod told_slips;
// Parts of a het step, and lines that would start.
mod parts;
mod remedies;

pub use machines::MachineSite;
pub use remedies::others_may_start;
pub use rules::RuleChange;

use crate::launchers::line::{Laid, LineAsked, LineNote, LineRefused, Refusals, quoted_words};
use gpus::Standing;
use job::Job;
use node::Scene;
use options::{Options, Reading};
use rules::Rules;
use site::Site;
use step::Step;
use stowplan_engine::table::names::NameRange;
use version::Version;
use words::Command;

pub use told::{JobTold, job_told};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`], with lines that would start.
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let (version, note) = Version::read(asked.version)?;
    let rules = Rules::of(version);
    let placed_with = |words: &[String]| placed(&LineAsked { words, ..*asked }, rules);
    let mut laid = placed(asked, rules).map_err(|mut refused| {
        if asked.refusals == Refusals::Bare {
            return refused;
        }
        let starts = |words: &[String]| placed_with(words).is_ok();
        let help = remedies::lines(asked, rules, &refused, &starts);
        refused.help.extend(help);
        refused
    })?;
    if let Some(note) = laid
        .notes
        .iter_mut()
        .find(|note| note.class == notes::SAME_CPUS)
    {
        let words = remedies::bound_to_cores(asked, rules);
        let bound = words.and_then(|words| placed_with(&words).ok());
        if bound.is_some_and(|other| notes::are_apart(&other.patterns)) {
            note.text += "; --cpu-bind=cores gives each cores of its own";
        }
    }
    laid.notes.extend(note.map(|text| LineNote {
        class: "nearest-version",
        text,
    }));
    Ok(laid)
}

/// The changes of rules that place a line otherwise in a newer version than in an older one, in the order of the versions that
/// brought them. Each is tried on top of those before it.
///
/// # Errors
/// `bad-value` and `not-modelled` for versions that are not known.
///
/// Cost: the line is placed once for each change between the versions.
pub fn changes(
    asked: &LineAsked<'_>,
    older: Option<&str>,
    newer: Option<&str>,
) -> Result<Vec<RuleChange>, LineRefused> {
    let (older, newer) = (Version::read(older)?.0, Version::read(newer)?.0);
    let (older, newer) = (older.min(newer), older.max(newer));
    let answer = |rules| match placed(asked, rules) {
        Ok(laid) => Ok((laid.patterns, laid.apps)),
        Err(refused) => Err(refused.class),
    };
    let rules = Rules::of(older);
    let mut before = answer(rules);
    let mut found = Vec::new();
    for (rules, change) in rules.until(newer) {
        let after = answer(rules);
        if after != before {
            found.push(change);
            before = after;
        }
    }
    Ok(found)
}

/// Places a line by rules.
fn placed(asked: &LineAsked<'_>, rules: Rules) -> Result<Laid, LineRefused> {
    let site = Site::read(asked)?;
    let reading = |command, plane| Reading {
        command,
        rules,
        plane,
    };
    let alloc = asked
        .alloc
        .map(|text| job_words(text, reading(Command::Job, None)))
        .transpose()?;
    let standing = Standing::of(asked);
    let plane = inherit::plane(asked, alloc.as_ref());
    let read = reading::read(asked.words, &words::words(Command::Step, rules))?;
    let line = Options::of(&read.said, reading(Command::Step, plane))?;
    let program: Vec<String> = asked.words[read.program..].to_vec();
    if program.is_empty() {
        return Err(refusals::refuses("srun: No command given to execute."));
    }
    let none = Options::default();
    let words = match (&alloc, standing) {
        (Some(words), _) => words,
        (None, Standing::InJob) => &none,
        (None, Standing::Own) => &line,
    };
    let mut job = Job::read(asked, &site, words, &line, rules)?;
    if program.iter().any(|word| word == ":") {
        return Err(parts::refused(
            asked,
            &job,
            reading(Command::Step, plane),
            &|words: &[String]| placed(&LineAsked { words, ..*asked }, rules).is_ok(),
        ));
    }
    let sets = alloc.as_ref();
    let env = inherit::inherited(
        asked,
        sets,
        job.count(),
        job.threads.filter(|_| sets.is_some()),
        reading(Command::Step, plane),
    )?;
    let levels = level::levels(&line, &env, words.hint.as_ref(), rules)?;
    let mut step = Step::read(asked, &job, &line, &env, levels, &site, rules)?;
    let counting = gpus::Words::of(&line, &env, words);
    gpus::settle(&mut step, &mut job, counting, &site, standing)?;
    let chosen = choice::choose(&mut step, &job)?;
    let scene = Scene {
        job: &job,
        site: &site,
        step: &step,
        chosen: &chosen,
        line: &line,
        env: &env,
        words,
        standing,
    };
    let layout = laying::lay(&scene, program)?;
    let mut derived = derived::derived(&scene, &layout);
    derived.extend(told_slips::slips(&scene, &layout));
    let notes = notes::notes(asked, &scene, &layout);
    Ok(Laid {
        version: rules.version.text().to_owned(),
        derived,
        notes,
        slots: job.slots(),
        patterns: layout.patterns,
        apps: vec![layout.app],
        names: job.names,
    })
}

/// What words of salloc or sbatch say of nodes and tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JobCounts {
    /// The least number of nodes.
    pub(crate) nodes: Option<u64>,
    pub(crate) tasks: Option<u64>,
    pub(crate) tasks_per_node: Option<u64>,
    /// The nodes of `-w`.
    pub(crate) names: Option<Vec<NameRange>>,
}

/// Reads words of salloc or sbatch.
///
/// # Errors
/// What is wrong with them, in Slurm's terms.
pub(crate) fn job_counts(text: &str) -> Result<JobCounts, LineRefused> {
    let reading = Reading {
        command: Command::Job,
        rules: Rules::of(Version::V24_11),
        plane: None,
    };
    let words = job_words(text, reading)?;
    Ok(JobCounts {
        nodes: words.nodes.map(|nodes| nodes.min),
        tasks: words.tasks,
        tasks_per_node: words.tasks_per_node,
        names: words.node_list.as_deref().and_then(site::names),
    })
}

/// The words of salloc or sbatch.
fn job_words(text: &str, reading: Reading) -> Result<Options, LineRefused> {
    let words = quoted_words(text)?;
    let read = reading::read(&words, &words::words(Command::Job, reading.rules))
        .map_err(|refused| refused.of(format_args!("--alloc")))?;
    Options::of(&read.said, reading)
}
