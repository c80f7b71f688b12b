//! How many threads each process should run.

use crate::launchers::cpu_objects::CpuObjects;
use std::collections::HashMap;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::{CpuMode, ObjKind};
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::topologies::TopologyId;

/// How many threads processes should run; equal cpus are counted once.
#[derive(Clone, Debug, Default)]
pub struct ThreadCounts {
    known: HashMap<(TopologyId, CpusetId, CpuMode), u32>,
    objects: HashMap<(TopologyId, ObjKind), CpuObjects>,
}

impl ThreadCounts {
    /// The threads that the map gives; else the number of cores of which the process has cpus, or of hwthreads if these are the
    /// cpus. `None` if it is unbound, or the plan knows no policies.
    pub fn of(&mut self, plan: &Plan, place: &ProcPlace) -> Option<u32> {
        if let Some(said) = plan.threads_of(place) {
            return Some(said);
        }
        let set = place.cpus?;
        let world = plan.world();
        let policy = plan.app(place.app).policy()?;
        let mode = plan.resolved_apps().policies[policy].mode;
        let topology = world.states.get(world.before.state(place.node)).topology;
        let count = self.known.entry((topology, set, mode)).or_insert_with(|| {
            let by_core =
                mode == CpuMode::Core && world.topologies.count(topology, ObjKind::Core) > 0;
            let kind = if by_core {
                ObjKind::Core
            } else {
                ObjKind::Hwthread
            };
            let read = || CpuObjects::new(&world.topologies, topology, kind);
            let objects = self.objects.entry((topology, kind)).or_insert_with(read);
            u32::try_from(objects.met(world.cpusets.get(set)).len()).unwrap_or(u32::MAX)
        });
        Some(*count)
    }
}
