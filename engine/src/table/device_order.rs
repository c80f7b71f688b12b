//! The GPUs of a node in the order of their PCI addresses, for which their visible numbers stand, dealt over objects if asked, and
//! several for each process.

use super::topologies::{ObjectId, Topologies, TopologyId};
use crate::policy::{DeviceMap, DevicesEach, ObjKind};

/// GPUs of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceGroup {
    /// In their order, at least one.
    pub(crate) gpus: Vec<ObjectId>,
    /// The GPU alone, else the smallest object around all of them: its cpus are near.
    pub(crate) around: ObjectId,
}

/// The GPUs of each process, as `device=gpu` goes over them. GPUs that are too few for a process are left out.
///
/// Cost: GPUs times objects, once for each topology and policy.
pub(crate) fn groups(
    topologies: &Topologies,
    topology: TopologyId,
    options: DeviceMap,
) -> Vec<DeviceGroup> {
    let ordered = devices(topologies, topology, options);
    let groups = ordered.chunks_exact(usize::from(options.each.count()));
    let group = |gpus: &[ObjectId]| DeviceGroup {
        gpus: gpus.to_vec(),
        around: match options.each {
            DevicesEach::ONE => gpus[0],
            _ => around(topologies, topology, gpus),
        },
    };
    groups.map(group).collect()
}

/// The GPUs of the process that is mapped to a GPU, by logical number in their order: that one, and those that `ndev` adds.
#[must_use]
pub fn devices_of(
    topologies: &Topologies,
    topology: TopologyId,
    options: DeviceMap,
    first: u32,
) -> Vec<u32> {
    if options.each == DevicesEach::ONE {
        return vec![first];
    }
    let logical = |gpu: &ObjectId| topologies.logical(topology, *gpu);
    let groups = groups(topologies, topology, options).into_iter();
    let mut own = groups.filter(|group| logical(&group.gpus[0]) == first);
    own.next()
        .map_or_else(Vec::new, |group| group.gpus.iter().map(logical).collect())
}

/// The smallest object with all cpus near some GPUs; the machine if a GPU is near no cpu.
fn around(topologies: &Topologies, topology: TopologyId, gpus: &[ObjectId]) -> ObjectId {
    let size = |object: &ObjectId| -> u32 {
        let ranges = topologies.ranges(*object).iter();
        ranges.map(|&(first, end)| end - first).sum()
    };
    let holds = |object: &ObjectId| {
        gpus.iter().all(|&gpu| {
            let near = topologies.ranges(gpu);
            !near.is_empty() && within(near, topologies.ranges(*object))
        })
    };
    let kinds = ObjKind::ALL.into_iter();
    let all = kinds.flat_map(|kind| topologies.objects(topology, kind));
    let smallest = all.filter(holds).min_by_key(size);
    let mut machine = topologies.objects(topology, ObjKind::Machine);
    smallest.or_else(|| machine.next()).unwrap_or(gpus[0])
}

/// Whether stretches of PUs lie in others. Both are ascending, and neighbours do not touch.
fn within(inner: &[(u32, u32)], outer: &[(u32, u32)]) -> bool {
    let holds = |&(first, end): &(u32, u32)| outer.iter().any(|&(a, b)| a <= first && end <= b);
    inner.iter().all(holds)
}

/// The GPUs, as `device=gpu` goes over them.
///
/// Cost: GPUs times objects of the level, once for each topology and policy.
fn devices(topologies: &Topologies, topology: TopologyId, options: DeviceMap) -> Vec<ObjectId> {
    let gpus = topologies.gpus(topology).iter();
    let objects = topologies.objects(topology, ObjKind::Gpu);
    let mut ordered: Vec<(u32, ObjectId)> = gpus.map(|gpu| gpu.visible).zip(objects).collect();
    ordered.sort_by_key(|&(visible, _)| visible);
    let ordered: Vec<ObjectId> = ordered.into_iter().map(|(_, object)| object).collect();
    match options.interleave {
        Some(level) => dealt(topologies, topology, level, &ordered).unwrap_or(ordered),
        None => ordered,
    }
}

/// The GPUs, one of each object of the level in turn; `None` where a GPU is in none of these objects.
fn dealt(
    topologies: &Topologies,
    topology: TopologyId,
    level: ObjKind,
    gpus: &[ObjectId],
) -> Option<Vec<ObjectId>> {
    let levels: Vec<ObjectId> = if level == ObjKind::Numa {
        topologies.domains(topology).to_vec()
    } else {
        topologies.objects(topology, level).collect()
    };
    let inside = |gpu: ObjectId, object: ObjectId| {
        let near = topologies.ranges(gpu);
        !near.is_empty() && within(near, topologies.ranges(object))
    };
    let mut rows: Vec<(usize, usize, ObjectId)> = Vec::with_capacity(gpus.len());
    let mut first: Vec<usize> = Vec::new();
    for &gpu in gpus {
        let at = levels.iter().position(|&object| inside(gpu, object))?;
        let group = first.iter().position(|&own| own == at).unwrap_or_else(|| {
            first.push(at);
            first.len() - 1
        });
        let turn = rows.iter().filter(|row| row.1 == group).count();
        rows.push((turn, group, gpu));
    }
    rows.sort_by_key(|&(turn, group, _)| (turn, group));
    Some(rows.into_iter().map(|(_, _, gpu)| gpu).collect())
}
