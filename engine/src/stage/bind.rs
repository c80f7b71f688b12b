//! Binding: one process at a time on one node, as a persistent set of free cpus. Source: `semantics` 7.

use super::hardware::{Hardware, Stretches, Units, narrow, shared, targets};
use crate::policy::{BindTo, CpuMode, IfSupported, ObjKind, Overload};
use crate::table::apps::Policy;
use crate::table::pusets::PuBits;
use crate::table::topologies::{ObjectId, Topologies};
use bitvec::slice::BitSlice;

/// The cpus of a process, before they are interned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mask {
    /// All of an object.
    Whole(ObjectId),
    /// Logical PUs.
    Bits(PuBits),
}

/// What the binder makes of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// To these cpus.
    To(Mask),
    /// To nothing: a default was given up, or `if-supported`.
    Nothing,
    /// It cannot be, and must.
    Fails(Failure),
}

/// Why a process cannot be bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The node has no object of the target kind.
    NoTarget(ObjKind),
    /// Every fitting cpu is taken.
    NoCpu,
    /// Cpus are free, but LIMIT is reached on all fitting objects.
    Limit,
    /// PE is larger than what any package has free.
    SpanPackages,
    /// The cpu of an ORDERED list is taken.
    ListedTaken(u32),
}

/// What a process is bound to on this topology.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Nothing.
    Nothing,
    /// Objects of a kind, one cpu consumed.
    Objects {
        kind: ObjKind,
        objects: Vec<ObjectId>,
    },
    /// The first PE cpus.
    Cpus(u32),
}

/// The binder of one app on one topology: all that does not change from node to node.
#[derive(Clone, Debug)]
pub(crate) struct Binder<'t> {
    pub(crate) topologies: &'t Topologies,
    pub(crate) hardware: &'t Hardware,
    pub(crate) units: &'t Units,
    pub(crate) mode: CpuMode,
    pub(crate) target: Target,
    pub(crate) policy: Policy,
    /// Targets are single ascending stretches: those that meet an object are found by search.
    tidy: bool,
}

/// The cpus of one node while an app is placed on it.
#[derive(Clone, Debug)]
pub(crate) struct Cpus {
    /// PUs not consumed.
    pub(crate) free: PuBits,
    /// Units all of whose PUs are free.
    pub(crate) units: PuBits,
    /// Processes of this app bound to each target object; empty without LIMIT.
    pub(crate) bound: Vec<u32>,
    /// Where the search of each mapped object goes on; `[0]` without objects.
    cursors: Vec<u32>,
    /// A refill happened in the last call: turns may come round here.
    pub(crate) refilled: bool,
    /// Some cpus were given out again.
    pub(crate) shared: bool,
}

impl<'t> Binder<'t> {
    pub(crate) fn new(topologies: &'t Topologies, hardware: &'t Hardware, policy: &Policy) -> Self {
        let mode = hardware.mode(policy.mode);
        let target = match policy.bind {
            BindTo::Nothing => Target::Nothing,
            BindTo::Object(_) | BindTo::BySize if policy.pe > 1 => {
                Target::Cpus(u32::from(policy.pe))
            }
            BindTo::BySize => unreachable!("the count stage settles bindings by size"),
            BindTo::Object(kind) => {
                let kind = hardware.kind(kind);
                Target::Objects {
                    kind,
                    objects: targets(topologies, hardware.topology, kind),
                }
            }
        };
        let tidy = match &target {
            Target::Objects { objects, .. } => {
                let ranges = |object: &ObjectId| topologies.ranges(*object);
                objects.iter().all(|object| ranges(object).len() == 1)
                    && objects
                        .windows(2)
                        .all(|two| ranges(&two[0])[0].1 <= ranges(&two[1])[0].0)
            }
            Target::Nothing | Target::Cpus(_) => false,
        };
        Self {
            topologies,
            hardware,
            units: hardware.units(mode),
            mode,
            target,
            policy: *policy,
            tidy,
        }
    }

