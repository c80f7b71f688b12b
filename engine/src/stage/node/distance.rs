//! NUMA domains by their distance to a device. Source: `per-app` 9.2.

use super::units::shared;
use crate::policy::ObjKind;
use crate::table::topologies::{ObjectId, Topologies, TopologyId};

/// The NUMA domains, nearest to the device first; `None` if the topology lacks the device.
///
/// Cost: domains times domains, once for each topology and app.
pub(crate) fn domains(
    topologies: &Topologies,
    topology: TopologyId,
    device: &str,
) -> Option<Vec<ObjectId>> {
    let place = place(topologies, topology, device)?;
    let domains = topologies.domains(topology);
    let meets = |object: ObjectId| !shared(&place, topologies.ranges(object)).is_empty();
    let near: Vec<u32> = domains
        .iter()
        .copied()
        .filter(|&object| meets(object))
        .map(|object| topologies.logical(topology, object))
        .collect();
    let latency = topologies.latency(topology).filter(|_| !near.is_empty());
    let packages: Vec<ObjectId> = topologies
        .objects(topology, ObjKind::Package)
        .filter(|&package| meets(package))
        .collect();
    let distance = |object: ObjectId| -> u64 {
        if let Some(latency) = latency {
            let row = |logical: u32| latency.nodes.iter().position(|&node| node == logical);
            let to = row(topologies.logical(topology, object));
            let from = near.iter().filter_map(|&logical| row(logical));
            let least = from
                .filter_map(|from| Some(latency.values[from * latency.nodes.len() + to?]))
                .min();
            return least.unwrap_or(u64::MAX);
        }
        let beside = |package: &ObjectId| {
            !shared(topologies.ranges(*package), topologies.ranges(object)).is_empty()
        };
        if meets(object) {
            0
        } else if packages.iter().any(beside) {
            1
        } else {
            2
        }
    };
    let mut ordered = domains.to_vec();
    ordered.sort_by_key(|&object| (distance(object), topologies.logical(topology, object)));
    Some(ordered)
}

/// The PUs near an OS device, or else near a GPU of this name.
fn place(topologies: &Topologies, topology: TopologyId, device: &str) -> Option<Vec<(u32, u32)>> {
    let mut devices = topologies.devices(topology).iter();
    if let Some(found) = devices.find(|there| there.name == device) {
        let pus = found.pus.iter();
        return Some(pus.map(|range| (range.start, range.end)).collect());
    }
    let mut gpus = topologies
        .gpus(topology)
        .iter()
        .zip(topologies.objects(topology, ObjKind::Gpu));
    let (_, near) = gpus.find(|(gpu, _)| !device.is_empty() && gpu.name == device)?;
    Some(topologies.ranges(near).to_vec())
}
