//! Processes of a node that are bound to hardware threads of one core.

use super::cpusets::{CpusetId, Cpusets};
use super::patterns::PlaceRun;
use super::topologies::{ObjectId, Topologies, TopologyId};
use crate::id::Id as _;
use crate::policy::ObjKind;
use std::cell::LazyCell;
use std::collections::HashMap;

/// The most runs of processes that are looked at.
const RUNS_MAX: usize = 4096;

/// Two processes on one core, while other cores serve nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SharedCore {
    /// The first two processes, by their number on the node.
    pub(crate) procs: (u32, u32),
    /// The core, by logical number.
    pub(crate) core: u32,
    /// Cores that serve nobody.
    pub(crate) free: u32,
}

/// The cpus of places: those of whole objects are the topologies' own, all others are in a table that may be of a branch.
#[derive(Clone, Copy)]
pub(crate) struct Masks<'t> {
    /// The objects.
    pub(crate) topologies: &'t Topologies,
    /// The sets of the table.
    pub(crate) cpusets: &'t Cpusets,
    /// How many sets come before those of the table.
    pub(crate) before: usize,
}

impl Masks<'_> {
    /// The PUs of an object, by OS number.
    fn pus(&self, topology: TopologyId, object: ObjectId) -> Vec<u32> {
        let os = self.topologies.pus_os(topology);
        let ranges = self.topologies.ranges(object).iter();
        ranges
            .flat_map(|&(first, end)| (first..end).map(|pu| os[pu as usize]))
            .collect()
    }

    /// The objects of a topology by their sets.
    fn objects(&self, topology: TopologyId) -> HashMap<CpusetId, ObjectId> {
        let kinds = ObjKind::ALL.into_iter();
        let all = kinds.flat_map(|kind| self.topologies.objects(topology, kind));
        all.map(|object| (self.topologies.cpuset(object), object))
            .collect()
    }
}

/// The first core that two processes share, if cores are free. Processes that have the same cpus share them on purpose.
///
/// Cost: the objects, and the cpus of some runs.
pub(crate) fn shared_core(
    masks: Masks<'_>,
    topology: TopologyId,
    places: impl Iterator<Item = PlaceRun>,
) -> Option<SharedCore> {
    let topologies = masks.topologies;
    let mut core_of: HashMap<u32, u32> = HashMap::new();
    for (core, object) in (0..).zip(topologies.objects(topology, ObjKind::Core)) {
        let pus = masks.pus(topology, object).into_iter();
        core_of.extend(pus.map(|pu| (pu, core)));
    }
    // A table that is not of a branch has the sets of objects too.
    let objects = LazyCell::new(|| masks.objects(topology));
    let pus = |cpus: CpusetId| match cpus.row().checked_sub(masks.before) {
        Some(row) => masks.cpusets.get(CpusetId::from_row(row)).iter().collect(),
        None => objects
            .get(&cpus)
            .map_or_else(Vec::new, |&object| masks.pus(topology, object)),
    };
    let mut owners: HashMap<u32, (u32, CpusetId)> = HashMap::new();
    let mut found = None;
    let mut local = 0;
    for run in places.take(RUNS_MAX) {
        if let Some(cpus) = run.place.cpus {
            for core in pus(cpus).iter().filter_map(|pu| core_of.get(pu)) {
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
