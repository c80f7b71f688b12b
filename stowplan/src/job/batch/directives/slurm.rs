//! `#SBATCH`.

use super::{Asked, Said};
use crate::job::batch::text::Text;
use crate::launchers::slurm::{JobTold, job_told};
use stowplan_engine::error::SpecError;

/// What sbatch's words fix. srun reads the words themselves (`launchers/slurm/inherit.rs`): a word of
/// the line wins over one of the job.
pub(crate) fn asked(said: &Said, text: &Text<'_>) -> Result<Asked, SpecError> {
    let told = job_told(&said.plain()).map_err(|refused| {
        let sentence = refused.sentence.replacen("--alloc: ", "", 1);
        let what = format!("#SBATCH: {}", sentence.replacen("srun: ", "sbatch: ", 1));
        let word = refused.at.and_then(|(word, _)| said.words.get(word));
        let place = word.map_or(said.first, |(_, span)| *span);
        text.refused(refused.class, place, &what, refused.help)
    })?;
    Ok(of_told(&told))
}

/// What the words of a job fix.
pub(crate) fn of_told(told: &JobTold) -> Asked {
    let mut asked = Asked {
        named: told.node_list.clone(),
        ..Asked::default()
    };
    asked.variables.extend(told.variables.iter().cloned());
    nodes(told, &mut asked);
    let numbers = [
        ("SLURM_NNODES", told.nodes),
        ("SLURM_JOB_NUM_NODES", told.nodes),
        ("SLURM_NTASKS", told.tasks),
        ("SLURM_NPROCS", told.tasks),
        ("SLURM_NTASKS_PER_NODE", told.tasks_per_node),
        ("SLURM_CPUS_PER_TASK", told.cpus_per_task),
        ("SLURM_THREADS_PER_CORE", told.threads_per_core),
        ("SLURM_GPUS_PER_NODE", told.gpus_per_node),
        ("SLURM_GPUS_PER_TASK", told.gpus_per_task),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            asked.set(name, number);
        }
    }
    if let [(count, Some(slots))] = asked.nodes[..] {
        let times = if count == 1 {
            String::new()
        } else {
            format!("(x{count})")
        };
        asked.set("SLURM_TASKS_PER_NODE", format!("{slots}{times}"));
    }
    asked
}

/// The nodes and their tasks, as far as they are fixed.
fn nodes(told: &JobTold, asked: &mut Asked) {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let Some(nodes) = told.nodes else {
        let tasks = told.tasks.unwrap_or(1);
        asked.unclear = Some(format!(
            "how many nodes Slurm gives for {tasks} tasks is the site's"
        ));
        return;
    };
    match (told.tasks_per_node, told.tasks) {
        (Some(each), tasks) => {
            // The last node has what is left.
            let tasks = tasks.unwrap_or(each.saturating_mul(nodes));
            let full = (tasks / each).min(nodes);
            if full > 0 {
                asked.push(small(full), Some(small(each)));
            }
            if full < nodes {
                let left = (tasks - full * each).max(1);
                asked.push(small(nodes - full), Some(small(left)));
            }
        }
        (None, Some(tasks)) if nodes == 1 => asked.push(1, Some(small(tasks))),
        (None, Some(tasks)) if tasks == nodes => asked.push(small(nodes), Some(1)),
        (None, None) if nodes == 1 => asked.push(1, Some(1)),
        (None, _) => {
            asked.push(small(nodes), None);
            asked.unclear = Some(
                "how many tasks Slurm counts for each node is not fixed by these words".to_owned(),
            );
        }
    }
}