    /// The cpus of a node as the app finds them.
    pub(crate) fn cpus(&self, free: &BitSlice<u64>) -> Cpus {
        let units = self.free_units(free);
        let bound = match (&self.target, self.policy.limit) {
            (Target::Objects { objects, .. }, Some(_)) => vec![0; objects.len()],
            (Target::Nothing | Target::Objects { .. } | Target::Cpus(_), _) => Vec::new(),
        };
        Cpus {
            free: PuBits::from_bitslice(free),
            units,
            bound,
            cursors: Vec::new(),
            refilled: false,
            shared: false,
        }
    }

    /// Units all of whose PUs are in a set.
    pub(crate) fn free_units(&self, free: &BitSlice<u64>) -> PuBits {
        if self.units.are_pus() && self.units.len() == free.len() {
            return PuBits::from_bitslice(free);
        }
        (0..narrow(self.units.len()))
            .map(|unit| {
                let pus = self.units.pus(unit);
                !pus.is_empty()
                    && pus
                        .iter()
                        .all(|&(first, end)| free[first as usize..end as usize].all())
            })
            .collect()
    }

    /// The PUs of an object; the whole machine for none.
    pub(crate) fn pus_of(&self, object: Option<ObjectId>) -> Stretches {
        match object {
            Some(object) => Stretches::from_slice(self.topologies.ranges(object)),
            None => Stretches::from_slice(&[(0, self.hardware.pus)]),
        }
    }

    /// Binds the next process, mapped to `object` (number `at` among the app's objects; 0 without).
    /// `snap`: the node as the app found it; `allowed`: all that may be used.
    pub(crate) fn bind(
        &self,
        cpus: &mut Cpus,
        (object, at): (Option<ObjectId>, usize),
        (snap, allowed): (&BitSlice<u64>, &BitSlice<u64>),
    ) -> Bound {
        cpus.refilled = false;
        let pus = self.pus_of(object);
        let found = match &self.target {
            Target::Nothing => return Bound::Nothing,
            Target::Cpus(pe) => self.bind_cpus(cpus, &pus, object, *pe, (snap, allowed)),
            Target::Objects { kind, objects } if objects.is_empty() => {
                Err(Failure::NoTarget(*kind))
            }
            Target::Objects { kind, objects } => {
                self.bind_object(cpus, (&pus, at), *kind, objects, (snap, allowed))
            }
        };
        match found {
            Ok(mask) => Bound::To(mask),
            Err(failure) => self.give_up(failure),
        }
    }

    fn give_up(&self, failure: Failure) -> Bound {
        let explicit = self.policy.strength == crate::policy::BindStrength::Explicit;
        let supported = self.policy.if_supported == IfSupported::Yes;
        match failure {
            Failure::NoTarget(_) if explicit => Bound::Fails(failure),
            Failure::NoCpu | Failure::Limit | Failure::SpanPackages | Failure::ListedTaken(_)
                if explicit && !supported =>
            {
                Bound::Fails(failure)
            }
            Failure::NoTarget(_)
            | Failure::NoCpu
            | Failure::Limit
            | Failure::SpanPackages
            | Failure::ListedTaken(_) => Bound::Nothing,
        }
    }

    /// PE > 1: the first PE cpus of the object, or of the first package that has as many (7.2).
    fn bind_cpus(
        &self,
        cpus: &mut Cpus,
        pus: &[(u32, u32)],
        object: Option<ObjectId>,
        pe: u32,
        (snap, allowed): (&BitSlice<u64>, &BitSlice<u64>),
    ) -> Result<Mask, Failure> {
        let places: Vec<Stretches> = if object.is_some() {
            vec![pus.into()]
        } else {
            self.packages()
        };
        let enough = |cpus: &Cpus| {
            let mut inside = places.iter().map(|place| self.units.inside(place));
            inside.find(|units| count_ones(&cpus.units, units) >= pe)
        };
        let mut found = enough(cpus);
        if found.is_none() && self.policy.overload == Overload::Allowed {
            self.refill(cpus, pus, (snap, allowed));
            found = enough(cpus);
        }
        let Some(units) = found else {
            return Err(if object.is_some() {
                Failure::NoCpu
            } else {
                Failure::SpanPackages
            });
        };
        let mut mask = PuBits::repeat(false, self.hardware.pus as usize);
        let taken: Vec<u32> = ones(&cpus.units, &units).take(pe as usize).collect();
        for unit in taken {
            for &(first, end) in self.units.pus(unit) {
                mask[first as usize..end as usize].fill(true);
            }
            self.consume(cpus, unit);
        }
        Ok(Mask::Bits(mask))
    }

