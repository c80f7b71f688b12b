//! GPUs that a launcher knows and the topology does not: where they are near is not known.

use crate::launchers::line::Laid;
use std::collections::BTreeMap;
use std::sync::Arc;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::topologies::{DraftError, Topologies, TopologyId};

/// The topology and the slots of neighbouring nodes.
pub(super) type NodeRun = (u32, TopologyId, u32);

/// Gives the nodes the GPUs that their processes see. A node of a topology that lacks some gets a topology that has them.
///
/// # Errors
/// When there are more GPUs than a topology may have.
///
/// Cost: runs of nodes times runs of processes; nothing if no launcher speaks of GPUs.
pub(super) fn add(
    laid: &Laid,
    nodes: &mut [NodeRun],
    topologies: &mut Arc<Topologies>,
    cpusets: &mut Cpusets,
) -> Result<(), DraftError> {
    let mut missing: BTreeMap<TopologyId, Vec<u32>> = BTreeMap::new();
    let mut first = 0;
    for &(count, topology, _) in nodes.iter() {
        let own = NodeRange::until(first, first + count);
        first += count;
        let runs = laid.apps.iter().flat_map(|app| &app.runs);
        for run in runs.filter(|run| run.nodes.overlap(own).is_some()) {
            let seen = laid.patterns[run.pattern].iter();
            for &number in seen.flat_map(|procs| procs.gpus.iter().flatten()) {
                let known = topologies.gpus(topology);
                if known.iter().all(|gpu| gpu.visible != number) {
                    missing.entry(topology).or_default().push(number);
                }
            }
        }
    }
    let mut changed: BTreeMap<TopologyId, TopologyId> = BTreeMap::new();
    for (topology, mut numbers) in missing {
        numbers.sort_unstable();
        numbers.dedup();
        let mut draft = topologies.draft(topology);
        draft.gpus.extend(numbers.into_iter().map(|visible| Gpu {
            visible,
            name: String::new(),
            family: GpuFamily::Stated,
            pus: Vec::new(),
        }));
        changed.insert(topology, Arc::make_mut(topologies).add(draft, cpusets)?);
    }
    for (_, topology, _) in nodes {
        if let Some(&other) = changed.get(topology) {
            *topology = other;
        }
    }
    Ok(())
}
