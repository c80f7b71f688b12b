//! Binding: one process at a time on one node, from a set of free cpus that is kept between processes. Source: `semantics` 7.
//!
//! With PE above 1: `bind_several.rs`. Mapped by device: `bind_near.rs`. Cpus given out twice: `overload.rs`.
//! That a node takes no more processes than it has free cpus: `place/by_slot.rs`, `place/by_object.rs`.

use super::bits::{Bits, There, first_of, has, has_all};
use super::cpus::Cpus;
use super::sets::{MapTarget, NodeSets};
use super::target_order::TargetOrder;
use super::units::{Hardware, Stretches, Targets, Units, shared};
use super::window::Window;
use crate::policy::{BindTo, CpuMode, IfSupported, ObjKind, Overload};
use crate::table::apps::Policy;
use crate::table::device_order;
use crate::table::topologies::{ObjectId, Topologies};

/// On nodes of up to this many units, a search for a free one starts at the first unit of its object: that reads a few words.
const CURSORS_FROM: u32 = 1024;

/// The cpus of a process, before they are interned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mask {
    /// All PUs of an object.
    Whole(ObjectId),
    /// These logical PUs.
    Some(Box<Window>),
}

/// The result of binding one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// Bound to these cpus.
    To(Mask),
    /// Not bound: a default was given up, or `if-supported` applies.
    Nothing,
    /// The process must be bound, and cannot be.
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
    /// No package has as many free cpus as PE.
    SpanPackages,
    /// The cpu of an ORDERED list is taken.
    ListedTaken(u32),
}

/// What processes are bound to on this topology.
#[derive(Clone, Debug)]
pub(crate) enum Target<'t> {
    /// Nothing.
    Nothing,
    /// Objects of a kind; a process consumes one cpu.
    Objects { kind: ObjKind, objects: Targets<'t> },
    /// The first PE free cpus.
    Cpus(u32),
}

/// The binder of one app on one topology: everything that is the same for all nodes.
#[derive(Clone, Debug)]
pub(crate) struct Binder<'t> {
    pub(crate) topologies: &'t Topologies,
    pub(crate) hardware: &'t Hardware,
    pub(crate) units: &'t Units,
    pub(crate) mode: CpuMode,
    pub(crate) target: Target<'t>,
    pub(crate) policy: Policy,
    /// The packages, where a process without an object finds several cpus. Empty if one cpu is enough.
    pub(super) places: Vec<Stretches>,
    pub(super) order: TargetOrder,
}

impl<'t> Binder<'t> {
    pub(crate) fn new(topologies: &'t Topologies, hardware: &'t Hardware, policy: &Policy) -> Self {
        let mode = hardware.mode(policy.mode);
        let units = hardware.units(mode);
        let target = match policy.bind {
            BindTo::Nothing => Target::Nothing,
            BindTo::Object(_) | BindTo::BySize if policy.pe > 1 => {
                Target::Cpus(u32::from(policy.pe))
            }
            BindTo::BySize => unreachable!("resolve/size.rs settles bindings by size"),
            BindTo::Object(kind) => {
                let kind = hardware.kind(kind);
                let topology = hardware.topology;
                let objects = match (kind, policy.map.devices()) {
                    // In the order of the mapped devices, each of which is its own target.
                    (device, Some(options)) if device.is_device() => {
                        Targets::Devices(device_order::groups(topologies, topology, options))
                    }
                    (_, _) => Targets::new(topologies, topology, kind),
                };
                Target::Objects { kind, objects }
            }
        };
        let order = match &target {
            Target::Objects { kind, objects } => {
                let cpus = matches!(
                    (kind, mode),
                    (ObjKind::Core, CpuMode::Core) | (ObjKind::Hwthread, CpuMode::Hwthread)
                );
                if cpus && units.width().is_some() {
                    TargetOrder::Cpus
                } else {
                    TargetOrder::of(topologies, objects)
                }
            }
            Target::Nothing | Target::Cpus(_) => TargetOrder::Any,
        };
        let several = matches!(target, Target::Cpus(_));
        let mut binder = Self {
            topologies,
            hardware,
            units,
            mode,
            target,
            policy: *policy,
            places: Vec::new(),
            order,
        };
        if several {
            binder.places = binder.packages();
        }
        binder
    }

