//! The devices of a node in the order of their PCI addresses, dealt over objects if asked, and several for each process. For the
//! addresses of GPUs their visible numbers stand.

use super::topologies::{ObjectId, Topologies, TopologyId};
use crate::policy::{DeviceMap, Devices, DevicesEach, ObjKind};

/// Devices of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceGroup {
    /// In their order, at least one.
    pub(crate) devices: Vec<ObjectId>,
    /// The device alone, else the smallest object around all of them: its cpus are near.
    pub(crate) around: ObjectId,
}

/// The devices of each process, as `device=` goes over them. Devices that are too few for a process are left out.
///
/// Cost: devices times objects, once for each topology and policy.
pub(crate) fn groups(
    topologies: &Topologies,
    topology: TopologyId,
    options: DeviceMap,
) -> Vec<DeviceGroup> {
    let ordered = devices(topologies, topology, options);
    let groups = ordered.chunks_exact(usize::from(options.each.count()));
    let group = |devices: &[ObjectId]| DeviceGroup {
        devices: devices.to_vec(),
        around: match options.each {
            DevicesEach::ONE => devices[0],
            _ => around(topologies, topology, devices),
        },
    };
    groups.map(group).collect()
}

/// The devices of the process that is mapped to a device, by logical number in their order: that one, and those that `ndev` adds.
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
    let logical = |device: &ObjectId| topologies.logical(topology, *device);
    let groups = groups(topologies, topology, options).into_iter();
    let mut own = groups.filter(|group| logical(&group.devices[0]) == first);
    own.next().map_or_else(Vec::new, |group| {
        group.devices.iter().map(logical).collect()
    })
}

/// The smallest object with all cpus near some devices; the machine if one of them is near no cpu.
fn around(topologies: &Topologies, topology: TopologyId, devices: &[ObjectId]) -> ObjectId {
    let size = |object: &ObjectId| -> u32 {
        let ranges = topologies.ranges(*object).iter();
        ranges.map(|&(first, end)| end - first).sum()
    };
    let holds = |object: &ObjectId| {
        devices.iter().all(|&device| {
            let near = topologies.ranges(device);
            !near.is_empty() && within(near, topologies.ranges(*object))
        })
    };
    let kinds = ObjKind::ALL.into_iter();
    let all = kinds.flat_map(|kind| topologies.objects(topology, kind));
    let smallest = all.filter(holds).min_by_key(size);
    let mut machine = topologies.objects(topology, ObjKind::Machine);
    smallest.or_else(|| machine.next()).unwrap_or(devices[0])
}

/// Whether stretches of PUs lie in others. Both are ascending, and neighbours do not touch.
fn within(inner: &[(u32, u32)], outer: &[(u32, u32)]) -> bool {
    let holds = |&(first, end): &(u32, u32)| outer.iter().any(|&(a, b)| a <= first && end <= b);
    inner.iter().all(holds)
}

/// The devices, as `device=` goes over them.
///
/// Cost: devices times objects of the level, once for each topology and policy.
fn devices(topologies: &Topologies, topology: TopologyId, options: DeviceMap) -> Vec<ObjectId> {
    let ordered = in_order(topologies, topology, options.of);
    match options.interleave {
        Some(level) => dealt(topologies, topology, level, &ordered).unwrap_or(ordered),
        None => ordered,
    }
}

/// How many devices of these a node has.
pub(crate) fn count(topologies: &Topologies, topology: TopologyId, of: Devices) -> u32 {
    u32::try_from(in_order(topologies, topology, of).len()).unwrap_or(u32::MAX)
}

/// Devices in the order of their PCI addresses.
fn in_order(topologies: &Topologies, topology: TopologyId, of: Devices) -> Vec<ObjectId> {
    let mut ordered: Vec<(u32, ObjectId)> = match of {
        Devices::Gpus => {
            let gpus = topologies.gpus(topology).iter().map(|gpu| gpu.visible);
            gpus.zip(topologies.objects(topology, ObjKind::Gpu))
                .collect()
        }
        Devices::Networks | Devices::Blocks => {
            let turns = topologies
                .devices(topology)
                .iter()
                .map(|device| device.turn.filter(|_| of.class() == Some(device.class)));
            let rows = turns.zip(topologies.objects(topology, ObjKind::Device));
            rows.filter_map(|(turn, row)| Some((turn?, row))).collect()
        }
        Devices::Named(name) => {
            let names = topologies.device_names(topology);
            let rows = names.zip(topologies.objects(topology, ObjKind::Device));
            let named = rows.filter(|(known, _)| *known == name.text()).take(1);
            named.map(|(_, row)| (0, row)).collect()
        }
    };
    ordered.sort_by_key(|&(turn, _)| turn);
    ordered.into_iter().map(|(_, object)| object).collect()
}

/// The devices, one of each object of the level in turn; `None` where a device is in none of these objects.
fn dealt(
    topologies: &Topologies,
    topology: TopologyId,
    level: ObjKind,
    devices: &[ObjectId],
) -> Option<Vec<ObjectId>> {
    let levels: Vec<ObjectId> = if level == ObjKind::Numa {
        topologies.domains(topology).to_vec()
    } else {
        topologies.objects(topology, level).collect()
    };
    let inside = |device: ObjectId, object: ObjectId| {
        let near = topologies.ranges(device);
        !near.is_empty() && within(near, topologies.ranges(object))
    };
    let mut rows: Vec<(usize, usize, ObjectId)> = Vec::with_capacity(devices.len());
    let mut first: Vec<usize> = Vec::new();
    for &device in devices {
        let at = levels.iter().position(|&object| inside(device, object))?;
        let group = first.iter().position(|&own| own == at).unwrap_or_else(|| {
            first.push(at);
            first.len() - 1
        });
        let turn = rows.iter().filter(|row| row.1 == group).count();
        rows.push((turn, group, device));
    }
    rows.sort_by_key(|&(turn, group, _)| (turn, group));
    Some(rows.into_iter().map(|(_, _, device)| device).collect())
}
