//! The cores of a node in hwloc's order after the topology was cut down to them.

use super::schedule::Got;
use crate::launchers::line::LineAsked;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{ObjectId, Topologies, TopologyId};

/// A core.
pub(super) struct Core {
    /// Its cpus by OS number.
    pub(super) cpus: RoaringBitmap,
}

/// All cpus of the job's cores on a node.
pub(super) fn cpus(asked: &LineAsked<'_>, got: &Got) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    for core in objects(asked, got) {
        all |= asked
            .hardware
            .cpusets()
            .get(asked.hardware.topologies().cpuset(core));
    }
    all
}

/// The job's cores, as objects in logical order.
fn objects(asked: &LineAsked<'_>, got: &Got) -> impl Iterator<Item = ObjectId> {
    let topologies = asked.hardware.topologies();
    let kind = match topologies.count(got.topology, ObjKind::Core) {
        0 => ObjKind::Hwthread,
        _ => ObjKind::Core,
    };
    let found = got.cores.iter();
    found.filter_map(move |core| topologies.object(got.topology, kind, core))
}

/// The job's cores in the order of the topology cut down to them: brothers at every level stand by the lowest OS number that is
/// left in them.
///
/// Cost: the PUs of the topology for each kind of objects.
pub(super) fn cores(asked: &LineAsked<'_>, got: &Got) -> Vec<Core> {
    let topologies = asked.hardware.topologies();
    let cores: Vec<ObjectId> = objects(asked, got).collect();
    let above = above(topologies, got.topology, &cores);
    let set = |core: ObjectId| asked.hardware.cpusets().get(topologies.cpuset(core));
    let mut found: Vec<(Vec<u32>, ObjectId)> = cores
        .into_iter()
        .zip(above)
        .map(|(core, mut above)| {
            above.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
            let mut key: Vec<u32> = above.into_iter().map(|(_, lowest)| lowest).collect();
            key.push(set(core).min().unwrap_or(u32::MAX));
            (key, core)
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .map(|(_, core)| Core {
            cpus: set(core).clone(),
        })
        .collect()
}

/// For each core, the objects above it: how many of the job's cores each holds, and the lowest OS number of these.
fn above(
    topologies: &Topologies,
    topology: TopologyId,
    cores: &[ObjectId],
) -> Vec<Vec<(usize, u32)>> {
    let os = topologies.pus_os(topology);
    // The first logical PU of each core, and the lowest OS number among its PUs.
    let mut by_pu: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
    for (at, &core) in cores.iter().enumerate() {
        let ranges = topologies.ranges(core);
        let pus = ranges.iter().flat_map(|&(first, end)| first..end);
        let lowest = pus.map(|pu| os[pu as usize]).min().unwrap_or(u32::MAX);
        if let Some(&(first, _)) = ranges.first() {
            by_pu.insert(first, (at, lowest));
        }
    }
    let mut above = vec![Vec::new(); cores.len()];
    let kinds = ObjKind::ALL
        .into_iter()
        .filter(|&kind| kind < ObjKind::Core);
    for object in kinds.flat_map(|kind| topologies.objects(topology, kind)) {
        let ranges = topologies.ranges(object).iter();
        let inside: Vec<(usize, u32)> = ranges
            .flat_map(|&(first, end)| by_pu.range(first..end).map(|(_, &core)| core))
            .collect();
        let Some(lowest) = inside.iter().map(|&(_, lowest)| lowest).min() else {
            continue;
        };
        for &(at, _) in &inside {
            above[at].push((inside.len(), lowest));
        }
    }
    above
}
