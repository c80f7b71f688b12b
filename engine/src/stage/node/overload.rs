//! Cpus that are given out twice, under overload-allowed. Source: `semantics` 7.5, 7.7. `bind.rs` says when. Without it cpus run out:
//! `place/filling.rs` and `place/rounds.rs` find that, and `place/refuse.rs` makes the refusal.

use super::bind::Binder;
use super::bits::{first_of, has};
use super::cpus::Cpus;
use super::sets::{MapTarget, NodeSets};
use super::target_order::TargetOrder;
use super::units::{Targets, shared};
use crate::policy::{CpuMode, ObjKind, Overload};

impl Binder<'_> {
    /// Whether cpus are shared and some of them lie in no target. Then the cpus of all targets may be taken while the mapped object
    /// still has free ones; the target with the fewest processes is next (7.5).
    pub(super) fn beside(&self, objects: &Targets<'_>) -> bool {
        if self.policy.overload != Overload::Allowed {
            return false;
        }
        let all = self.free_units(&vec![u64::MAX; (self.hardware.pus as usize).div_ceil(64)]);
        let of = |object| self.count_free(all.words(), self.topologies.ranges(object));
        objects.iter().map(of).sum::<u32>() < all.count()
    }

    /// Whether any cpu of the mapped object is free.
    pub(super) fn any_free(
        &self,
        cpus: &mut Cpus,
        MapTarget { pus, at }: MapTarget<'_>,
        kind: ObjKind,
    ) -> bool {
        let from = cpus.first(at);
        let (found, end) = if kind == ObjKind::Hwthread && self.mode == CpuMode::Core {
            let ahead = pus.iter().map(|&(first, end)| (first.max(from), end));
            let mut ahead = ahead.filter(|(first, end)| first < end);
            let found = ahead.find_map(|stretch| first_of(cpus.free.words(), &[stretch]));
            (found, self.hardware.pus)
        } else {
            let found = self.units.first_inside(cpus.units.words(), pus, from);
            (found, self.units.len())
        };
        cpus.set_first(at, found.unwrap_or(end));
        found.is_some()
    }

    /// The target inside the object with the fewest processes of the app, the first among equals.
    pub(super) fn least_used(
        &self,
        cpus: &mut Cpus,
        MapTarget { pus, at }: MapTarget<'_>,
        objects: &Targets<'_>,
        allowed: &[u64],
    ) -> Option<u32> {
        let (mut first, mut end) = (0, objects.len());
        if self.order != TargetOrder::Any {
            first = self.first_behind(objects, pus.first()?.0);
            end = self
                .first_behind(objects, pus.last()?.1 - 1)
                .saturating_add(1)
                .min(end);
        }
        // A target without an allowed cpu would give an empty mask.
        let meets = |target: &u32| {
            let both = shared(pus, self.topologies.ranges(objects.get(*target)));
            first_of(allowed, &both).is_some()
        };
        cpus.least_used(at, || (first..end).filter(meets))
    }

    /// Makes the object's cpus free again: those that were free when the app started, or all allowed ones (7.5).
    pub(super) fn refill(&self, cpus: &mut Cpus, pus: &[(u32, u32)], sets: NodeSets<'_>) {
        let source = sets.shared(pus);
        if cpus.is_marked() {
            for pu in pus.iter().flat_map(|&(first, end)| first..end) {
                match (has(cpus.free.words(), pu), has(source, pu)) {
                    (false, true) => cpus.mark_freed(pu),
                    (true, false) => cpus.mark_taken(pu),
                    (false, false) | (true, true) => {}
                }
            }
        }
        for &stretch in pus {
            cpus.free.copy(stretch, source);
        }
        self.units
            .look_again(&mut cpus.units, cpus.free.words(), pus);
        cpus.refill();
    }
}
