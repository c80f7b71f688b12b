//! The GPUs of a node in the order of their PCI addresses, for which their visible numbers stand, dealt over objects if asked.

use super::units::shared;
use crate::policy::{DeviceMap, ObjKind};
use crate::table::topologies::{ObjectId, Topologies, TopologyId};

/// The GPUs, as `device=gpu` goes over them.
///
/// Cost: GPUs times objects of the level, once for each topology and policy.
pub(crate) fn devices(
    topologies: &Topologies,
    topology: TopologyId,
    options: DeviceMap,
) -> Vec<ObjectId> {
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
        !near.is_empty() && shared(near, topologies.ranges(object)).as_slice() == near
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
