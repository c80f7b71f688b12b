//! GPUs of a step, and those that each task sees. Section 9.

use super::arithmetic::Step;
use super::{First, GpuBind, Node, Scene, Slurm, Words};
use crate::lines::Class;

/// What a step asks for.
enum Wanted {
    Nothing,
    OfNode(usize),
    OfTask(usize),
    InAll(usize),
    /// One for so many tasks of a node.
    Shared(usize),
}

fn of_node(words: &Words) -> Option<usize> {
    words.gres.or(words.gpus_per_node)
}

/// The words of the line, then those of variables, then the job's `--gres`; a zero says nothing where another word does.
fn wanted(asked: &Slurm, env: &Words) -> Wanted {
    let line = &asked.line;
    let mut node = of_node(line);
    if node.is_none() && line.gpus.is_none() {
        node = env.gpus_per_node;
    }
    let all = line.gpus.or(env.gpus);
    if let Some(count) = node
        && count > 0
    {
        return Wanted::OfNode(count);
    }
    if let Some(count) = line.gpus_per_task {
        return Wanted::OfTask(count);
    }
    if let Some(count) = all
        && count > 0
    {
        return Wanted::InAll(count);
    }
    let job = asked.job.as_ref().and_then(of_node);
    if node.is_none()
        && all.is_none()
        && let Some(count) = job
        && count > 0
    {
        return Wanted::OfNode(count);
    }
    line.per_gpu.map_or(Wanted::Nothing, Wanted::Shared)
}

/// Whether srun itself reads how many GPUs there are.
fn counted(words: &Words) -> bool {
    of_node(words).is_some_and(|count| count > 0) || words.gpus.is_some_and(|count| count > 0)
}

/// `--ntasks-per-gpu` raises the number of tasks.
pub(super) fn share(asked: &Slurm, env: &Words, step: &mut Step) -> Result<(), Class> {
    let line = &asked.line;
    let own = wanted(asked, env);
    let bare = asked.nodes.iter().any(|node| node.gpus.is_empty());
    if !matches!(own, Wanted::Nothing) && bare {
        return Err("launcher-refuses");
    }
    let there: usize = asked.nodes.iter().map(|node| node.gpus.len()).sum();
    if line.gpus.is_some_and(|count| count > there) {
        return Err("launcher-refuses");
    }
    let Some(each) = line.per_gpu else {
        return Ok(());
    };
    let by_srun = counted(line) || counted(env);
    let of_job = env.cpus.is_some() && asked.version >= 2411;
    if line.gpus_per_task.is_some() || of_job || step.fits && !by_srun {
        return Err("launcher-refuses");
    }
    if step.fits {
        return Ok(());
    }
    if !by_srun && !step.n.is_multiple_of(each) {
        return Err("launcher-refuses");
    }
    let gpus = match own {
        Wanted::OfNode(count) => count * step.min,
        Wanted::InAll(count) => count,
        Wanted::Nothing | Wanted::OfTask(_) | Wanted::Shared(_) => 0,
    };
    if each * gpus > step.n {
        // The controller raises it when srun has chosen an order for few tasks.
        let said = line.distribution.or(env.distribution).is_some();
        if !by_srun && !said && step.n <= step.min {
            step.distribution.first = First::Cyclic;
        }
        step.n = each * gpus;
    }
    Ok(())
}

/// The GPUs of the step on a node: the lowest numbers.
pub(super) fn of_step(scene: &Scene<'_>, at: usize, t: usize) -> Result<Vec<usize>, Class> {
    let asked = scene.asked;
    let there = asked.nodes[at].gpus.len();
    let count = match wanted(asked, &asked.inherited()) {
        Wanted::Nothing => 0,
        Wanted::OfNode(count) => count,
        Wanted::OfTask(each) => each * t,
        Wanted::Shared(each) => t / each,
        Wanted::InAll(count) => {
            // Node after node takes what it has, and leaves one for each node behind it.
            let mut left = count;
            let mut own = 0;
            for (place, &node) in scene.chosen.iter().enumerate() {
                let behind = scene.chosen.len() - place - 1;
                let most = left.saturating_sub(behind).max(1).min(left);
                let taken = asked.nodes[node].gpus.len().min(most);
                left -= taken;
                if node == at {
                    own = taken;
                }
            }
            if left > 0 {
                return Err("launcher-refuses");
            }
            own
        }
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
