//! The GPUs that a job has, and tasks that share them. Source: `lines/slurm/spec.md` 1, 9.

use super::job::Job;
use super::options::{JobGpus, Options};
use super::refusals;
use super::step::Step;
use crate::line::{LineAsked, LineRefused};

/// Whether a line is a step of a job, or makes its own job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    InJob,
    Own,
}

impl Standing {
    pub(super) fn of(asked: &LineAsked<'_>) -> Self {
        let in_job = asked.alloc.is_some()
            || asked.granted.is_some()
            || asked.variable("SLURM_JOB_ID").is_some();
        match in_job {
            true => Self::InJob,
            false => Self::Own,
        }
    }
}

/// Whether the job has the GPUs of its nodes.
pub(super) fn has_gpus(
    job: &Job,
    step: &Step,
    line: &Options,
    words: &Options,
    standing: Standing,
) -> Result<bool, LineRefused> {
    let asked = match (words.gres, words.gpus_per_node) {
        (Some(JobGpus::Some(count)), _) => Some(count),
        (Some(JobGpus::None), _) => Some(0),
        (None, own) => own.filter(|_| standing == Standing::InJob),
    };
    if let (Some(JobGpus::Some(count)), Standing::InJob) = (line.gres, standing) {
        return Err(refusals::not_modelled(format!(
            "--gres=gpu:{count}: which GPUs and cores of the job it gives a step is not known here"
        )));
    }
    let there = job.runs.iter();
    let there: Vec<u64> = there
        .map(|run| job.shapes[run.shape].gpus.len() as u64)
        .collect();
    let wants = step.gpus_per_task.is_some()
        || step.gpus_per_node.is_some()
        || step.tasks_per_gpu.is_some();
    let by = match standing {
        Standing::InJob => "--alloc",
        Standing::Own => "--gres",
    };
    // Words that count GPUs by task say of no node how many of its own there are: whole nodes are taken, as with every other word.
    let by_task = words.gpus_per_task.is_some() || words.tasks_per_gpu.is_some();
    let has = match asked {
        Some(0) => false,
        Some(count) if there.iter().all(|&own| own == count) => true,
        Some(count) if there.iter().all(|&own| own == 0) => {
            return Err(refusals::not_modelled(format!(
                "{by} asks for {count} GPUs of each node, and no GPU is known: --devices says where they are"
            )));
        }
        Some(count) => {
            return Err(refusals::not_modelled(format!(
                "{by} asks for {count} GPUs of each node: which of them a job has is not known"
            )));
        }
        None => words.exclusive.is_said() || standing == Standing::Own || by_task,
    };
    if wants && (!has || there.contains(&0)) {
        return Err(refusals::refuses(
            "Unable to create step: Invalid generic resource (gres) specification: the job has no GPUs",
        ));
    }
    Ok(has)
}

/// `--ntasks-per-gpu` raises the number of tasks.
pub(super) fn share(step: &mut Step, job: &Job) -> Result<(), LineRefused> {
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
