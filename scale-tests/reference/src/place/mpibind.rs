//! `mpibind`: memory first, one node at a time. `docs/gpus.md`, "mpibind's rule".

use super::slot;
use crate::cpus::Cpus;
use crate::gpus::block;
use crate::machine::{Machine, Object};
use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::{BindTo, Mpibind, ObjKind, Wanted};

/// What one process gets: cpus, and GPUs by logical number.
type Got = (Cpus, Vec<usize>);

pub(super) fn place(turn: &mut Turn<'_, '_>, options: Mpibind) -> Result<(), Refusal> {
    // Only slots decide how many processes a node gets.
    let first = turn.job.procs.len();
    turn.target = None;
    slot::place(turn)?;
    for seat in 0..turn.seats.len() {
        let on = turn.seats[seat].node;
        let own: Vec<usize> = (first..turn.job.procs.len())
            .filter(|&at| turn.job.procs[at].node == on)
            .collect();
        if own.is_empty() {
            continue;
        }
        let node = &turn.job.pool.nodes[on];
        let found = lay(node.machine, &node.free, own.len(), options);
        if found.is_empty() {
            return Refusal::err("no-available-cpus", node.name.clone());
        }
        for (at, (cpus, gpus)) in own.into_iter().zip(found) {
            turn.job.procs[at].dealt = Some(gpus);
            if turn.policy.bind != BindTo::Nothing {
                let node = &mut turn.job.pool.nodes[on];
                node.free = node.free.minus(&cpus);
                turn.job.procs[at].cpus = Some(cpus);
            }
        }
    }
    Ok(())
}

/// The cpus and GPUs of each process of a node; empty when the node has no domain.
fn lay(machine: &Machine, free: &Cpus, procs: usize, options: Mpibind) -> Vec<Got> {
    let memories = machine.memories.iter();
    let domains: Vec<&Cpus> = memories.filter(|cpus| cpus.meets(free)).collect();
    let gpus: Vec<Cpus> = machine
        .objects(ObjKind::Gpu)
        .iter()
        .map(|gpu| gpu.cpus.and(free))
        .collect();
    let within = |domain: &Cpus| -> Vec<usize> {
        let inside = |&gpu: &usize| !gpus[gpu].is_empty() && domain.holds(&gpus[gpu]);
        (0..gpus.len()).filter(inside).collect()
    };
    if domains.is_empty() {
        return Vec::new();
    }
    if options.greedy == Wanted::Yes && procs < domains.len() {
        let whole = |at: usize| {
            let own = block(domains.len(), procs, at);
            let cpus = own
                .clone()
                .fold(Cpus::none(), |all, at| all.or(&domains[at].and(free)));
            let mut gpus: Vec<usize> = own.flat_map(|at| within(domains[at])).collect();
            gpus.sort_unstable();
            (cpus, gpus)
        };
        return (0..procs).map(whole).collect();
    }
    let size = |set: &Cpus| set.iter().count();
    let touching = |domain: &&Cpus| gpus.iter().filter(|gpu| gpu.meets(domain)).count();
    let mut weights: Vec<usize> = domains.iter().map(touching).collect();
    if options.gpu == Wanted::No || weights.iter().all(|&weight| weight == 0) {
        weights = domains
            .iter()
            .map(|domain| size(&domain.and(free)))
            .collect();
    }
    let all: usize = weights.iter().sum();
    let mut counts: Vec<usize> = weights.iter().map(|weight| procs * weight / all).collect();
    let mut order: Vec<usize> = (0..domains.len()).collect();
    order.sort_by_key(|&at| (usize::MAX - procs * weights[at] % all, at));
    let left = procs - counts.iter().sum::<usize>();
    order.iter().take(left).for_each(|&at| counts[at] += 1);
    let widest = cores(machine)
        .iter()
        .map(|core| size(&core.cpus.and(free)))
        .max()
        .unwrap_or(1);
    let each = domains.iter().zip(counts).filter(|(_, count)| *count > 0);
    each.flat_map(|(domain, count)| {
        let cpus = inside(machine, (domain, free), (count, widest), options);
        cpus.into_iter()
            .zip(dealt(&within(domain), count))
            .collect::<Vec<Got>>()
    })
    .collect()
}

/// Cores, or hwthreads on a machine without cores.
fn cores(machine: &Machine) -> &[Object] {
    machine.objects(machine.meant(ObjKind::Core))
}

/// Deals things to receivers. When there are fewer things than receivers, each thing serves several of them.
fn dealt<T: Clone>(things: &[T], receivers: usize) -> Vec<Vec<T>> {
    let count = things.len();
    if count == 0 {
        return vec![Vec::new(); receivers];
    }
    if count >= receivers {
        let of = |at| things[block(count, receivers, at)].to_vec();
        return (0..receivers).map(of).collect();
    }
    let of = |at: usize| vec![vec![things[at].clone()]; block(receivers, count, at).len()];
    (0..count).flat_map(of).collect()
}

/// The cpus of the processes of one domain.
fn inside(
    machine: &Machine,
    (domain, free): (&Cpus, &Cpus),
    (procs, widest): (usize, usize),
    options: Mpibind,
) -> Vec<Cpus> {
    let free_of = |cpus: &Cpus| cpus.and(free);
    let of_kind = |objects: &[Object]| -> Vec<Cpus> {
        let own = objects.iter().filter(|object| domain.holds(&object.cpus));
        own.map(|object| free_of(&object.cpus))
            .filter(|cpus| !cpus.is_empty())
            .collect()
    };
    let cores = of_kind(cores(machine));
    let smt = options.smt.map(usize::from);
    let places: usize = match smt {
        Some(smt) if smt >= widest => cores.iter().map(|core| core.iter().count()).sum(),
        Some(smt) if smt > 1 => cores.len() * smt,
        _ => cores.len(),
    };
    let threads = options.threads.map_or((places / procs).max(1), usize::from);
    let wanted = procs * threads;
    let kinds = [
        ObjKind::Package,
        ObjKind::Die,
        ObjKind::L3,
        ObjKind::L2,
        ObjKind::L1,
    ];
    let mut levels = vec![vec![free_of(domain)]];
    levels.extend(kinds.map(|kind| of_kind(machine.objects(kind))));
    let level = levels
        .into_iter()
        .find(|level| level.len() >= wanted && smt.is_none());
    let (objects, each) = match (smt, level) {
        (Some(smt), _) => (cores, smt),
        (None, Some(level)) => (level, 1),
        (None, None) => {
            let each = (1..widest).find(|each| cores.len() * each >= wanted);
            (cores, each.unwrap_or(widest))
        }
    };
    // The first free hwthreads of each object, by OS number.
    let chosen: Vec<Vec<u32>> = objects
        .iter()
        .map(|cpus| cpus.iter().take(each).collect())
        .collect();
    let mask = |cpus: &[u32]| {
        let mut mask = Cpus::none();
        cpus.iter().for_each(|&cpu| mask.add(cpu));
        mask
    };
    if chosen.len() >= procs {
        let own = dealt(&chosen, procs);
        return own.iter().map(|objects| mask(&objects.concat())).collect();
    }
    let shares = (0..chosen.len()).flat_map(|at| {
        let sharers = block(procs, chosen.len(), at).len();
        dealt(&chosen[at], sharers)
    });
    shares.map(|cpus| mask(&cpus)).collect()
}
