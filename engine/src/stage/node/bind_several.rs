//! Binding to several cpus each: PE above 1.

use super::bind::{Binder, Failure, MapTarget, Mask, NodeSets};
use super::bits::{self, Window};
use super::cpus::Cpus;
use smallvec::SmallVec;

/// Units of one process.
type TakenUnits = SmallVec<[u32; 16]>;

impl Binder<'_> {
    /// The first PE cpus of the mapped object, or, without one, of the first package that has as many (7.2).
    pub(super) fn bind_cpus(
        &self,
        cpus: &mut Cpus,
        place: MapTarget<'_>,
        pe: u32,
        sets: NodeSets<'_>,
    ) -> Result<Mask, Failure> {
        let mut found = self.enough(cpus, place, pe);
        if found.is_none() && self.overloads() {
            self.refill(cpus, place.pus, sets);
            found = self.enough(cpus, place, pe);
        }
        let units = found.ok_or(match place.at {
            Some(_) => Failure::NoCpu,
            None => Failure::SpanPackages,
        })?;
        let pus = units.iter().flat_map(|&unit| self.units.pus(unit));
        let mut pus: Vec<(u32, u32)> = pus.copied().collect();
        pus.sort_unstable();
        let mask = Window::part(cpus.free.words(), &pus);
        for unit in units {
            self.consume(cpus, unit);
        }
        Ok(Mask::Some(Box::new(mask)))
    }

    /// The first free units of the object, or of the first package that has as many.
    fn enough(&self, cpus: &mut Cpus, place: MapTarget<'_>, pe: u32) -> Option<TakenUnits> {
        let enough_in = |cpus: &Cpus, pus: &[(u32, u32)]| {
            let free = bits::ones(cpus.units.words(), self.units.inside(pus));
            let taken: TakenUnits = free.take(pe as usize).collect();
            (taken.len() == pe as usize).then_some(taken)
        };
        if place.at.is_some() {
            return enough_in(cpus, place.pus);
        }
        loop {
            let package = self.packages.get(cpus.cursor(0).target as usize)?;
            if let Some(taken) = enough_in(cpus, package) {
                return Some(taken);
            }
            // It has too few for good, or until cpus are free again.
            cpus.cursor(0).target += 1;
        }
    }
}
