//! A node as Slurm sees it: sockets, cores, threads, and the OS number of each.

use super::refusals;
use crate::launchers::line::{Hardware, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// Sockets, cores of a socket, threads of a core; GPUs with their near cores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) sockets: usize,
    pub(super) cores: usize,
    pub(super) threads: usize,
    /// `CPUs` div all cores: the threads that count.
    pub(super) counted: usize,
    /// OS numbers by abstract number.
    pub(super) os: Vec<u32>,
    /// NUMA nodes, as abstract cpus.
    pub(super) domains: Vec<Vec<usize>>,
    pub(super) gpus: Vec<Gpu>,
}

/// A GPU with its number and its near cores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gpu {
    pub(super) number: u32,
    /// Its type, if gres.conf says one.
    pub(super) kind: Option<String>,
    pub(super) near: Vec<usize>,
}

impl Shape {
    pub(super) fn all_cores(&self) -> usize {
        self.sockets * self.cores
    }

    /// Whether `CPUs` is the number of cores.
    pub(super) fn is_one(&self) -> bool {
        self.counted == 1
    }

    /// Reads a topology, with sockets of a kind.
    pub(super) fn of(
        hardware: &dyn Hardware,
        id: TopologyId,
        kind: ObjKind,
    ) -> Result<Self, LineRefused> {
        let topologies = hardware.topologies();
        let os = topologies.pus_os(id);
        let pus_of = |object| -> Vec<u32> {
            let ranges = topologies.ranges(object).iter();
            ranges.flat_map(|&(first, end)| first..end).collect()
        };
        let all = (0..u32::try_from(os.len()).unwrap_or(u32::MAX)).collect::<Vec<_>>();
        let mut sockets: Vec<Vec<u32>> = match kind == ObjKind::Numa {
            true => topologies
                .domains(id)
                .iter()
                .map(|&own| pus_of(own))
                .collect(),
            false => topologies.objects(id, kind).map(pus_of).collect(),
        };
        if sockets.is_empty() {
            sockets = topologies
                .objects(id, ObjKind::Package)
                .map(pus_of)
                .collect();
        }
        if sockets.is_empty() {
            sockets.push(all.clone());
        }
        let mut cores: Vec<Vec<u32>> = topologies.objects(id, ObjKind::Core).map(pus_of).collect();
        if cores.is_empty() {
            cores = all.iter().map(|&pu| vec![pu]).collect();
        }
        let (ordered, per_socket) = in_sockets(&mut sockets, &cores)?;
        let threads = ordered.first().map_or(1, |core| core.len());
        if ordered.iter().any(|core| core.len() != threads) {
            return Err(uneven());
        }
        let order: Vec<u32> = ordered.into_iter().flatten().copied().collect();
        let place = |pus: Vec<u32>| -> Vec<usize> {
            let own: RoaringBitmap = pus.into_iter().collect();
            (0..order.len())
                .filter(|&at| own.contains(order[at]))
                .collect()
        };
        let domains = topologies
            .domains(id)
            .iter()
            .map(|&own| place(pus_of(own)))
            .collect();
        let gpus = topologies.gpus(id).iter().map(|gpu| {
            let mut near: Vec<usize> = place(gpu.pus.iter().cloned().flatten().collect());
            near.iter_mut().for_each(|cpu| *cpu /= threads);
            near.dedup();
            Gpu {
                number: gpu.visible,
                kind: None,
                near,
            }
        });
        let mut gpus: Vec<Gpu> = gpus.collect();
        gpus.sort_by_key(|gpu| gpu.number);
        Ok(Self {
            sockets: sockets.len(),
            cores: per_socket,
            threads,
            counted: threads,
            os: order.iter().map(|&pu| os[pu as usize]).collect(),
            domains,
            gpus,
        })
    }
}

fn uneven() -> LineRefused {
    refusals::not_modelled(
        "sockets or cores of unequal size: how Slurm counts them is not known here",
    )
}

/// The cores in the order of their sockets, and how many each socket has.
fn in_sockets<'c>(
    sockets: &mut [Vec<u32>],
    cores: &'c [Vec<u32>],
) -> Result<(Vec<&'c Vec<u32>>, usize), LineRefused> {
    sockets.sort_by_key(|pus| pus.first().copied());
    let mut ordered: Vec<&Vec<u32>> = Vec::new();
    let mut per_socket = None;
    for socket in sockets {
        let own: RoaringBitmap = socket.iter().copied().collect();
        let before = ordered.len();
        let inside = |core: &&Vec<u32>| core.first().is_some_and(|&pu| own.contains(pu));
        ordered.extend(cores.iter().filter(inside));
        let count = ordered.len() - before;
        if count == 0 || *per_socket.get_or_insert(count) != count {
            return Err(uneven());
        }
    }
    Ok((ordered, per_socket.unwrap_or(1)))
}
