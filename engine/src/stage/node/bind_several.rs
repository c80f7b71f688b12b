//! Binding of processes to several cpus each: PE above 1.

use super::bind::{Binder, Failure, Mask};
use super::bits;
use super::cpus::Cpus;
use super::sets::{MapTarget, NodeSets};
use super::window::Window;
use crate::policy::Overload;
use smallvec::SmallVec;

/// The units of one process.
type TakenUnits = SmallVec<[u32; 16]>;

impl Binder<'_> {
    /// PE > 1: the first PE free cpus of the object, or of the first package that has that many (7.2).
    pub(super) fn bind_cpus(
        &self,
        cpus: &mut Cpus,
        mapped: Option<MapTarget<'_>>,
        pe: u32,
        sets: NodeSets<'_>,
    ) -> Result<Mask, Failure> {
        let whole = [(0, self.hardware.pus)];
        let mut found = self.enough(cpus, mapped, pe);
        if found.is_none() && self.policy.overload == Overload::Allowed {
            let pus = mapped.map_or(&whole[..], |place| place.pus);
            self.refill(cpus, pus, sets);
            found = self.enough(cpus, mapped, pe);
        }
        let Some(taken) = found else {
            return Err(if mapped.is_some() {
                Failure::NoCpu
            } else {
                Failure::SpanPackages
            });
        };
        let mut pus: SmallVec<[(u32, u32); 16]> = SmallVec::new();
        for unit in taken {
            pus.extend(self.units.pus(unit));
            self.consume(cpus, unit);
        }
        Ok(Mask::Some(Box::new(Window::whole(&pus))))
    }

    /// The first free units of the object, or of the first package that has enough.
    fn enough(
        &self,
        cpus: &mut Cpus,
        mapped: Option<MapTarget<'_>>,
        pe: u32,
    ) -> Option<TakenUnits> {
        if let Some(place) = mapped {
            return self.enough_in(cpus, place, pe);
        }
        let first = cpus.target(0);
        for (at, pus) in self.places.iter().enumerate().skip(first as usize) {
            if let Some(taken) = self.enough_in(cpus, MapTarget { pus, at }, pe) {
                return Some(taken);
            }
            // A package with too few free units is skipped until cpus are free again.
            cpus.set_target(0, super::units::narrow(at) + 1);
        }
        None
    }

    /// The first free units of a place, if there are enough.
    fn enough_in(
        &self,
        cpus: &mut Cpus,
        MapTarget { pus, at }: MapTarget<'_>,
        pe: u32,
    ) -> Option<TakenUnits> {
        let from = cpus.first(at);
        let inside = self.units.inside(pus);
        let ahead = inside.iter().map(|&(first, end)| (first.max(from), end));
        let ahead: SmallVec<[(u32, u32); 2]> = ahead.filter(|(first, end)| first < end).collect();
        let free = bits::ones(cpus.units.words(), &ahead);
        let taken: TakenUnits = free.take(pe as usize).collect();
        let enough = taken.len() == pe as usize;
        let last = if enough { taken.last().copied() } else { None };
        cpus.set_first(at, last.map_or(u32::MAX, |last| last + 1));
        enough.then_some(taken)
    }
}
