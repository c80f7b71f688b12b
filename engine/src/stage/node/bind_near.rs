//! Binding of processes that are mapped by device: to the cpus near it, or to objects inside them.

use super::bind::{Binder, Failure, Mask, Target};
use super::bits::first_of;
use super::cpus::Cpus;
use super::sets::{MapTarget, NodeSets};
use super::units::Targets;
use crate::policy::{ObjKind, Overload};
use crate::table::topologies::ObjectId;
use std::collections::BTreeSet;

impl Binder<'_> {
    /// Whether processes are mapped by GPU or other device. Targets are then looked for inside the cpus near it.
    pub(in crate::stage::node) fn maps_devices(&self) -> bool {
        self.policy
            .map
            .object_kind()
            .is_some_and(ObjKind::is_device)
    }

    /// Whether target objects exist where processes look for them: inside the cpus near a mapped device, or anywhere under other maps.
    /// True if no object is needed.
    pub(super) fn has_target(&self, mapped: &Targets<'_>) -> bool {
        match &self.target {
            Target::Objects { kind, objects } if !self.maps_devices() || kind.is_device() => {
                !objects.is_empty()
            }
            Target::Objects { objects, .. } => {
                (self.near(mapped).into_iter()).any(|pus| self.some_inside(objects, pus))
            }
            Target::Nothing | Target::Cpus(_) => true,
        }
    }

    /// Whether a process may come to a mapped device without a target inside the cpus near it.
    pub(super) fn some_lack_target(&self, mapped: &Targets<'_>) -> bool {
        match &self.target {
            Target::Objects { kind, objects } if self.maps_devices() && !kind.is_device() => {
                (self.near(mapped).into_iter()).any(|pus| !self.some_inside(objects, pus))
            }
            Target::Objects { .. } | Target::Nothing | Target::Cpus(_) => false,
        }
    }

    /// The different sets of cpus near the mapped devices.
    fn near(&self, mapped: &Targets<'_>) -> BTreeSet<&[(u32, u32)]> {
        let ranges = |device| self.topologies.ranges(device);
        mapped.iter().map(ranges).collect()
    }

    /// Whether one of these targets is inside `pus`.
    pub(super) fn some_inside(&self, targets: &Targets<'_>, pus: &[(u32, u32)]) -> bool {
        targets.iter().any(|target| self.is_inside(target, pus))
    }

    /// Whether a target has cpus, and all of them are in `pus`.
    pub(super) fn is_inside(&self, target: ObjectId, pus: &[(u32, u32)]) -> bool {
        let ranges = self.topologies.ranges(target);
        let within = |&(first, end): &(u32, u32)| pus.iter().any(|&(a, b)| a <= first && end <= b);
        !ranges.is_empty() && ranges.iter().all(within)
    }

    /// All cpus near the mapped device. That device itself is the target, with no search: others may be near the same cpus.
    pub(super) fn bind_near(
        &self,
        cpus: &mut Cpus,
        MapTarget { pus, at }: MapTarget<'_>,
        objects: &Targets<'_>,
        sets: NodeSets<'_>,
    ) -> Result<Mask, Failure> {
        let overload = self.policy.overload == Overload::Allowed;
        let limit = self.policy.limit.map(u32::from);
        let full = limit.is_some_and(|limit| cpus.bound[at] >= limit);
        let free = |cpus: &Cpus| self.units.first_inside(cpus.units.words(), pus, 0);
        let mut cpu = free(cpus);
        if full && !overload {
            return Err(cpu.map_or(Failure::NoCpu, |_| Failure::Limit));
        }
        if cpu.is_none() && overload {
            self.refill(cpus, pus, sets);
            cpu = free(cpus);
        }
        // Under overload-allowed with a LIMIT, the process is bound even if no cpu is free (7.7).
        let even_so = overload && limit.is_some() && first_of(sets.allowed, pus).is_some();
        match cpu {
            Some(unit) => self.consume(cpus, unit),
            None if even_so => {}
            None => return Err(Failure::NoCpu),
        }
        let target = u32::try_from(at).expect("limit.rs keeps GPUs below 2^32");
        cpus.count(target);
        Ok(self.mask(objects.get(target), sets))
    }
}
