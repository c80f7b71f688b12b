//! Processes of a node that are bound to hardware threads of one core.

use super::cpusets::{CpusetId, Cpusets};
use super::patterns::PlaceRun;
use super::topologies::{Topologies, TopologyId};
use crate::policy::ObjKind;
use std::collections::HashMap;

/// The most runs of processes that are looked at.
const RUNS_MAX: usize = 4096;

/// Two processes on one core, while other cores serve nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedCore {
    /// The first two processes, by their number on the node.
    pub procs: (u32, u32),
    /// The core, by logical number.
    pub core: u32,
    /// Cores that serve nobody.
    pub free: u32,
}

/// The first core that two processes share, if cores are free. Processes that have the same cpus share them on purpose.
///
/// Cost: the cores, and the cpus of some runs.
#[must_use]
pub fn shared_core(
    topologies: &Topologies,
    topology: TopologyId,
    cpusets: &Cpusets,
    places: impl Iterator<Item = PlaceRun>,
) -> Option<SharedCore> {
    let mut core_of: HashMap<u32, u32> = HashMap::new();
    for (core, object) in (0..).zip(topologies.objects(topology, ObjKind::Core)) {
        let set = cpusets.get(topologies.cpuset(object));
        core_of.extend(set.iter().map(|pu| (pu, core)));
    }
    let mut owners: HashMap<u32, (u32, CpusetId)> = HashMap::new();
    let mut found = None;
    let mut local = 0;
    for run in places.take(RUNS_MAX) {
        if let Some(cpus) = run.place.cpus {
            for core in cpusets.get(cpus).iter().filter_map(|pu| core_of.get(&pu)) {
                let (owner, own) = *owners.entry(*core).or_insert((local, cpus));
                if own != cpus && owner != local {
                    found.get_or_insert((owner, local, *core));
                }
            }
        }
        local += run.count;
    }
    let (first, second, core) = found?;
    let cores = topologies.count(topology, ObjKind::Core);
    let free = cores.saturating_sub(u32::try_from(owners.len()).unwrap_or(u32::MAX));
    (free > 0).then_some(SharedCore {
        procs: (first, second),
        core,
        free,
    })
}
