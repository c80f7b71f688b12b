//! Binding: one process at a time on one node, as a persistent set of free cpus. Source: `semantics` 7.

use super::bits::{self, Bits, Stretches, Window};
use super::cpus::Cpus;
use super::units::{Hardware, Located};
use crate::policy::{BindStrength, BindTo, CpuMode, IfSupported, ObjKind, Overload};
use crate::table::apps::Policy;
use crate::table::topologies::{ObjectId, Topologies};

/// The cpus of a process, before they are interned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mask {
    /// All of an object.
    Whole(ObjectId),
    /// Logical PUs.
    Some(Box<Window>),
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
pub(crate) enum Target<'t> {
    /// Nothing.
    Nothing,
    /// Objects of a kind, one cpu consumed.
    Objects { kind: ObjKind, objects: Located<'t> },
    /// The first PE cpus.
    Cpus(u32),
}

/// The PUs of a node, as an app finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSets<'n> {
    /// Those that nobody consumed before the app.
    pub(crate) free_at_start: &'n [u64],
    /// All that may be used.
    pub(crate) allowed: &'n [u64],
}

impl<'n> NodeSets<'n> {
    /// What the app may share of some PUs: those it found free; all of them where it found none (7.5, 7.8).
    #[inline]
    pub(super) fn shared(self, pus: &[(u32, u32)]) -> &'n [u64] {
        if bits::first_of(self.free_at_start, pus).is_some() {
            self.free_at_start
        } else {
            self.allowed
        }
    }
}

/// Where a process is mapped to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapTarget<'p> {
    /// The PUs of the object; all of the machine where it is mapped to none.
    pub(crate) pus: &'p [(u32, u32)],
    /// Its number among the app's objects.
    pub(crate) at: Option<usize>,
}

/// The binder of one app on one topology: all that does not change from node to node.
#[derive(Clone, Debug)]
pub(crate) struct Binder<'t> {
    pub(crate) topologies: &'t Topologies,
    pub(crate) hardware: &'t Hardware,
    pub(crate) units: Located<'t>,
    pub(crate) mode: CpuMode,
    pub(crate) target: Target<'t>,
    pub(crate) policy: Policy,
    /// All PUs.
    pub(crate) whole: [(u32, u32); 1],
    /// The packages' PUs where a process, or the list, has several cpus; the whole machine where there are no packages.
    pub(crate) packages: Vec<Stretches>,
}

