//! What one process is bound to, and which cpus this consumes. `docs/semantics.md` section 7.

use crate::cpus::Cpus;
use crate::machine::{Machine, Object};
use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::{CpuMode, IfSupported, ObjKind};

/// The objects that a process may be bound to. A process mapped to a device may only have its own, even when other devices are near
/// the same cpus.
fn targets(machine: &Machine, target: ObjKind, mapped: Option<&Object>) -> Vec<Object> {
    match mapped {
        Some(mapped) if target.is_device() => vec![mapped.clone()],
        Some(_) | None => machine.objects(target).to_vec(),
    }
}

impl Turn<'_, '_> {
    /// The mask of the next process on this node, which is mapped to `within` or to no object. `None`: unbound.
    pub(crate) fn bind(
        &mut self,
        seat: usize,
        within: Option<&Object>,
    ) -> Result<Option<Cpus>, Refusal> {
        let Some(target) = self.target.filter(|_| self.is_bound(seat)) else {
            return Ok(None);
        };
        if self.pe() > 1 {
            return self.bind_cpus(seat, within);
        }
        let machine = self.machine(seat);
        let target = machine.meant(target);
        let mapped = within;
        let within = within.map_or(&machine.cpus, |object| &object.cpus);
        let beside = mapped.is_some_and(|mapped| mapped.kind.is_device()) && !target.is_device();
        if beside && !machine.holds_any(within, target) {
            return match self.by_default() {
                true => Ok(None),
                false => Err(self.no_target(seat, target)),
            };
        }
        if let Some(mask) = self.bind_object(seat, target, mapped) {
            return Ok(Some(mask));
        }
        if self.overloads() {
            // Section 7, "overload": cpus of the mapped object count as free again once none is free.
            if self.free_in(seat, within) == 0 {
                self.refill(seat, within);
                if let Some(mask) = self.bind_object(seat, target, mapped) {
                    return Ok(Some(mask));
                }
            }
            if let Some(mask) = self.bind_beyond_limit(seat, target, mapped) {
                return Ok(Some(mask));
            }
        }
        self.without_cpus(seat, target, mapped)
    }

    /// PE above 1: the first PE free cpus of the object. Without an object, those of the first package that has enough.
    fn bind_cpus(&mut self, seat: usize, within: Option<&Object>) -> Result<Option<Cpus>, Refusal> {
        let machine = self.machine(seat);
        let places = match within {
            Some(object) => vec![&object.cpus],
            None => machine.packages(),
        };
        let fits = |turn: &Self| {
            places
                .iter()
                .find(|place| turn.free_in(seat, place) >= turn.pe())
                .copied()
        };
        let mut place = fits(self);
        if place.is_none() && self.overloads() {
            self.refill(seat, within.map_or(&machine.cpus, |object| &object.cpus));
            place = fits(self);
        }
        let Some(place) = place else {
            if within.is_none() && self.never_fits(seat) {
                return Refusal::err(
                    "span-packages",
                    format!(
                        "no package of {} has {} cpus",
                        self.node(seat).name,
                        self.pe()
                    ),
                );
            }
            return match self.policy.if_supported {
                IfSupported::Yes => Ok(None),
                IfSupported::No => Err(self.lack_of_cpus()),
            };
        };
        let inside = self.node(seat).free.and(place);
        let units = machine
            .units(self.mode())
            .iter()
            .filter(|unit| inside.holds(&unit.cpus));
        let mask = units
            .take(usize::from(self.policy.pe))
            .fold(Cpus::none(), |mask, unit| mask.or(&unit.cpus));
        self.consume(seat, &mask);
        Ok(Some(mask))
    }

    /// The first target object below its LIMIT that has a free cpu inside the mapped object.
    fn bind_object(
        &mut self,
        seat: usize,
        target: ObjKind,
        mapped: Option<&Object>,
    ) -> Option<Cpus> {
        let machine = self.machine(seat);
        let within = mapped.map_or(&machine.cpus, |object| &object.cpus);
        let object = targets(machine, target, mapped)
            .into_iter()
            .find(|object| {
                let inside = self.node(seat).free.and(&object.cpus).and(within);
                !self.limit_reached(seat, object) && self.cpus_for(seat, target, &inside) > 0
            })?;
        Some(self.take(seat, &object, within))
    }

