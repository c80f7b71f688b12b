//! The order in which `device=` goes over the devices of a node, from the rules.

use super::hardware::{Hardware, meet};
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::policy::{DeviceMap, Devices, DevicesEach, ObjKind};
use stowplan_engine::table::topologies::ObjectId;

/// The kind of the objects that are such devices.
pub(super) const fn kind(of: Devices) -> ObjKind {
    match of {
        Devices::Gpus => ObjKind::Gpu,
        Devices::Networks | Devices::Blocks | Devices::Named(_) => ObjKind::Device,
    }
}

/// Keeps of all devices, given in logical order, those that are meant, each with its place in the order of PCI addresses. For the
/// addresses of GPUs their visible numbers stand.
fn meant(hardware: Hardware<'_>, of: Devices, all: &[ObjectId]) -> Vec<(u32, ObjectId)> {
    let tables = hardware.tables();
    let mut found = Vec::new();
    for (at, &row) in all.iter().enumerate() {
        let device = tables.devices(hardware.topology).get(at);
        let of_class = |class| device.filter(|device| device.class == class);
        let turn = match of {
            Devices::Gpus => { tables.gpus(hardware.topology) }
                .get(at)
                .map(|gpu| gpu.visible),
            Devices::Networks => of_class(DeviceClass::Network).and_then(|device| device.turn),
            Devices::Blocks => of_class(DeviceClass::Block).and_then(|device| device.turn),
            Devices::Named(name) => {
                let mut names = tables.device_names(hardware.topology);
                let first = names.position(|known| known == name.text());
                first.filter(|&first| first == at).map(|_| 0)
            }
        };
        found.extend(turn.map(|turn| (turn, row)));
    }
    found
}

/// Puts devices, given in logical order, into the order of `device=`: by PCI address; with `interleave` one of each object of the
/// level in turn, if each device is near exactly one of these objects.
pub(super) fn order(hardware: Hardware<'_>, options: DeviceMap, devices: &mut Vec<ObjectId>) {
    let mut numbered = meant(hardware, options.of, devices);
    numbered.sort_by_key(|row| row.0);
    *devices = numbered.into_iter().map(|row| row.1).collect();
    let Some(level) = options.interleave else {
        return;
    };
    let levels = hardware.targets(level);
    let home = |device: &ObjectId| {
        let near = hardware.ranges(*device);
        let holds = |object: &&ObjectId| {
            !near.is_empty() && meet(hardware.ranges(**object), near).as_slice() == near
        };
        levels.iter().find(holds).copied()
    };
    let Some(homes) = devices.iter().map(home).collect::<Option<Vec<_>>>() else {
        return;
    };
    let mut queues: Vec<(ObjectId, Vec<ObjectId>)> = Vec::new();
    for (device, home) in devices.iter().zip(homes) {
        match queues.iter_mut().find(|queue| queue.0 == home) {
            Some(queue) => queue.1.push(*device),
            None => queues.push((home, vec![*device])),
        }
    }
    let longest = queues.iter().map(|queue| queue.1.len()).max().unwrap_or(0);
    *devices = (0..longest)
        .flat_map(|turn| {
            queues
                .iter()
                .filter_map(move |queue| queue.1.get(turn).copied())
        })
        .collect();
}

/// The devices of each process: each group with the object whose cpus are near, which is the device itself where there is one.
pub(super) fn groups(
    hardware: Hardware<'_>,
    options: DeviceMap,
    devices: Vec<ObjectId>,
) -> Vec<(ObjectId, Vec<ObjectId>)> {
    let mut left = devices;
    order(hardware, options, &mut left);
    let each = usize::from(options.each.count());
    let mut groups = Vec::new();
    while left.len() >= each {
        let rest = left.split_off(each);
        let own = std::mem::replace(&mut left, rest);
        let near = match options.each {
            DevicesEach::ONE => own[0],
            _ => near_all(hardware, &own),
        };
        groups.push((near, own));
    }
    groups
}

/// The object with the fewest cpus among those that have all cpus near these devices; the machine if one of them is near none.
fn near_all(hardware: Hardware<'_>, devices: &[ObjectId]) -> ObjectId {
    let tables = hardware.tables();
    let machine = tables.objects(hardware.topology, ObjKind::Machine).next();
    let mut best: Option<(u64, ObjectId)> = None;
    let apart = devices
        .iter()
        .any(|device| hardware.ranges(*device).is_empty());
    for kind in ObjKind::ALL.into_iter().filter(|_| !apart) {
        for object in tables.objects(hardware.topology, kind) {
            let ranges = hardware.ranges(object);
            let whole = |device: &ObjectId| {
                let near = hardware.ranges(*device);
                meet(ranges, near).as_slice() == near
            };
            let cpus = ranges.iter().map(|&(a, b)| u64::from(b - a)).sum();
            if devices.iter().all(whole) && best.is_none_or(|(least, _)| cpus < least) {
                best = Some((cpus, object));
            }
        }
    }
    best.map(|(_, object)| object)
        .or(machine)
        .unwrap_or(devices[0])
}
