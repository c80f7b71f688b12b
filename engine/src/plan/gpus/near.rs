//! Which GPUs share a cpu with a process.

use crate::plan::Plan;
use crate::policy::ObjKind;
use crate::table::patterns::Place;
use crate::table::topologies::TopologyId;
use std::collections::HashMap;

/// Which GPUs are near, asked by place.
pub(super) struct NearGpus<'p> {
    plan: &'p Plan,
    topology: TopologyId,
    /// Distinct sets of logical numbers.
    pub(super) sets: Vec<Vec<u32>>,
    rows: HashMap<Vec<u32>, u32>,
    known: HashMap<Place, u32>,
}

impl<'p> NearGpus<'p> {
    pub(super) fn new(plan: &'p Plan, topology: TopologyId) -> Self {
        Self {
            plan,
            topology,
            sets: Vec::new(),
            rows: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// The GPUs that share a cpu with the cpus of a process; unbound with its object; else with the node.
    pub(super) fn of(&mut self, place: Place, kind: Option<ObjKind>) -> u32 {
        let object = place
            .object
            .filter(|_| place.cpus.is_none() && kind.is_some());
        let asked = Place {
            object: object.map(|object| (kind.map_or(0, |kind| kind as u32) << 26) | object),
            cpus: place.cpus,
        };
        if let Some(&known) = self.known.get(&asked) {
            return known;
        }
        let world = &self.plan.world;
        let topologies = &world.topologies;
        let mask = match (place.cpus, kind.zip(object)) {
            (Some(cpus), _) => Some(cpus),
            (None, Some((kind, object))) => topologies
                .object(self.topology, kind, object)
                .map(|object| topologies.cpuset(object)),
            (None, None) => None,
        };
        let mask = mask.map(|mask| world.cpusets.get(mask));
        let gpus = topologies.objects(self.topology, ObjKind::Gpu);
        let near = (0..).zip(gpus).filter(|&(_, gpu)| {
            let locality = world.cpusets.get(topologies.cpuset(gpu));
            match mask {
                Some(mask) => !locality.is_disjoint(mask),
                None => !locality.is_empty(),
            }
        });
        let near: Vec<u32> = near.map(|(logical, _)| logical).collect();
        let row = match self.rows.get(&near) {
            Some(&row) => row,
            None => {
                let row = crate::plan::placed::row(self.sets.len());
                self.sets.push(near.clone());
                self.rows.insert(near, row);
                row
            }
        };
        self.known.insert(asked, row);
        row
    }
}
