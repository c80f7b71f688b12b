//! The order in which `device=gpu` goes over the GPUs of a node, from the rules.

use super::hardware::{Hardware, meet};
use stowplan_engine::policy::DeviceMap;
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
