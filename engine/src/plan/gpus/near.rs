//! Which GPUs share a cpu with a process.

use crate::plan::Plan;
use crate::policy::{DeviceMap, DevicesEach, ObjKind};
use crate::table::apps::Policy;
use crate::table::cpusets::CpusetId;
use crate::table::device_order;
use crate::table::interner::KeyRows;
use crate::table::patterns::Place;
use crate::table::topologies::{ObjectId, TopologyId};
use std::collections::HashMap;

/// Finds the GPUs near a place.
pub(super) struct NearGpus<'p> {
    plan: &'p Plan,
    pub(super) topology: TopologyId,
    /// Distinct sets of logical numbers.
    pub(super) sets: KeyRows<Vec<u32>>,
    /// Rows of the sets, by the cpus of a process.
    known: HashMap<Option<CpusetId>, u32>,
}

impl<'p> NearGpus<'p> {
    pub(super) fn new(plan: &'p Plan, topology: TopologyId) -> Self {
        Self {
            plan,
            topology,
            sets: KeyRows::default(),
            known: HashMap::new(),
        }
    }

    /// The GPUs of each process of a policy that gives it several, by the first of them. All by logical number.
    pub(super) fn several(&self, policy: &Policy) -> HashMap<u32, Vec<u32>> {
        let options = policy.map.devices();
        let Some(options) = options
            .filter(|options| options.kind() == ObjKind::Gpu && options.each != DevicesEach::ONE)
        else {
            return HashMap::new();
        };
        let topologies = &self.plan.world.topologies;
        let logical = |gpu: &ObjectId| topologies.logical(self.topology, *gpu);
        let groups = device_order::groups(topologies, self.topology, options).into_iter();
        let numbers = groups.map(|group| group.devices.iter().map(logical).collect::<Vec<u32>>());
        numbers
            .filter_map(|numbers| Some((*numbers.first()?, numbers)))
            .collect()
    }

    /// The object around the devices of a process that has several, by the first of them.
    fn around(&self, options: DeviceMap, first: u32) -> Option<ObjectId> {
        let topologies = &self.plan.world.topologies;
        let groups = device_order::groups(topologies, self.topology, options);
        let mut groups = groups.into_iter();
        let own = groups.find(|group| topologies.logical(self.topology, group.devices[0]) == first);
        own.map(|group| group.around)
    }

    /// The row of the set of near GPUs: those that share a cpu with the cpus of a process or, if it is unbound, with its object
    /// or, if it has none, with the node.
    pub(super) fn of(
        &mut self,
        place: Place,
        kind: Option<ObjKind>,
        devices: Option<DeviceMap>,
    ) -> u32 {
        let world = &self.plan.world;
        let topologies = &world.topologies;
        let cpus = place.cpus.or_else(|| {
            let several = devices.filter(|options| options.each != DevicesEach::ONE);
            let object = match several {
                Some(options) => self.around(options, place.object?)?,
                None => topologies.object(self.topology, kind?, place.object?)?,
            };
            Some(topologies.cpuset(object))
        });
        if let Some(&known) = self.known.get(&cpus) {
            return known;
        }
        let mask = cpus.map(|cpus| world.cpusets.get(cpus));
        let gpus = topologies.objects(self.topology, ObjKind::Gpu);
        let near = (0..).zip(gpus).filter(|&(_, gpu)| {
            let locality = world.cpusets.get(topologies.cpuset(gpu));
            match mask {
                Some(mask) => !locality.is_disjoint(mask),
                None => !locality.is_empty(),
            }
        });
        let row = self.sets.meet(near.map(|(logical, _)| logical).collect());
        self.known.insert(cpus, row);
        row
    }
}
