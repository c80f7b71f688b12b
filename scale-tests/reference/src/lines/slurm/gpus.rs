//! GPUs of a step, and those that each task sees. Section 9.

use super::arithmetic::Step;
use super::{GpuBind, Node, Scene, Slurm};
use crate::lines::Class;

/// `--ntasks-per-gpu` raises the number of tasks.
pub(super) fn share(asked: &Slurm, step: &mut Step) -> Result<(), Class> {
    let line = &asked.line;
    let wants =
        line.gpus_per_task.is_some() || line.gpus_per_node.is_some() || line.per_gpu.is_some();
    if wants && asked.nodes.iter().any(|node| node.gpus.is_empty()) {
        return Err("launcher-refuses");
    }
    let Some(each) = line.per_gpu else {
        return Ok(());
    };
    if !step.n.is_multiple_of(each) {
        return Err("launcher-refuses");
    }
    let least = each * asked.nodes[0].gpus.len() * step.min;
    step.n = step.n.max(least);
    Ok(())
}

/// The GPUs of the step on a node: the lowest numbers.
pub(super) fn of_step(scene: &Scene<'_>, at: usize, t: usize) -> Result<Vec<usize>, Class> {
    let line = &scene.asked.line;
    let there = scene.asked.nodes[at].gpus.len();
    let count = if line.per_gpu.is_some() {
        there
    } else if let Some(each) = line.gpus_per_task {
        each * t
    } else {
        line.gpus_per_node.unwrap_or(there)
    };
    match count <= there {
        true => Ok((0..count).collect()),
        false => Err("launcher-refuses"),
    }
}

/// The GPUs that each task sees; `None`: there are none.
pub(super) fn seen(
    scene: &Scene<'_>,
    node: &Node,
    gpus: &[usize],
    masks: &[Option<Vec<usize>>],
) -> Option<Vec<Vec<u32>>> {
    if gpus.is_empty() {
        return None;
    }
    let line = &scene.asked.line;
    let bind = if let Some(bind) = &line.gpu_bind {
        bind.clone()
    } else if let Some(each) = line.per_gpu {
        GpuBind::Single(each)
    } else if let Some(each) = line.gpus_per_task {
        GpuBind::PerTask(each)
    } else {
        GpuBind::None
    };
    let lone = masks.len() == 1 && scene.asked.version < 2605;
    let mut used = vec![0; gpus.len()];
    let mut all = Vec::new();
    for (rank, mask) in masks.iter().enumerate() {
        let near = |gpu: usize| match mask {
            None => true,
            Some(mask) => {
                let cores = &node.gpus[gpu];
                mask.iter().any(|cpu| cores.contains(&(cpu / node.threads)))
            }
        };
        let mut own: Vec<usize> = match &bind {
            _ if lone => gpus.to_vec(),
            GpuBind::None => gpus.to_vec(),
            GpuBind::Closest => gpus.iter().copied().filter(|&gpu| near(gpu)).collect(),
            GpuBind::PerTask(count) => {
                let mut mine = Vec::new();
                for wants_near in [true, false] {
                    for &gpu in gpus {
                        if mine.len() < *count && used[gpu] == 0 && near(gpu) == wants_near {
                            used[gpu] = 1;
                            mine.push(gpu);
                        }
                    }
                }
                mine
            }
            GpuBind::Single(_) if gpus.len() == 1 => gpus.to_vec(),
            GpuBind::Single(most) => {
                let open = |gpu: &&usize| used[**gpu] < *most;
                let first = gpus.iter().filter(open).find(|gpu| near(**gpu));
                let other = first.or_else(|| gpus.iter().find(open)).copied();
                let gpu = other.unwrap_or(gpus[rank % gpus.len()]);
                used[gpu] += 1;
                vec![gpu]
            }
            GpuBind::Map(list) => {
                let gpu = list[rank % list.len()];
                gpus.iter().copied().filter(|&own| own == gpu).collect()
            }
        };
        if own.is_empty() {
            own.push(gpus[0]);
        }
        own.sort_unstable();
        all.push(
            own.into_iter()
                .map(|gpu| u32::try_from(gpu).unwrap_or(0))
                .collect(),
        );
    }
    Some(all)
}
