//! A line of `flux run`, one slot and one task at a time. Source: `lines/flux/spec.md` 5 to 8.

use super::{Class, LineRow};
use crate::cpus::Cpus;

/// Which scheduler there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// flux-core's own.
    Simple,
    /// Whole nodes.
    Lonodex,
    /// Fluxion's default.
    First,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// `-n`, `-N`, `-c`.
    PerTask {
        /// `-n`
        tasks: Option<usize>,
        /// `-N`
        nodes: Option<usize>,
        /// `-c`
        cores: usize,
    },
    /// `-N`, `--cores` and tasks of each node or core.
    PerResource {
        /// `-N`
        nodes: Option<usize>,
        /// `--cores`
        cores: Option<usize>,
        /// Tasks.
        tasks: Tasks,
    },
}

/// Tasks of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tasks {
    /// `--tasks-per-node`
    PerNode(usize),
    /// `--tasks-per-core`
    PerCore(usize),
}

/// Whether nodes are given out whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// They may be shared.
    Shared,
    /// `-x`
    Exclusive,
}

/// `-o cpu-affinity`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Affinity {
    /// All cores of the job on the node.
    On,
    /// None.
    Off,
    /// A part of them for each task.
    PerTask,
}

/// A node: the cpus of each core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FluxNode {
    /// Its name.
    pub name: String,
    /// OS numbers of the threads of each core.
    pub cores: Vec<Vec<u32>>,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flux {
    /// The nodes of the instance.
    pub nodes: Vec<FluxNode>,
    /// The scheduler.
    pub policy: Policy,
    /// What is asked for.
    pub ask: Ask,
    /// `-x`
    pub sharing: Sharing,
    /// `--taskmap=cyclic`
    pub cyclic: Option<usize>,
    /// `-o cpu-affinity`
    pub affinity: Affinity,
}

const REFUSED: Result<Vec<LineRow>, Class> = Err("launcher-refuses");
const FAILS: Result<Vec<LineRow>, Class> = Err("launch-fails");

/// What the words come to. Section 5.
struct Wanted {
    /// Slots of a node, or of the job without `-N`.
    slots: usize,
    /// Cores of a slot.
    size: usize,
    nodes: Option<usize>,
    tasks: usize,
    sharing: Sharing,
}

/// `None`: refused.
fn wanted(line: &Flux) -> Option<Wanted> {
    let asked = |slots, size, nodes, tasks| Wanted {
        slots,
        size,
        nodes,
        tasks,
        sharing: line.sharing,
    };
    let whole = |own: Wanted| Wanted {
        sharing: Sharing::Exclusive,
        ..own
    };
    let alone = line.sharing == Sharing::Exclusive;
    match line.ask {
        Ask::PerTask {
            tasks,
            nodes,
            cores,
        } => match nodes {
            None if alone => None,
            None => Some(asked(tasks.unwrap_or(1), cores, None, tasks.unwrap_or(1))),
            Some(nodes) => {
                let n = tasks.unwrap_or(nodes);
                let own = asked(n.div_ceil(nodes), cores, Some(nodes), n);
                match tasks {
                    _ if nodes > n => None,
                    None => Some(whole(own)),
                    Some(_) => Some(own),
                }
            }
        },
        Ask::PerResource { nodes, cores, .. } => match (nodes, cores) {
            (None, Some(cores)) if !alone => Some(asked(cores, 1, None, 0)),
            (Some(nodes), Some(cores)) if cores % nodes == 0 && cores > 0 => {
                Some(asked(1, cores / nodes, Some(nodes), 0))
            }
            (Some(nodes), None) => Some(whole(asked(1, 1, Some(nodes), 0))),
            (None, _) | (Some(_), Some(_)) => None,
        },
    }
}

/// Places every task.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Flux) -> Result<Vec<LineRow>, Class> {
    let Some(wanted) = wanted(line) else {
        return REFUSED;
    };
    let Some(mut given) = scheduled(line, &wanted) else {
        return REFUSED;
    };
    let all_slots = wanted.slots * wanted.nodes.unwrap_or(1);
    let tasks = wanted.tasks;
    let counts = match line.ask {
        Ask::PerResource { tasks, .. } => match tasks {
            Tasks::PerNode(each) => given.iter().map(|_| each).collect(),
            Tasks::PerCore(each) => given.iter().map(|own| own.1.len() * each).collect(),
        },
        Ask::PerTask { .. } => {
            let all: usize = given.iter().map(|own| own.1.len()).sum();
            let least = given.iter().map(|own| own.1.len()).min().unwrap_or(0);
            // The smallest node bounds what is dealt, not what a node keeps: recorded so.
            let kept = all / all_slots;
            let p = kept.min(least);
            if p == 0 {
                return FAILS;
            }
            let cores: Vec<usize> = given.iter().map(|own| own.1.len()).collect();
            let counts = dealt(&cores, p, tasks);
            let several = wanted.nodes.is_some_and(|nodes| nodes > 1);
            if wanted.sharing == Sharing::Shared && several && tasks < all_slots {
                for (own, &tasks) in given.iter_mut().zip(&counts) {
                    own.1.truncate(tasks * kept);
                }
            }
            counts
        }
    };
    let order = match line.cyclic {
        None => in_blocks(&counts),
        Some(k) => match in_turn(&counts, k) {
            Some(order) => order,
            None => return FAILS,
        },
    };
    let mut of_node = vec![0; given.len()];
    for &at in &order {
        of_node[at] += 1;
    }
    let bound: Vec<Vec<Option<Cpus>>> = given
        .iter()
        .zip(&of_node)
        .map(|((node, cores), &tasks)| bound(line, &line.nodes[*node], cores, tasks))
        .collect();
    let mut next = vec![0; given.len()];
    let mut rows = Vec::new();
    for at in order {
        let local = next[at];
        next[at] += 1;
        rows.push(LineRow {
            app: 0,
            node: line.nodes[given[at].0].name.clone(),
            local,
            cpus: bound[at][local].clone(),
            gpus: None,
        });
    }
    Ok(rows)
}

