//! Lines of launchers, placed one rank at a time by the launchers' rules.

pub mod aprun;
pub mod flux;
pub mod hydra;
pub mod intel;
pub mod jsrun;
pub mod pals;
pub mod slurm;
// The hardware of a node as launchers see it.
mod node;

use crate::cpus::Cpus;
use std::collections::BTreeMap;

/// One rank of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineRow {
    /// The program, from 0.
    pub app: usize,
    /// The name of its node.
    pub node: String,
    /// Its place among the ranks of the node.
    pub local: usize,
    /// Its cpus; `None`: unbound.
    pub cpus: Option<Cpus>,
    /// The GPUs that it sees; `None`: none, or the launcher says nothing of GPUs.
    pub gpus: Option<Vec<u32>>,
}

/// Why a line is refused: its class.
pub type Class = &'static str;

/// A set of cpus by OS number.
fn set_of(cpus: Vec<u32>) -> Cpus {
    let mut set = Cpus::none();
    cpus.into_iter().for_each(|cpu| set.add(cpu));
    set
}

/// The host of each rank: hosts in order, each taking its slots, again and again.
fn dealt(slots: &[usize], ranks: usize) -> Vec<usize> {
    let mut of_rank = Vec::new();
    while of_rank.len() < ranks {
        for (host, &slots) in slots.iter().enumerate() {
            for _ in 0..slots {
                of_rank.push(host);
            }
        }
    }
    of_rank.truncate(ranks);
    of_rank
}

/// The program of each rank.
fn programs(procs: &[usize]) -> Vec<usize> {
    let mut of_rank = Vec::new();
    for (app, &procs) in procs.iter().enumerate() {
        for _ in 0..procs {
            of_rank.push(app);
        }
    }
    of_rank
}

/// The place of each rank among those of its host.
fn locals(of_rank: &[usize]) -> Vec<usize> {
    let mut so_far: BTreeMap<usize, usize> = BTreeMap::new();
    let mut locals = Vec::new();
    for &host in of_rank {
        let next = so_far.entry(host).or_default();
        locals.push(*next);
        *next += 1;
    }
    locals
}
