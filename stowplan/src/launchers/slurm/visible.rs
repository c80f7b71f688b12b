//! The GPUs that the ranks of a node see. Source: `lines/slurm/spec.md` 9.

use super::gpu_bind::GpuBind;
use super::rules::{Change, Rules};
use super::shape::Gpu;

/// Sees which GPUs: by local rank. `cores` are those of each rank's cpus; `None`: all.
pub(super) fn visible(
    gpus: &[Gpu],
    bind: &GpuBind,
    tasks: usize,
    cores: &dyn Fn(usize) -> Option<Vec<usize>>,
    rules: Rules,
) -> Vec<Vec<u32>> {
    let all: Vec<u32> = gpus.iter().map(|gpu| gpu.number).collect();
    if gpus.is_empty() || *bind == GpuBind::None || tasks == 1 && !rules.has(Change::LoneRankBound)
    {
        return vec![all; tasks];
    }
    let mut used = vec![0_u64; gpus.len()];
    let mut seen = Vec::with_capacity(tasks);
    for rank in 0..tasks {
        let own = cores(rank);
        let near: Vec<bool> = gpus
            .iter()
            .map(|gpu| match &own {
                None => true,
                Some(cores) => gpu.near.iter().any(|core| cores.contains(core)),
            })
            .collect();
        let rows = 0..gpus.len();
        let mut mine: Vec<usize> = match bind {
            GpuBind::None => rows.collect(),
            GpuBind::Closest => rows.filter(|&gpu| near[gpu]).collect(),
            GpuBind::PerTask(count) => {
                let mut order: Vec<usize> = rows.filter(|&gpu| used[gpu] == 0).collect();
                order.sort_by_key(|&gpu| (!near[gpu], gpu));
                order.truncate(usize::try_from(*count).unwrap_or(usize::MAX));
                for &gpu in &order {
                    used[gpu] = 1;
                }
                order
            }
            GpuBind::Single(count) => {
                let open = |gpu: &usize| used[*gpu] < *count;
                let first = rows.clone().find(|gpu| near[*gpu] && open(gpu));
                let one = first
                    .or_else(|| rows.clone().find(open))
                    .unwrap_or(rank % gpus.len());
                let one = if gpus.len() == 1 { 0 } else { one };
                used[one] += 1;
                vec![one]
            }
            GpuBind::Listed(lists) => {
                let list = &lists[rank % lists.len()];
                rows.filter(|&gpu| list.contains(&all[gpu])).collect()
            }
        };
        mine.sort_unstable();
        if mine.is_empty() {
            mine.push(0);
        }
        seen.push(mine.into_iter().map(|gpu| all[gpu]).collect());
    }
    seen
}