impl<'t> Binder<'t> {
    pub(crate) fn new(topologies: &'t Topologies, hardware: &'t Hardware, policy: &Policy) -> Self {
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
                    objects: hardware.located(topologies, kind),
                }
            }
        };
        let whole = [(0, hardware.pus)];
        let mut packages = Vec::new();
        if policy.pe > 1 || policy.list.is_some() {
            let all = topologies.objects(hardware.topology, ObjKind::Package);
            packages.extend(all.map(|package| Stretches::from_slice(topologies.ranges(package))));
            if packages.is_empty() {
                packages.push(Stretches::from_slice(&whole));
            }
        }
        Self {
            whole,
            packages,
            topologies,
            hardware,
            units: hardware.units(topologies, policy.mode),
            mode: hardware.mode(policy.mode),
            target,
            policy: *policy,
        }
    }

    /// The cpus of a node as the app finds them.
    pub(crate) fn cpus(&self, free: &[u64]) -> Cpus {
        let counted = match &self.target {
            Target::Objects { objects, .. } if self.counts_processes(objects) => objects.len(),
            Target::Nothing | Target::Objects { .. } | Target::Cpus(_) => 0,
        };
        self.left(Bits::of(free, self.hardware.pus), vec![0; counted as usize])
    }

    /// The cpus of a node on which the app has been before.
    pub(crate) fn left(&self, free: Bits, bound: Vec<u32>) -> Cpus {
        let units = self.units.within(free.words());
        Cpus::new(free, units, bound, self.policy.overload)
    }

    /// Whether cpus may be given out twice.
    pub(super) fn overloads(&self) -> bool {
        self.policy.overload == Overload::Allowed
    }

    /// Whether processes are mapped by GPU: then targets are looked for inside the cpus near it.
    pub(super) fn maps_gpus(&self) -> bool {
        self.policy.map.object_kind() == Some(ObjKind::Gpu)
    }

    /// Whether processes are bound to the cpus in force.
    pub(super) fn binds_units(&self) -> bool {
        let unit = match self.mode {
            CpuMode::Core => ObjKind::Core,
            CpuMode::Hwthread => ObjKind::Hwthread,
        };
        matches!(&self.target, Target::Objects { kind, .. } if *kind == unit)
    }

    /// Whether processes are bound to threads while whole cores are counted: threads of cores that are taken in part are used
    /// too, and no whole core is consumed for them.
    pub(super) fn fills_cores(&self) -> bool {
        let threads =
            matches!(&self.target, Target::Objects { kind, .. } if *kind == ObjKind::Hwthread);
        threads && self.mode == CpuMode::Core
    }

    /// Whether objects of the target are where processes look for them: inside the cpus near one of the mapped GPUs, else
    /// anywhere. True where no object is needed.
    pub(super) fn has_target(&self, mapped: &[ObjectId]) -> bool {
        let Target::Objects { kind, objects } = &self.target else {
            return true;
        };
        if !self.maps_gpus() || *kind == ObjKind::Gpu {
            return !objects.is_empty();
        }
        let near = |&gpu: &ObjectId| objects.inside(self.topologies.ranges(gpu));
        mapped.iter().flat_map(near).next().is_some()
    }

    /// Binds the next process: to no cpus where a default was given up, or `if-supported`.
    #[inline]
    pub(crate) fn bind(
        &self,
        cpus: &mut Cpus,
        place: MapTarget<'_>,
        sets: NodeSets<'_>,
    ) -> Result<Option<Mask>, Failure> {
        cpus.refilled = false;
        let found = match &self.target {
            Target::Nothing => return Ok(None),
            Target::Cpus(pe) => self.bind_cpus(cpus, place, *pe, sets),
            Target::Objects { kind, objects } => {
                self.bind_object(cpus, place, *kind, objects, sets)
            }
        };
        match found {
            Err(failure) if !self.must(failure) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Whether a process that cannot be bound is refused: not where the binding is a default, or `if-supported` (7.6).
    pub(super) fn must(&self, failure: Failure) -> bool {
        let explicit = self.policy.strength == BindStrength::Explicit;
        let supported = self.policy.if_supported == IfSupported::Yes;
        match failure {
            Failure::NoTarget(_) => explicit,
            Failure::NoCpu | Failure::Limit | Failure::SpanPackages | Failure::ListedTaken(_) => {
                explicit && !supported
            }
        }
    }

    /// The whole object, less what earlier apps consumed (7.3, 7.8).
    #[inline]
    pub(super) fn mask(&self, object: ObjectId, sets: NodeSets<'_>) -> Mask {
        let pus = self.topologies.ranges(object);
        if bits::has_all(sets.free_at_start, pus) {
            return Mask::Whole(object);
        }
        Mask::Some(Box::new(Window::part(sets.shared(pus), pus)))
    }

    #[inline]
    pub(super) fn consume(&self, cpus: &mut Cpus, unit: u32) {
        cpus.take(self.units.pus(unit));
        cpus.units.remove(&[(unit, unit + 1)]);
    }

    /// The object's cpus count as free again: those the app found, or all of it (7.5).
    pub(super) fn refill(&self, cpus: &mut Cpus, pus: &[(u32, u32)], sets: NodeSets<'_>) {
        cpus.give_back(pus, sets.shared(pus));
        for unit in pus.iter().flat_map(|&pus| self.units.meeting(&[pus])) {
            let own = [(unit, unit + 1)];
            cpus.units.remove(&own);
            if self.units.lies_in(unit, cpus.free.words()) {
                cpus.units.add(&own);
            }
        }
        cpus.refill();
    }
}
