//! Slurm's srun: where its ranks, cpus and GPUs are, by the rules of each version. Source: `lines/slurm/spec.md`.

// Versions, and the classes of refusals.
mod refusals;
mod version;
// Words: their table, how a line is read, their values.
mod cpu_bind;
mod distribution;
mod gpu_bind;
mod hint;
mod numbers;
mod options;
mod reading;
mod words;
// The site, the cpus that a job was given, a node's hardware, the job's nodes.
mod granted;
mod job;
mod job_names;
mod node_set;
mod shape;
mod site;
// What the job sets and the line inherits.
mod inherit;
mod level;
mod told;
// srun's arithmetic, then the controller's choice.
mod choice;
mod step;
// Tasks of each node.
mod counts;
// Cores, cpus and GPUs on one node.
mod binding;
mod cores;
mod laying;
mod node;
mod visible;

use crate::line::{
    Derived, Laid, LaidApp, LaidProcs, LineAsked, LineNote, LineRefused, quoted_words,
};
use job::Job;
use node::Scene;
use options::{JobGpus, Options, Reading};
use site::Site;
use step::Step;
use stowplan_engine::table::names::NodeRange;
use version::Version;
use words::Command;

pub use told::{JobTold, job_told};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let (version, version_note) = Version::read(asked.version)?;
    let site = Site::read(asked)?;
    let reading = |command, plane| Reading {
        command,
        version,
        plane,
    };
    let alloc = asked.alloc.map(quoted_words).transpose()?;
    let alloc = alloc
        .map(|words| job_words(&words, reading(Command::Job, None)))
        .transpose()?;
    let in_job =
        alloc.is_some() || asked.granted.is_some() || asked.variable("SLURM_JOB_ID").is_some();
    let plane = inherit::plane(asked, alloc.as_ref());
    let read = reading::read(asked.words, &words::words(Command::Step, version))?;
    let line = Options::of(&read.said, reading(Command::Step, plane))?;
    let program: Vec<String> = asked.words[read.program..].to_vec();
    if program.is_empty() {
        return Err(refusals::refuses("srun: No command given to execute."));
    }
    if program.iter().any(|word| word == ":") {
        return Err(refusals::not_modelled(
            "`:`: parts of a heterogeneous step are not known here",
        ));
    }
    let none = Options::default();
    let standing = match in_job {
        true => Standing::InJob,
        false => Standing::Own,
    };
    let words = match (&alloc, in_job) {
        (Some(words), _) => words,
        (None, true) => &none,
        (None, false) => &line,
    };
    let job = Job::read(asked, &site, words, &line, version)?;
    let sets = alloc.as_ref();
    let env = inherit::inherited(
        asked,
        sets,
        job.count(),
        job.threads.filter(|_| sets.is_some()),
        reading(Command::Step, plane),
    )?;
    let levels = level::levels(&line, &env, words.hint.as_ref(), version)?;
    let mut step = Step::read(asked, &job, &line, &env, levels, &site, version)?;
    let gpus = has_gpus(&job, &line, words, standing)?;
    share_gpus(&mut step, &job)?;
    let chosen = choice::choose(&mut step, &job)?;
    let scene = Scene {
        job: &job,
        site: &site,
        step: &step,
        chosen: &chosen,
        line: &line,
        words,
        gpus,
    };
    let (patterns, app) = laying::lay(&scene, program)?;
    let derived = derived(&step, &line);
    Ok(laid(job, (patterns, app), derived, version, version_note))
}

/// The answer.
fn laid(
    mut job: Job,
    (patterns, app): (Vec<Vec<LaidProcs>>, LaidApp),
    derived: Vec<Derived>,
    version: Version,
    version_note: Option<String>,
) -> Laid {
    let slots = job
        .runs
        .iter()
        .map(|run| (run.nodes, u32::try_from(run.told).unwrap_or(u32::MAX)))
        .collect::<Vec<(NodeRange, u32)>>();
    let mut notes = std::mem::take(&mut job.notes);
    notes.extend(version_note.map(|text| LineNote {
        class: "nearest-version",
        text,
    }));
    Laid {
        version: version.text().to_owned(),
        derived,
        notes,
        names: std::mem::take(&mut job.names),
        slots,
        patterns,
        apps: vec![app],
    }
}

