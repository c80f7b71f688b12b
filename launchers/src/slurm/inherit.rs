//! What a job sets and srun reads. Source: `lines/slurm/spec.md` 2.7.

use super::cpu_bind::CpuBind;
use super::distribution::{Distribution, First};
use super::hint::{Hint, HintWord};
use super::level::FREE;
use super::numbers::positive;
use super::options::{Flag, NodeCounts, Options, Reading};
use super::options::{count, node_counts};
use super::version::Version;
use crate::line::{LineAsked, LineRefused};

/// The words that a line inherits: those that the job sets, then given variables, which win.
pub(super) fn inherited(
    asked: &LineAsked<'_>,
    words: Option<&Options>,
    nodes: u64,
    threads: Option<u64>,
    reading: Reading,
) -> Result<Options, LineRefused> {
    let mut own = Options::default();
    let version = reading.version;
    let forgets = forgets_cpus(version);
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
    }
    given(&mut own, asked, reading)?;
    if version == Version::V22_05 {
        own.tasks_per_core = None;
    }
    Ok(own)
}

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
    let name = if forgets_cpus(reading.version) {
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
        own.distribution = Some(read.map_err(|why| {
            super::refusals::refuses(format!("SLURM_DISTRIBUTION={value}: {why}"))
        })?);
    }
    if let Some(value) = variable("SLURM_HINT") {
        own.hint = Some(Hint::read(value)?);
    }
    if let Some(value) = variable("SLURM_CPU_BIND") {
        own.cpu_bind = Some(CpuBind::read(value, reading.version)?);
    }
    if variable("SLURM_OVERCOMMIT").is_some() {
        own.overcommit = Flag::Said;
    }
    own.node_list = variable("SLURM_HOSTFILE").map(str::to_owned);
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
fn forgets_cpus(version: Version) -> bool {
    version == Version::V22_05 || version == Version::V23_02
}
