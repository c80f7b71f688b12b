//! The order in which `device=gpu` goes over the GPUs of a node, from the rules.

use super::hardware::{Hardware, meet};
use stowplan_engine::policy::{DeviceMap, DevicesEach, ObjKind};
use stowplan_engine::table::topologies::ObjectId;

/// Puts GPUs, given in logical order, into the order of `device=gpu`: by visible number, which stands for the PCI address; with
/// `interleave` one of each object of the level in turn, if each GPU is near exactly one of these objects.
pub(super) fn order(hardware: Hardware<'_>, options: DeviceMap, gpus: &mut Vec<ObjectId>) {
    let numbers = hardware.tables().gpus(hardware.topology).iter();
    let mut numbered: Vec<_> = numbers
        .map(|gpu| gpu.visible)
        .zip(gpus.iter().copied())
        .collect();
    numbered.sort_by_key(|row| row.0);
    *gpus = numbered.into_iter().map(|row| row.1).collect();
    let Some(level) = options.interleave else {
        return;
    };
    let levels = hardware.targets(level);
    let home = |gpu: &ObjectId| {
        let near = hardware.ranges(*gpu);
        let holds = |object: &&ObjectId| {
            !near.is_empty() && meet(hardware.ranges(**object), near).as_slice() == near
        };
        levels.iter().find(holds).copied()
    };
    let Some(homes) = gpus.iter().map(home).collect::<Option<Vec<_>>>() else {
        return;
    };
    let mut queues: Vec<(ObjectId, Vec<ObjectId>)> = Vec::new();
    for (gpu, home) in gpus.iter().zip(homes) {
        match queues.iter_mut().find(|queue| queue.0 == home) {
            Some(queue) => queue.1.push(*gpu),
            None => queues.push((home, vec![*gpu])),
        }
    }
    let longest = queues.iter().map(|queue| queue.1.len()).max().unwrap_or(0);
    *gpus = (0..longest)
        .flat_map(|turn| {
            queues
                .iter()
                .filter_map(move |queue| queue.1.get(turn).copied())
        })
        .collect();
}

/// The GPUs of each process: each group with the object whose cpus are near, which is the GPU itself where there is one.
pub(super) fn groups(
    hardware: Hardware<'_>,
    options: DeviceMap,
    gpus: Vec<ObjectId>,
) -> Vec<(ObjectId, Vec<ObjectId>)> {
    let mut left = gpus;
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

/// The object with the fewest cpus among those that have all cpus near these GPUs; the machine if one of them is near none.
fn near_all(hardware: Hardware<'_>, gpus: &[ObjectId]) -> ObjectId {
    let tables = hardware.tables();
    let machine = tables.objects(hardware.topology, ObjKind::Machine).next();
    let mut best: Option<(u64, ObjectId)> = None;
    let apart = gpus.iter().any(|gpu| hardware.ranges(*gpu).is_empty());
    for kind in ObjKind::ALL.into_iter().filter(|_| !apart) {
        for object in tables.objects(hardware.topology, kind) {
            let ranges = hardware.ranges(object);
            let whole = |gpu: &ObjectId| {
                let near = hardware.ranges(*gpu);
                meet(ranges, near).as_slice() == near
            };
            let cpus = ranges.iter().map(|&(a, b)| u64::from(b - a)).sum();
            if gpus.iter().all(whole) && best.is_none_or(|(least, _)| cpus < least) {
                best = Some((cpus, object));
            }
        }
    }
    best.map(|(_, object)| object)
        .or(machine)
        .unwrap_or(gpus[0])
}