/// The words of salloc or sbatch.
fn job_words(words: &[String], reading: Reading) -> Result<Options, LineRefused> {
    let read =
        reading::read(words, &words::words(Command::Job, reading.version)).map_err(|refused| {
            LineRefused {
                at: None,
                sentence: format!("--alloc: {}", refused.sentence),
                ..refused
            }
        })?;
    Options::of(&read.said, reading)
}

/// Whether a line is a step of a job, or makes its own job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    InJob,
    Own,
}

/// Whether the job has the GPUs of its nodes.
fn has_gpus(
    job: &Job,
    line: &Options,
    words: &Options,
    standing: Standing,
) -> Result<bool, LineRefused> {
    let asked = match (words.gres, words.gpus_per_node) {
        (Some(JobGpus::Some(count)), _) => Some(count),
        (Some(JobGpus::None), _) => Some(0),
        (None, own) => own.filter(|_| standing == Standing::InJob),
    };
    let there = job
        .runs
        .iter()
        .map(|run| job.shapes[run.shape].gpus.len() as u64);
    let there: Vec<u64> = there.collect();
    let wants = line.gpus_per_task.is_some()
        || line.gpus_per_node.is_some()
        || line.tasks_per_gpu.is_some();
    let has = match asked {
        Some(0) => false,
        Some(count) if there.iter().all(|&own| own == count) => true,
        Some(count) if there.iter().all(|&own| own == 0) => {
            return Err(refusals::not_modelled(format!(
                "--alloc asks for {count} GPUs of each node, and no GPU is known: --devices says where they are"
            )));
        }
        Some(count) => {
            return Err(refusals::not_modelled(format!(
                "--alloc asks for {count} GPUs of each node: which of them a job has is not known"
            )));
        }
        None => words.exclusive.is_said() || standing == Standing::Own,
    };
    if wants && (!has || there.contains(&0)) {
        return Err(refusals::refuses(
            "Unable to create step: Invalid generic resource (gres) specification: the job has no GPUs",
        ));
    }
    Ok(has)
}

/// `--ntasks-per-gpu` raises the number of tasks.
fn share_gpus(step: &mut Step, job: &Job) -> Result<(), LineRefused> {
    let Some(each) = step.tasks_per_gpu else {
        return Ok(());
    };
    if !step.tasks.is_multiple_of(each) {
        return Err(refusals::refuses(format!(
            "Invalid generic resource (gres) specification: {} tasks are no multiple of {each} for a GPU",
            step.tasks
        )));
    }
    let gpus = job.first_shape().gpus.len() as u64;
    step.tasks = step
        .tasks
        .max(each.saturating_mul(gpus).saturating_mul(step.min));
    Ok(())
}

/// What was derived, for the page.
fn derived(step: &Step, line: &Options) -> Vec<Derived> {
    let mut all = Vec::new();
    let mut add = |what: String, said: bool, other: &str| {
        let origin = if said { "the line" } else { other };
        all.push(Derived {
            what,
            origin: origin.to_owned(),
        });
    };
    add(
        format!("{} tasks", step.tasks),
        line.tasks.is_some(),
        "srun's arithmetic",
    );
    add(
        format!("distribution {}", step.distribution.text()),
        line.distribution.is_some(),
        "the job or the default",
    );
    if let Some(cpus) = step.cpus {
        add(
            format!("{cpus} cpus per task"),
            line.cpus_per_task.is_some(),
            "the job",
        );
    }
    if let Some(threads) = step.levels.threads {
        add(
            format!("{threads} threads per core"),
            line.threads_per_core.is_some(),
            "-B, a hint or the job",
        );
    }
    if let Some(level) = step.levels.level {
        add(
            format!("binding to {}", level.word()),
            line.cpu_bind.is_some(),
            "other words",
        );
    }
    all
}