    /// The cpus of a node when the app starts on it.
    pub(crate) fn cpus(&self, free: &[u64]) -> Cpus {
        let bound = match (&self.target, self.policy.limit) {
            (Target::Objects { objects, .. }, limit) if limit.is_some() || self.beside(objects) => {
                vec![0; objects.len() as usize]
            }
            (Target::Nothing | Target::Objects { .. } | Target::Cpus(_), _) => Vec::new(),
        };
        self.left(Bits::of(free, self.hardware.pus), bound)
    }

    /// The cpus of a node that the app has been on before.
    pub(crate) fn left(&self, free: Bits, bound: Vec<u32>) -> Cpus {
        let units = self.free_units(free.words());
        Cpus::new(free, units, bound, self.policy.overload)
    }

    /// The units whose PUs are all in a set.
    pub(crate) fn free_units(&self, free: &[u64]) -> Bits {
        self.units.within(free, self.hardware.pus)
    }

    /// The PUs of an object; the whole machine if there is none.
    pub(crate) fn pus_of(&self, object: Option<ObjectId>) -> Stretches {
        let whole = [(0, self.hardware.pus)];
        Stretches::from_slice(object.map_or(&whole, |object| self.topologies.ranges(object)))
    }

    /// Binds the next process. `mapped`: its object, with the object's number among the app's objects; `None` if it has none.
    pub(crate) fn bind(
        &self,
        cpus: &mut Cpus,
        mapped: Option<(usize, ObjectId)>,
        sets: NodeSets<'_>,
    ) -> Bound {
        cpus.refilled = false;
        let whole = [(0, self.hardware.pus)];
        let place = mapped.map_or(MapTarget { pus: &whole, at: 0 }, |(at, object)| MapTarget {
            pus: self.topologies.ranges(object),
            at,
        });
        let near = self.maps_devices();
        let found = match &self.target {
            Target::Nothing => return Bound::Nothing,
            Target::Cpus(pe) => self.bind_cpus(cpus, mapped.map(|_| place), *pe, sets),
            Target::Objects { kind, objects } if objects.is_empty() => {
                Err(Failure::NoTarget(*kind))
            }
            Target::Objects { kind, objects } if near && kind.is_device() => {
                self.bind_near(cpus, place, objects, sets)
            }
            Target::Objects { kind, objects } if near && !self.some_inside(objects, place.pus) => {
                Err(Failure::NoTarget(*kind))
            }
            Target::Objects { kind, objects } => {
                self.bind_object(cpus, place, *kind, objects, sets)
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

    /// The PUs of each package; the whole machine if there are no packages.
    pub(crate) fn packages(&self) -> Vec<Stretches> {
        let packages = Targets::new(self.topologies, self.hardware.topology, ObjKind::Package);
        if packages.is_empty() {
            return vec![self.pus_of(None)];
        }
        let pus = |package| self.pus_of(Some(package));
        packages.iter().map(pus).collect()
    }

    /// PE = 1: the first object of the target kind that has a free cpu inside the mapped object (7.3, 7.5, 7.7).
    #[inline]
    fn bind_object(
        &self,
        cpus: &mut Cpus,
        place: MapTarget<'_>,
        kind: ObjKind,
        objects: &Targets<'_>,
        sets: NodeSets<'_>,
    ) -> Result<Mask, Failure> {
        let pus = place.pus;
        let overload = self.policy.overload == Overload::Allowed;
        let mut found = self.search(cpus, place, kind, objects);
        if found.is_none() && overload && !self.any_free(cpus, place, kind) {
            self.refill(cpus, pus, sets);
            found = self.search(cpus, place, kind, objects);
        }
        let least_used = |cpus: &mut Cpus| {
            let beside = !cpus.bound.is_empty() && self.any_free(cpus, place, kind);
            overload && (self.policy.limit.is_some() || beside)
        };
        if found.is_none() && least_used(cpus) {
            found = self
                .least_used(cpus, place, objects, sets.allowed)
                .map(|target| {
                    (
                        target,
                        self.first_free(cpus, pus, kind, objects.get(target)),
                    )
                });
        }
        let Some((target, cpu)) = found else {
            return Err(self.kept_off(cpus, pus, kind, objects));
        };
        match cpu {
            Some(Cpu::Unit(unit)) => self.consume(cpus, unit),
            Some(Cpu::Pu(pu)) => {
                cpus.mark_taken(pu);
                cpus.free.put(pu, There::No);
            }
            None => {}
        }
        cpus.count(target);
        Ok(self.mask(objects.get(target), sets))
    }

    /// The first target that meets the object, is below LIMIT and has a free cpu there.
    #[inline]
    fn search(
        &self,
        cpus: &mut Cpus,
        MapTarget { pus, at }: MapTarget<'_>,
        kind: ObjKind,
        objects: &Targets<'_>,
    ) -> Option<(u32, Option<Cpu>)> {
        if self.order == TargetOrder::Cpus && self.policy.limit.is_none() {
            // Each target is one cpu, so the first free cpu is the target.
            let unit = self.first_unit(cpus, at, pus)?;
            return Some((unit, Some(Cpu::Unit(unit))));
        }
        let tidy = self.order != TargetOrder::Any;
        // The search continues where the object's last one ended. Its first search starts at the first target that reaches it.
        let start = match cpus.target(at) {
            0 if tidy => self.first_behind(objects, pus.first()?.0),
            target => target,
        };
        let last = pus.last()?.1;
        for target in start..objects.len() {
            let object = objects.get(target);
            let ranges = self.topologies.ranges(object);
            if tidy && ranges[0].0 >= last {
                break;
            }
            let full = self
                .policy
                .limit
                .is_some_and(|limit| cpus.bound[target as usize] >= u32::from(limit));
            let outside = self.maps_devices() && !self.is_inside(object, pus);
            if !full
                && !outside
                && let Some(cpu) = self.first_free(cpus, pus, kind, object)
            {
                cpus.set_target(at, target);
                return Some((target, Some(cpu)));
            }
        }
        cpus.set_target(at, objects.len());
        None
    }

    /// The first free unit of an object. On large nodes the search continues where the object's last one ended.
    #[inline]
    fn first_unit(&self, cpus: &mut Cpus, at: usize, pus: &[(u32, u32)]) -> Option<u32> {
        if self.units.len() <= CURSORS_FROM {
            return self.units.first_inside(cpus.units.words(), pus, 0);
        }
        let from = cpus.first(at);
        let found = self.units.first_inside(cpus.units.words(), pus, from);
        cpus.set_first(at, found.unwrap_or(self.units.len()));
        found
    }

    /// The first target that ends behind a PU. The targets must be tidy.
    pub(super) fn first_behind(&self, objects: &Targets<'_>, pu: u32) -> u32 {
        let (mut low, mut high) = (0, objects.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.topologies.ranges(objects.get(middle))[0].1 <= pu {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
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
            let pu = first_of(cpus.free.words(), &both)?;
            return Some(self.units.of_pu(pu).map_or(Cpu::Pu(pu), Cpu::Unit));
        }
        let units = cpus.units.words();
        self.units.first_inside(units, &both, 0).map(Cpu::Unit)
    }

    /// Why no target was found. LIMIT is the reason only if it keeps the process off a free cpu; this is checked only if the
    /// failure is reported.
    fn kept_off(
        &self,
        cpus: &Cpus,
        pus: &[(u32, u32)],
        kind: ObjKind,
        objects: &Targets<'_>,
    ) -> Failure {
        let gives_up = !matches!(self.give_up(Failure::Limit), Bound::Fails(_));
        if gives_up || self.policy.limit.is_none() {
            return Failure::NoCpu;
        }
        let kept_off = |object| self.first_free(cpus, pus, kind, object).is_some();
        if objects.iter().any(kept_off) {
            Failure::Limit
        } else {
            Failure::NoCpu
        }
    }

    #[inline]
    pub(crate) fn consume(&self, cpus: &mut Cpus, unit: u32) {
        if cpus.is_marked() {
            for pu in self
                .units
                .pus(unit)
                .into_iter()
                .flat_map(|(first, end)| first..end)
            {
                if has(cpus.free.words(), pu) {
                    cpus.mark_taken(pu);
                }
            }
        }
        self.units.take(unit, &mut cpus.free);
        cpus.units.put(unit, There::No);
    }

    /// The whole object, without the cpus that earlier apps consumed (7.3, 7.8).
    #[inline]
    pub(super) fn mask(&self, object: ObjectId, sets: NodeSets<'_>) -> Mask {
        let ranges = self.topologies.ranges(object);
        if ranges
            .iter()
            .all(|&stretch| has_all(sets.free_at_start, stretch))
        {
            return Mask::Whole(object);
        }
        Mask::Some(Box::new(Window::part(ranges, sets.shared(ranges))))
    }

    /// How many free units lie inside some PUs.
    #[inline]
    pub(crate) fn count_free(&self, units: &[u64], pus: &[(u32, u32)]) -> u32 {
        self.units.count_inside(units, pus)
    }
}

/// The cpu that a process consumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cpu {
    Unit(u32),
    /// A PU outside every core.
    Pu(u32),
}