    /// The packages' PUs; the whole machine where there are none.
    pub(crate) fn packages(&self) -> Vec<Stretches> {
        let packages = targets(self.topologies, self.hardware.topology, ObjKind::Package);
        if packages.is_empty() {
            return vec![self.pus_of(None)];
        }
        packages
            .into_iter()
            .map(|package| self.pus_of(Some(package)))
            .collect()
    }

    /// PE = 1: the first object of the target kind that has a free cpu inside the mapped object (7.3, 7.5, 7.7).
    fn bind_object(
        &self,
        cpus: &mut Cpus,
        (pus, at): (&[(u32, u32)], usize),
        kind: ObjKind,
        objects: &[ObjectId],
        (snap, allowed): (&BitSlice<u64>, &BitSlice<u64>),
    ) -> Result<Mask, Failure> {
        let overload = self.policy.overload == Overload::Allowed;
        let mut found = self.search(cpus, pus, at, kind, objects);
        if found.is_none() && overload && !self.any_free(cpus, pus, kind) {
            self.refill(cpus, pus, (snap, allowed));
            found = self.search(cpus, pus, at, kind, objects);
        }
        if found.is_none() && overload && self.policy.limit.is_some() {
            found = self
                .least_used(cpus, pus, objects, allowed)
                .map(|target| (target, self.first_free(cpus, pus, kind, objects[target])));
        }
        let Some((target, cpu)) = found else {
            // LIMIT is the reason only where it keeps the process off a free cpu.
            let kept_off = |&object: &ObjectId| self.first_free(cpus, pus, kind, object).is_some();
            let limited = self.policy.limit.is_some() && objects.iter().any(kept_off);
            return Err(if limited {
                Failure::Limit
            } else {
                Failure::NoCpu
            });
        };
        match cpu {
            Some(Cpu::Unit(unit)) => self.consume(cpus, unit),
            Some(Cpu::Pu(pu)) => cpus.free.set(pu as usize, false),
            None => {}
        }
        if let Some(count) = cpus.bound.get_mut(target) {
            *count += 1;
        }
        Ok(self.mask(objects[target], (snap, allowed)))
    }

    /// The first target that meets the object, has not reached LIMIT and has a free cpu there.
    fn search(
        &self,
        cpus: &mut Cpus,
        pus: &[(u32, u32)],
        at: usize,
        kind: ObjKind,
        objects: &[ObjectId],
    ) -> Option<(usize, Option<Cpu>)> {
        if cpus.cursors.len() <= at {
            cpus.cursors.resize(at + 1, 0);
        }
        let start = if self.tidy {
            let first = pus.first()?.0;
            objects.partition_point(|&object| self.topologies.ranges(object)[0].1 <= first)
        } else {
            0
        };
        let start = start.max(cpus.cursors[at] as usize);
        let last = pus.last()?.1;
        for (target, &object) in objects.iter().enumerate().skip(start) {
            let ranges = self.topologies.ranges(object);
            if self.tidy && ranges[0].0 >= last {
                break;
            }
            let full = self
                .policy
                .limit
                .is_some_and(|limit| cpus.bound[target] >= u32::from(limit));
            if !full && let Some(cpu) = self.first_free(cpus, pus, kind, object) {
                cpus.cursors[at] = narrow(target);
                return Some((target, Some(cpu)));
            }
        }
        None
    }

    /// The first free cpu in both the mapped and the target object.
    fn first_free(
        &self,
        cpus: &Cpus,
        pus: &[(u32, u32)],
        kind: ObjKind,
        target: ObjectId,
    ) -> Option<Cpu> {
        let both = shared(pus, self.topologies.ranges(target));
        if kind == ObjKind::Hwthread && self.mode == CpuMode::Core {
            let pu = ones(&cpus.free, &both).next()?;
            return Some(self.units.of_pu(pu).map_or(Cpu::Pu(pu), Cpu::Unit));
        }
        ones(&cpus.units, &self.units.inside(&both))
            .next()
            .map(Cpu::Unit)
    }

