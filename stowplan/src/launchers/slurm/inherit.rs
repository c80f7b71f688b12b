//! What a job sets and srun reads. Source: `lines/slurm/spec.md` 2.7.

use super::cpu_bind::CpuBind;
use super::distribution::{Distribution, First};
use super::gpu_bind::GpuBind;
use super::gpu_count::{GpuCount, Tres};
use super::gpus;
use super::hint::{Hint, HintWord};
use super::level::FREE;
use super::numbers::positive;
use super::options::{Flag, NodeCounts, Options, Reading};
use super::options::{count, node_counts};
use super::refusals;
use super::rules::{Change, Rules};
use crate::launchers::line::{LineAsked, LineRefused};

/// The words that a line inherits: those that the job sets, then given variables, which win.
pub(super) fn inherited(
    asked: &LineAsked<'_>,
    words: Option<&Options>,
    nodes: u64,
    threads: Option<u64>,
    reading: Reading,
) -> Result<Options, LineRefused> {
    let mut own = Options::default();
    let rules = reading.rules;
    let forgets = forgets_cpus(rules);
    if let Some(words) = words {
        own.nodes = Some(NodeCounts {
            min: nodes,
            max: nodes,
        });
        own.tasks = words
            .tasks
            .or(words.tasks_per_node.map(|each| each * nodes))
            .or(threads.map(|each| each * nodes));
        own.tasks_per_node = words.tasks_per_node;
        own.cpus_per_task = words.cpus_per_task.filter(|_| !forgets);
        own.distribution = words.distribution;
        own.hint.clone_from(&words.hint);
        own.threads_per_core = threads;
        let free = words
            .hint
            .as_ref()
            .is_some_and(|hint| hint.has(HintWord::Multithread));
        own.tasks_per_core = words.tasks_per_core.or(free.then_some(FREE));
        own.gpus.clone_from(&words.gpus);
        own.gpus_per_node.clone_from(&words.gpus_per_node);
        own.gpus_per_task.clone_from(&words.gpus_per_task);
        own.cpus_per_gpu = words.cpus_per_gpu;
        own.tasks_per_gpu = words.tasks_per_gpu;
        own.tasks = own.tasks.or(words.tasks_per_gpu.map(|each| {
            let gpus = gpus::of_job(words, nodes);
            each.saturating_mul(gpus)
        }));
        own.gpu_bind.clone_from(&words.gpu_bind);
    }
    given(&mut own, asked, reading)?;
    if !rules.has(Change::StepTasksPerCore) {
        own.tasks_per_core = None;
    }
    Ok(own)
}

/// Variables that srun reads as words of which it is not known what they do.
const NOT_MODELLED: [&str; 2] = ["SLURM_GRES", "SLURM_THREAD_SPEC"];

fn given(own: &mut Options, asked: &LineAsked<'_>, reading: Reading) -> Result<(), LineRefused> {
    let variable = |name: &str| asked.variable(name).filter(|value| !value.is_empty());
    let number = |names: &[&str], into: &mut Option<u64>| -> Result<(), LineRefused> {
        for name in names {
            if let Some(value) = variable(name) {
                *into = Some(count(name, value)?);
            }
        }
        Ok(())
    };
    number(&["SLURM_NPROCS", "SLURM_NTASKS"], &mut own.tasks)?;
    number(&["SLURM_NTASKS_PER_NODE"], &mut own.tasks_per_node)?;
    number(&["SLURM_THREADS_PER_CORE"], &mut own.threads_per_core)?;
    number(&["SLURM_NTASKS_PER_CORE"], &mut own.tasks_per_core)?;
    let name = if forgets_cpus(reading.rules) {
        "SRUN_CPUS_PER_TASK"
    } else {
        "SLURM_CPUS_PER_TASK"
    };
    number(&[name], &mut own.cpus_per_task)?;
    for name in ["SLURM_NNODES", "SLURM_JOB_NUM_NODES"] {
        if let Some(value) = variable(name) {
            own.nodes = node_counts(value)?;
        }
    }
    if let Some(value) = variable("SLURM_DISTRIBUTION") {
        let read = Distribution::read(value, reading.plane);
        own.distribution = Some(
            read.map_err(|why| refusals::refuses(format!("SLURM_DISTRIBUTION={value}: {why}")))?,
        );
    }
    if let Some(value) = variable("SLURM_HINT") {
        own.hint = Some(Hint::read(value)?);
    }
    if let Some(value) = variable("SLURM_CPU_BIND") {
        own.cpu_bind = Some(CpuBind::read(value, reading.rules)?);
    }
    if variable("SLURM_OVERCOMMIT").is_some() {
        own.overcommit = Flag::Said;
    }
    for (name, flag) in [
        ("SLURM_EXACT", &mut own.exact),
        ("SLURM_EXCLUSIVE", &mut own.exclusive),
        ("SLURM_OVERLAP", &mut own.overlap),
        ("SLURM_WHOLE", &mut own.whole),
    ] {
        if variable(name).is_some() {
            *flag = Flag::Said;
        }
    }
    given_gpus(own, asked)?;
    number(&["SLURM_CPUS_PER_GPU"], &mut own.cpus_per_gpu)?;
    number(
        &["SLURM_NTASKS_PER_GPU", "SLURM_NTASKS_PER_TRES"],
        &mut own.tasks_per_gpu,
    )?;
    if let Some(value) = variable("SLURM_GPU_BIND") {
        own.gpu_bind = Some(GpuBind::read(value)?);
    }
    if let Some(name) = NOT_MODELLED.iter().find(|name| variable(name).is_some()) {
        return Err(refusals::not_modelled(format!(
            "{name}: srun reads it, and what it does to a placement is not known here"
        )));
    }
    own.node_list = variable("SLURM_HOSTFILE").map(str::to_owned);
    Ok(())
}

/// Variables that count GPUs.
fn given_gpus(own: &mut Options, asked: &LineAsked<'_>) -> Result<(), LineRefused> {
    let variable = |name: &str| asked.variable(name).filter(|value| !value.is_empty());
    for (name, gpus) in [
        ("SLURM_GPUS", &mut own.gpus),
        ("SLURM_GPUS_PER_NODE", &mut own.gpus_per_node),
        ("SLURM_GPUS_PER_TASK", &mut own.gpus_per_task),
    ] {
        if let Some(value) = variable(name) {
            *gpus = Some(GpuCount::read(name, value)?);
        }
    }
    if let Some(value) = variable("SLURM_TRES_PER_TASK") {
        let tres = Tres::read(value, "cpu=")?;
        own.cpus_per_task = tres.cpus.or(own.cpus_per_task);
        own.gpus_per_task = tres.gpus.or(own.gpus_per_task.take());
    }
    Ok(())
}

/// The size of planes that have none.
pub(super) fn plane(asked: &LineAsked<'_>, words: Option<&Options>) -> Option<u64> {
    let own = match words?.distribution?.first {
        First::Plane(size) => Some(size),
        First::Block | First::Cyclic | First::Arbitrary => None,
    };
    asked
        .variable("SLURM_DIST_PLANESIZE")
        .and_then(positive)
        .or(own)
}

/// Whether srun does not read the job's cpus per task.
fn forgets_cpus(rules: Rules) -> bool {
    !rules.has(Change::InheritsCpus)
}
