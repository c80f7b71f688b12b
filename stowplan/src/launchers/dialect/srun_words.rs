//! Slurm's words for layouts, masks and GPUs.

use super::{fits, gpu_lists, masks};
use crate::launchers::gpus::period;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::lists::allowed;
use crate::launchers::script::Word;
use std::convert::Infallible;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::taskmap::{Block, TaskMap};

/// How ranks go over nodes that are sorted by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Block,
    Cyclic,
    Plane(u32),
}

impl Layout {
    pub(super) fn word(self) -> String {
        match self {
            Self::Block => "block".to_owned(),
            Self::Cyclic => "cyclic".to_owned(),
            Self::Plane(size) => format!("plane={size}"),
        }
    }

    /// The layout of a task map, with nodes numbered by name.
    pub(super) fn of(map: &TaskMap) -> Option<Self> {
        let (nodes, tasks) = (map.node_count().ok()?, map.task_count().ok()?.0);
        let (_, first) = map.runs().next()?;
        let round = |size: u32| {
            let turn = size.checked_mul(nodes)?;
            let (full, rest) = (tasks / turn, tasks % turn);
            same(
                map,
                &[
                    (0, nodes, size, full),
                    (0, rest / size, size, 1),
                    (rest / size, 1, rest % size, 1),
                ],
            )
            .then_some(())
        };
        // On several nodes, block follows the network since Slurm 26.05; cyclic and plane follow the names.
        if nodes == 1 {
            Some(Self::Block)
        } else if round(1).is_some() {
            Some(Self::Cyclic)
        } else {
            round(first.0).map(|()| Self::Plane(first.0))
        }
    }
}

/// Whether a node has more ranks than cpus: where several nodes share a layout, Slurm then gives it fewer and other nodes more.
pub(super) fn is_overfull(job: &Job<'_>, number: u32) -> bool {
    let ranks = u64::from(job.lists.group(number).ranks);
    ranks > allowed(job.plan, job.nodes.node(number)).len()
}

/// Whether some node has more ranks than cpus. Neighbouring nodes in one state are asked once.
pub(super) fn any_overfull(job: &Job<'_>) -> bool {
    let mut last = None;
    (0..job.nodes.len()).any(|number| {
        let state = job.plan.world().before.state(job.nodes.node(number));
        let own = Some((state, job.lists.group(number).ranks));
        std::mem::replace(&mut last, own) != own && is_overfull(job, number)
    })
}

/// Whether a map consists of these blocks; empty blocks are ignored.
fn same(map: &TaskMap, blocks: &[(u32, u32, u32, u32)]) -> bool {
    let some = blocks
        .iter()
        .filter(|&&(_, nodes, ppn, repeat)| nodes > 0 && ppn > 0 && repeat > 0);
    let blocks = some.map(|&(first, nodes, ppn, repeat)| Block {
        first,
        nodes,
        ppn,
        repeat,
    });
    TaskMap::from_blocks(blocks).is_ok_and(|own| own == *map)
}

/// The word for a list of cpus.
pub(super) fn bind_word(job: &Job<'_>, list: &[CpusetId]) -> Result<Word, Unsaid> {
    let text = format!("--cpu-bind=mask_cpu:{}", masks(job, list));
    fits(text, "the list of masks")
}

/// The word for a list of GPUs: numbers if each rank has one GPU, else masks. At its end, Slurm starts the list again.
pub(super) fn gpu_word(list: &[Vec<u32>]) -> Result<Word, Unsaid> {
    let list = period(list);
    let text = if list.iter().all(|gpus| gpus.len() == 1) {
        format!("--gpu-bind=map_gpu:{}", gpu_lists(list, ","))
    } else {
        let mask = |gpus: &Vec<u32>| crate::launchers::cpus::mask(&gpus.iter().copied().collect());
        let masks: Vec<String> = list.iter().map(mask).collect();
        format!("--gpu-bind=mask_gpu:{}", masks.join(","))
    };
    fits(text, "the list of GPUs")
}

/// Checks that a node has every cpu of a list.
pub(super) fn lacks(job: &Job<'_>, number: u32, list: &[CpusetId]) -> Result<(), Unsaid> {
    let there = allowed(job.plan, job.nodes.node(number));
    let outside = list
        .iter()
        .find(|&&id| !job.lists.sets.get(id).is_subset(&there));
    match outside {
        None => Ok(()),
        Some(&id) => Err(Unsaid(format!(
            "node {} lacks cpus of {}, an entry of the one list of masks that no rank there uses, and Slurm checks them all",
            job.nodes.name(number),
            crate::launchers::cpus::mask(job.lists.sets.get(id))
        ))),
    }
}

/// The value of a result that cannot fail.
pub(super) fn sure<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
    }
}