/// The nodes that are given, by rank, with their cores. Section 6.
fn scheduled(line: &Flux, wanted: &Wanted) -> Option<Vec<(usize, Vec<usize>)>> {
    let &Wanted { slots, size, .. } = wanted;
    let exclusive = wanted.sharing == Sharing::Exclusive;
    let cores = |node: usize| line.nodes[node].cores.len();
    let mut order: Vec<usize> = (0..line.nodes.len()).collect();
    match line.policy {
        Policy::Simple => order.sort_by_key(|&node| usize::MAX - cores(node)),
        Policy::Lonodex => {}
        Policy::First => order.reverse(),
    }
    let some = |node: usize, count: usize| -> Vec<usize> {
        match line.policy {
            _ if exclusive => (0..cores(node)).collect(),
            Policy::Lonodex => (0..cores(node)).collect(),
            Policy::Simple => (0..count).collect(),
            Policy::First => (cores(node) - count..cores(node)).collect(),
        }
    };
    let mut given = Vec::new();
    if let Some(wanted) = wanted.nodes {
        let asks = !(exclusive && line.policy == Policy::Simple);
        for node in order {
            if given.len() < wanted && (!asks || cores(node) >= slots * size) {
                given.push((node, some(node, slots * size)));
            }
        }
        if given.len() < wanted {
            return None;
        }
    } else {
        let mut left = slots;
        for node in order {
            let fit = (cores(node) / size).min(left);
            if fit > 0 {
                left -= fit;
                given.push((node, some(node, fit * size)));
            }
        }
        if left > 0 {
            return None;
        }
    }
    given.sort_by_key(|own| own.0);
    Some(given)
}

/// Nodes with most cores first, as a comb sort leaves them.
fn sorted(cores: &[usize]) -> Vec<(usize, usize)> {
    let mut list: Vec<(usize, usize)> = cores.iter().copied().enumerate().collect();
    let mut gap = list.len();
    loop {
        gap = (gap * 10 / 13).max(1);
        let mut swapped = false;
        for at in gap..list.len() {
            if list[at].1 > list[at - gap].1 {
                list.swap(at, at - gap);
                swapped = true;
            }
        }
        if gap == 1 && !swapped {
            return list;
        }
    }
}

/// Tasks of each node. Section 7.
fn dealt(cores: &[usize], p: usize, tasks: usize) -> Vec<usize> {
    let mut counts = vec![0; cores.len()];
    let mut list = sorted(cores);
    for _ in 0..tasks {
        loop {
            if list.is_empty() {
                list = sorted(cores);
            }
            let (node, left) = list.remove(0);
            if left >= p {
                counts[node] += 1;
                list.push((node, left - p));
                break;
            }
        }
    }
    counts
}

fn in_blocks(counts: &[usize]) -> Vec<usize> {
    let mut order = Vec::new();
    for (node, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            order.push(node);
        }
    }
    order
}

/// 0.88's slip: a node that has none yet counts as one task more.
fn in_turn(counts: &[usize], k: usize) -> Option<Vec<usize>> {
    let all: usize = counts.iter().sum();
    let mut had = vec![0; counts.len()];
    let mut order = Vec::new();
    while order.len() < all {
        for (node, &count) in counts.iter().enumerate() {
            let helping = if had[node] == 0 {
                k.min(count + 1)
            } else {
                k.min(count.saturating_sub(had[node]))
            };
            had[node] += helping;
            for _ in 0..helping {
                order.push(node);
            }
        }
    }
    (order.len() == all).then_some(order)
}

/// What each task of a node may use. Section 8.
fn bound(line: &Flux, node: &FluxNode, cores: &[usize], tasks: usize) -> Vec<Option<Cpus>> {
    let add = |cpus: &mut Cpus, core: usize| node.cores[core].iter().for_each(|&cpu| cpus.add(cpu));
    match line.affinity {
        Affinity::Off => vec![None; tasks],
        Affinity::On => {
            let mut all = Cpus::none();
            cores.iter().for_each(|&core| add(&mut all, core));
            vec![Some(all); tasks]
        }
        Affinity::PerTask => {
            let weight = |core: usize| node.cores[core].len();
            let sum: usize = cores.iter().map(|&core| weight(core)).sum();
            let mut found: Vec<Option<Cpus>> = Vec::new();
            let mut before = 0;
            for &core in cores {
                let ends = ((before + weight(core)) * tasks).div_ceil(sum);
                let begins = ends - (before * tasks).div_ceil(sum);
                before += weight(core);
                if begins == 0
                    && let Some(Some(last)) = found.last_mut()
                {
                    add(last, core);
                }
                for _ in 0..begins {
                    let mut own = Cpus::none();
                    add(&mut own, core);
                    found.push(Some(own));
                }
            }
            found
        }
    }
}
