//! How many tasks each node of a job gets. Source: `lines/flux/spec.md` 7, step 1.

use super::asks::{Ask, Tasks};
use super::schedule::Allotted;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::table::names::NodeRange;

/// Neighbouring nodes that get the same of everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dealt {
    /// The nodes.
    pub(super) nodes: NodeRange,
    /// What the job has of each: a place in its list of [`Allotted`].
    pub(super) row: usize,
    /// Tasks of each.
    pub(super) tasks: u32,
}

/// Tasks in all, and how they are dealt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Deal {
    /// Tasks of the job.
    pub(super) tasks: u32,
    /// Cores that stand for one slot, before small nodes lower them.
    pub(super) cores_per_slot: u64,
    /// Nodes in the order of the job.
    pub(super) nodes: Vec<Dealt>,
}

/// Deals the tasks over the nodes of a job.
///
/// # Errors
/// `launch-fails` for fewer cores than slots; `job-too-large`.
///
/// Cost: runs of nodes, if all have as many cores; else nodes, which are sorted as Flux sorts them.
pub(super) fn deal(
    asked: &LineAsked<'_>,
    ask: &Ask,
    job: &[Allotted],
) -> Result<Deal, LineRefused> {
    let cores = |own: &Allotted| own.got.cores.len();
    let count = |own: &Allotted| u64::from(own.nodes.count);
    let all: u64 = job.iter().map(|own| cores(own) * count(own)).sum();
    let cores_per_slot = all / ask.all_slots().max(1);
    let total = match ask.tasks {
        Tasks::InAll(tasks) => tasks,
        Tasks::PerNode(each) => job
            .iter()
            .map(|own| count(own).saturating_mul(each))
            .fold(0, u64::saturating_add),
        Tasks::PerCore(each) => all.saturating_mul(each),
    };
    let Some(tasks) = u32::try_from(total)
        .ok()
        .filter(|&tasks| tasks <= RANKS_MAX)
    else {
        return Err(asked.refused(
            "job-too-large",
            format_args!("{total} tasks are more than there can be"),
        ));
    };
    let each = |own: &Allotted| match ask.tasks {
        Tasks::PerNode(each) => each,
        Tasks::PerCore(each) => cores(own) * each,
        Tasks::InAll(_) => 0,
    };
    let nodes = match ask.tasks {
        Tasks::InAll(_) => {
            if cores_per_slot == 0 {
                let sentence = format!(
                    "{}: error distributing {tasks} tasks: the nodes of the job have {all} cores",
                    asked.command
                );
                let mut refused = LineRefused::new("launch-fails", sentence);
                let nodes = ask.nodes.map_or(1, u64::from);
                if u64::from(tasks) % nodes == 0 {
                    let help = format!(
                        "--tasks-per-node={} in place of -n",
                        u64::from(tasks) / nodes
                    );
                    refused.help.push(help);
                }
                return Err(refused);
            }
            over_cores(job, tasks, cores_per_slot)
        }
        Tasks::PerNode(_) | Tasks::PerCore(_) => (0..)
            .zip(job)
            .map(|(row, own)| Dealt {
                nodes: own.nodes,
                row,
                tasks: u32::try_from(each(own)).unwrap_or(tasks),
            })
            .collect(),
    };
    Ok(Deal {
        tasks,
        cores_per_slot,
        nodes,
    })
}

/// Tasks go to the nodes in rounds, largest node first; a node that has no cores left is out until all are.
fn over_cores(job: &[Allotted], tasks: u32, cores_per_slot: u64) -> Vec<Dealt> {
    let sizes: Vec<u64> = job.iter().map(|own| own.got.cores.len()).collect();
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let size = cores_per_slot.min(smallest).max(1);
    let mut dealt = Vec::new();
    if sizes.iter().all(|&own| own == smallest) {
        let nodes: u32 = job.iter().map(|own| own.nodes.count).sum();
        let (each, mut more) = (tasks / nodes.max(1), tasks % nodes.max(1));
        for (row, own) in (0..).zip(job) {
            let first = more.min(own.nodes.count);
            more -= first;
            let cut = own.nodes.first + first;
            push(
                &mut dealt,
                NodeRange::until(own.nodes.first, cut),
                row,
                each + 1,
            );
            push(
                &mut dealt,
                NodeRange::until(cut, own.nodes.end()),
                row,
                each,
            );
        }
        return dealt;
    }
    let mut order: Vec<(u64, usize)> = Vec::new();
    for (row, own) in job.iter().enumerate() {
        order.extend((0..own.nodes.count).map(|_| (sizes[row], row)));
    }
    // Where each node stands in the job, beside its cores.
    let mut places: Vec<(u64, usize)> = order
        .iter()
        .enumerate()
        .map(|(at, &(cores, _))| (cores, at))
        .collect();
    sort(&mut places);
    let counts = rounds(&places, u64::from(tasks), size);
    let mut at = 0;
    for (row, own) in job.iter().enumerate() {
        for node in own.nodes.first..own.nodes.end() {
            push(
                &mut dealt,
                NodeRange::until(node, node + 1),
                row,
                counts[at],
            );
            at += 1;
        }
    }
    dealt
}

fn push(dealt: &mut Vec<Dealt>, nodes: NodeRange, row: usize, tasks: u32) {
    if nodes.count == 0 {
        return;
    }
    match dealt.last_mut() {
        Some(last) if last.row == row && last.tasks == tasks && last.nodes.end() == nodes.first => {
            last.nodes.count += nodes.count;
        }
        Some(_) | None => dealt.push(Dealt { nodes, row, tasks }),
    }
}

/// How many tasks each node gets, by its place in the job.
pub fn rounds(order: &[(u64, usize)], tasks: u64, size: u64) -> Vec<u32> {
    let rooms: Vec<u64> = order.iter().map(|&(cores, _)| cores / size).collect();
    let cycle: u64 = rooms.iter().sum::<u64>().max(1);
    let (cycles, rest) = (tasks / cycle, tasks % cycle);
    let within = |rounds: u64| rooms.iter().map(|room| room.min(&rounds)).sum::<u64>();
    let most = rooms.iter().copied().max().unwrap_or(0);
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high).div_ceil(2);
        match within(middle) <= rest {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    let mut more = rest - within(low);
    let mut counts = vec![0; order.len()];
    for (&(_, place), &room) in order.iter().zip(&rooms) {
        let extra = u64::from(more > 0 && room > low);
        more -= extra;
        let count = cycles * room + room.min(low) + extra;
        counts[place] = u32::try_from(count).unwrap_or(u32::MAX);
    }
    counts
}

/// Most cores first, by the comb sort of czmq's lists: it does not keep the order of equal nodes.
pub fn sort(nodes: &mut [(u64, usize)]) {
    let mut gap = nodes.len();
    let mut swapped = Swapped::No;
    while gap > 1 || swapped == Swapped::Yes {
        if gap > 1 {
            gap = gap * 10 / 13;
        }
        swapped = Swapped::No;
        for at in gap..nodes.len() {
            if nodes[at - gap].0 < nodes[at].0 {
                nodes.swap(at - gap, at);
                swapped = Swapped::Yes;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Swapped {
    Yes,
    No,
}