    fn any_free(&self, cpus: &Cpus, pus: &[(u32, u32)], kind: ObjKind) -> bool {
        if kind == ObjKind::Hwthread && self.mode == CpuMode::Core {
            return ones(&cpus.free, pus).next().is_some();
        }
        ones(&cpus.units, &self.units.inside(pus)).next().is_some()
    }

    /// The target inside the object with the fewest processes of the app, the first of equals.
    fn least_used(
        &self,
        cpus: &Cpus,
        pus: &[(u32, u32)],
        objects: &[ObjectId],
        allowed: &BitSlice<u64>,
    ) -> Option<usize> {
        // One without a cpu that may be used would give an empty mask.
        let meets = |target: &usize| {
            let both = shared(pus, self.topologies.ranges(objects[*target]));
            ones(allowed, &both).next().is_some()
        };
        (0..objects.len())
            .filter(meets)
            .min_by_key(|&target| cpus.bound[target])
    }

    /// The object's cpus count as free again: those the app found, or all of it (7.5).
    fn refill(
        &self,
        cpus: &mut Cpus,
        pus: &[(u32, u32)],
        (snap, allowed): (&BitSlice<u64>, &BitSlice<u64>),
    ) {
        let source = if ones(snap, pus).next().is_some() {
            snap
        } else {
            allowed
        };
        for &(first, end) in pus {
            let range = first as usize..end as usize;
            cpus.free[range.clone()].copy_from_bitslice(&source[range]);
        }
        cpus.units = self.free_units(&cpus.free);
        cpus.cursors.clear();
        cpus.refilled = true;
        cpus.shared = true;
    }

    pub(crate) fn consume(&self, cpus: &mut Cpus, unit: u32) {
        for &(first, end) in self.units.pus(unit) {
            cpus.free[first as usize..end as usize].fill(false);
        }
        cpus.units.set(unit as usize, false);
    }

    /// The whole object, less what earlier apps consumed (7.3, 7.8).
    fn mask(&self, object: ObjectId, (snap, allowed): (&BitSlice<u64>, &BitSlice<u64>)) -> Mask {
        let ranges = self.topologies.ranges(object);
        if ranges
            .iter()
            .all(|&(first, end)| snap[first as usize..end as usize].all())
        {
            return Mask::Whole(object);
        }
        let source = if ones(snap, ranges).next().is_some() {
            snap
        } else {
            allowed
        };
        let mut mask = PuBits::repeat(false, self.hardware.pus as usize);
        for &(first, end) in ranges {
            let range = first as usize..end as usize;
            mask[range.clone()].copy_from_bitslice(&source[range]);
        }
        Mask::Bits(mask)
    }

    /// Free cpus inside some PUs.
    pub(crate) fn count_free(&self, units: &BitSlice<u64>, pus: &[(u32, u32)]) -> u32 {
        count_ones(units, &self.units.inside(pus))
    }
}

/// What a process consumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cpu {
    Unit(u32),
    /// A PU outside every core.
    Pu(u32),
}

pub(crate) fn ones<'b>(
    bits: &'b BitSlice<u64>,
    stretches: &'b [(u32, u32)],
) -> impl Iterator<Item = u32> + 'b {
    stretches.iter().flat_map(move |&(first, end)| {
        bits[first as usize..end as usize]
            .iter_ones()
            .map(move |one| first + narrow(one))
    })
}

pub(crate) fn count_ones(bits: &BitSlice<u64>, stretches: &[(u32, u32)]) -> u32 {
    stretches
        .iter()
        .map(|&(first, end)| {
            // Nearly always one cpu is asked: a bit is quicker than a slice of one.
            if end - first == 1 {
                u32::from(bits[first as usize])
            } else {
                narrow(bits[first as usize..end as usize].count_ones())
            }
        })
        .sum()
}
