//! Binding to an object, of which one cpu is consumed: PE = 1.

use super::bind::{Binder, Failure, MapTarget, Mask, NodeSets};
use super::bits::{self, Stretches, shared};
use super::cpus::Cpus;
use super::units::Located;
use crate::policy::ObjKind;

/// What a process consumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cpu {
    Unit(u32),
    /// A PU outside every core.
    Pu(u32),
}

/// Where a process looks for its target.
struct Search<'s, 't> {
    binder: &'s Binder<'t>,
    place: MapTarget<'s>,
    objects: &'s Located<'t>,
    kind: ObjKind,
}

impl<'t> Binder<'t> {
    /// The first object of the target kind that has a free cpu inside the mapped object (7.3, 7.5, 7.7).
    #[inline]
    pub(super) fn bind_object(
        &self,
        cpus: &mut Cpus,
        place: MapTarget<'_>,
        kind: ObjKind,
        objects: &Located<'t>,
        sets: NodeSets<'_>,
    ) -> Result<Mask, Failure> {
        let search = Search {
            binder: self,
            place,
            objects,
            kind,
        };
        if objects.is_empty() || self.maps_gpus() && search.targets().is_empty() {
            return Err(Failure::NoTarget(kind));
        }
        // Where what is bound to is what is consumed, and LIMIT counts nothing, there is no search.
        let own = self.binds_units() && self.policy.limit.is_none();
        let first = |cpus: &mut Cpus| {
            if !own {
                return search.first(cpus);
            }
            let unit = self.units.first_inside(cpus.units.words(), place.pus)?;
            Some((unit, Some(Cpu::Unit(unit))))
        };
        let mut found = first(cpus);
        if found.is_none() && self.overloads() {
            if self.first_free(cpus, place.pus).is_none() {
                self.refill(cpus, place.pus, sets);
                found = first(cpus);
            }
            found = found.or_else(|| search.least_used(cpus, sets.allowed));
        }
        let (target, cpu) = found.ok_or_else(|| search.why_none(cpus))?;
        match cpu {
            Some(Cpu::Unit(unit)) => self.consume(cpus, unit),
            Some(Cpu::Pu(pu)) => cpus.take(&[(pu, pu + 1)]),
            None => {}
        }
        cpus.count(target);
        Ok(self.mask(objects.get(target), sets))
    }

    /// The first free cpu among some PUs.
    fn first_free(&self, cpus: &Cpus, pus: &[(u32, u32)]) -> Option<Cpu> {
        if self.fills_cores() {
            let pu = bits::first_of(cpus.free.words(), pus)?;
            return Some(self.units.of_pu(pu).map_or(Cpu::Pu(pu), Cpu::Unit));
        }
        let unit = self.units.first_inside(cpus.units.words(), pus);
        unit.map(Cpu::Unit)
    }

    /// Whether processes are counted by their target: for LIMIT; and where cpus are shared and some lie in no target, as then
    /// those of all targets may be taken while the mapped object has free ones, and the target with the fewest processes is
    /// next (7.5).
    pub(super) fn counts_processes(&self, objects: &Located<'t>) -> bool {
        let inside = |pus: &[(u32, u32)]| -> u32 {
            let stretches = self.units.inside(pus);
            stretches.map(|(first, end)| end - first).sum()
        };
        let in_targets = || -> u32 {
            let targets = 0..objects.len();
            targets.map(|target| inside(objects.pus(target))).sum()
        };
        self.policy.limit.is_some() || self.overloads() && in_targets() < inside(&self.whole)
    }
}

impl Search<'_, '_> {
    /// Numbers of the objects that the process may be bound to: those that meet the one it is mapped to. By GPU it is the GPU
    /// itself, though others may be near the same cpus, or what lies in the cpus near it.
    fn targets(&self) -> Stretches {
        let MapTarget { pus, at } = self.place;
        match at {
            Some(at) if self.binder.maps_gpus() && self.kind == ObjKind::Gpu => {
                let own = bits::narrow(at);
                Stretches::from_slice(&[(own, own + 1)])
            }
            Some(_) if self.binder.maps_gpus() => self.objects.inside(pus).collect(),
            Some(_) | None => {
                let meeting = self.objects.meeting(pus);
                Stretches::from_slice(&[(meeting.start, meeting.end)])
            }
        }
    }

    /// The PUs of a target that the process may look at.
    fn pus(&self, target: u32) -> Stretches {
        shared(self.place.pus, self.objects.pus(target))
    }

    /// The first target that has not reached LIMIT and has a free cpu inside the mapped object.
    fn first(&self, cpus: &mut Cpus) -> Option<(u32, Option<Cpu>)> {
        let full = |cpus: &Cpus, target: u32| {
            let limit = self.binder.policy.limit.map(u32::from);
            limit.is_some_and(|limit| cpus.bound[target as usize] >= limit)
        };
        let at = self.place.at.unwrap_or(0);
        let targets = self.targets();
        let ahead = bits::from(&targets, cpus.cursor(at).target);
        let found = { ahead }
            .filter(|&target| !full(cpus, target))
            .find_map(|target| {
                let cpu = self.binder.first_free(cpus, &self.pus(target))?;
                Some((target, Some(cpu)))
            });
        cpus.cursor(at).target = found.map_or(self.objects.len(), |(target, _)| target);
        found
    }

    /// The target with the fewest processes, whatever it has free: LIMIT only says who comes first (7.7), and so it is where the
    /// free cpus lie in no target (7.5).
    fn least_used(&self, cpus: &mut Cpus, allowed: &[u64]) -> Option<(u32, Option<Cpu>)> {
        let binder = self.binder;
        let any_free = || binder.first_free(cpus, self.place.pus).is_some();
        if cpus.bound.is_empty() || binder.policy.limit.is_none() && !any_free() {
            return None;
        }
        // One without a cpu that may be used would give an empty mask.
        let usable = |target| bits::first_of(allowed, self.pus(target)).is_some();
        let at = self.place.at.unwrap_or(0);
        let target = cpus.least_used(at, &self.targets(), usable)?;
        Some((target, binder.first_free(cpus, &self.pus(target))))
    }

    /// Why nothing was found: LIMIT is the reason only where it keeps the process off a free cpu, and is asked for only where
    /// anybody is told.
    fn why_none(&self, cpus: &Cpus) -> Failure {
        let binder = self.binder;
        let told = binder.policy.limit.is_some() && binder.must(Failure::Limit);
        let has_free = |target| binder.first_free(cpus, &self.pus(target)).is_some();
        if told && bits::from(&self.targets(), 0).any(has_free) {
            Failure::Limit
        } else {
            Failure::NoCpu
        }
    }
}