    /// With overload-allowed, LIMIT only decides the order: the target object with the fewest processes comes first, and of equals
    /// the first one. The same holds without LIMIT when the free cpus are in no target.
    fn bind_beyond_limit(
        &mut self,
        seat: usize,
        target: ObjKind,
        mapped: Option<&Object>,
    ) -> Option<Cpus> {
        let machine = self.machine(seat);
        let within = mapped.map_or(&machine.cpus, |object| &object.cpus);
        if self.policy.limit.is_none() && self.free_in(seat, within) == 0 {
            return None;
        }
        let node = self.node(seat);
        let inside = |object: &Object| node.usable.and(&object.cpus).meets(within);
        let objects = targets(machine, target, mapped).into_iter().filter(inside);
        let object = objects.min_by_key(|object| self.bound_to(seat, object))?;
        Some(self.take(seat, &object, within))
    }

    /// Binds to a target object: the mask is everything that earlier apps left of it, and one cpu is consumed.
    fn take(&mut self, seat: usize, object: &Object, within: &Cpus) -> Cpus {
        let node = self.node(seat);
        let inside = node.free.and(&object.cpus).and(within);
        let units = node.machine.units(self.mode());
        let whole = units.iter().find(|unit| inside.holds(&unit.cpus));
        // A PU in core mode consumes its whole core: half a core is not a cpu for other objects.
        let around = || units.iter().find(|unit| unit.cpus.meets(&inside));
        let of_threads = object.kind == ObjKind::Hwthread;
        let unit = whole.or_else(|| around().filter(|_| of_threads));
        let consumed = unit.map(|unit| unit.cpus.clone()).unwrap_or_default();
        let mut mask = object.cpus.and(&self.seats[seat].snap);
        if mask.is_empty() {
            mask = object.cpus.and(&node.usable);
        }
        self.consume(seat, &consumed);
        *self.seats[seat].bound_to.entry(object.logical).or_default() += 1;
        mask
    }

    /// Makes all cpus of a set free again: those that the app found free, or all of them if it found none.
    fn refill(&mut self, seat: usize, set: &Cpus) {
        let found = self.seats[seat].snap.and(set);
        let again = if found.is_empty() {
            set.and(&self.node(seat).usable)
        } else {
            found
        };
        let node = &mut self.job.pool.nodes[self.seats[seat].node];
        node.free = node.free.or(&again);
    }

    /// No cpu was found: an error if the binding was asked for, otherwise unbound.
    fn without_cpus(
        &self,
        seat: usize,
        target: ObjKind,
        mapped: Option<&Object>,
    ) -> Result<Option<Cpus>, Refusal> {
        if self.by_default() || self.policy.if_supported == IfSupported::Yes {
            return Ok(None);
        }
        let node = self.node(seat);
        let within = mapped.map_or(&node.machine.cpus, |object| &object.cpus);
        let kept_off = targets(node.machine, target, mapped).iter().any(|object| {
            let inside = node.free.and(&object.cpus).and(within);
            self.limit_reached(seat, object) && self.cpus_for(seat, target, &inside) > 0
        });
        if kept_off {
            return Refusal::err(
                "bind-limit",
                format!(
                    "LIMIT is reached on every {} of {}",
                    target.word(),
                    node.name
                ),
            );
        }
        Err(self.lack_of_cpus())
    }

    fn bound_to(&self, seat: usize, object: &Object) -> u64 {
        self.seats[seat]
            .bound_to
            .get(&object.logical)
            .copied()
            .unwrap_or(0)
    }
    fn limit_reached(&self, seat: usize, object: &Object) -> bool {
        self.policy
            .limit
            .is_some_and(|limit| self.bound_to(seat, object) >= u64::from(limit))
    }
    /// How many cpus of a set a target can use: cores; or PUs in hwthread mode and when the target is hwthreads.
    fn cpus_for(&self, seat: usize, target: ObjKind, set: &Cpus) -> u64 {
        let mode = if target == ObjKind::Hwthread {
            CpuMode::Hwthread
        } else {
            self.mode()
        };
        self.machine(seat).count_in(mode, set)
    }
}
