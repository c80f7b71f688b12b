//! Binding to several cpus each: PE above 1.

use super::bind::{Binder, Cpus, Failure, Mask};
use super::bits::{self, Bits, There};
use super::units::Stretches;
use crate::policy::Overload;
use crate::table::topologies::ObjectId;
use smallvec::SmallVec;

impl Binder<'_> {
    /// PE > 1: the first PE cpus of the object, or of the first package that has as many (7.2).
    pub(super) fn bind_cpus(
        &self,
        cpus: &mut Cpus,
        pus: &[(u32, u32)],
        object: Option<ObjectId>,
        pe: u32,
        (free_at_start, allowed): (&[u64], &[u64]),
    ) -> Result<Mask, Failure> {
        let places: Vec<Stretches> = if object.is_some() {
            vec![pus.into()]
        } else {
            self.packages()
        };
        let enough = |cpus: &Cpus| {
            let mut inside = places.iter().map(|place| self.units.inside(place));
            inside.find(|units| bits::count_of(cpus.units.words(), units) >= pe)
        };
        let mut found = enough(cpus);
        if found.is_none() && self.policy.overload == Overload::Allowed {
            self.refill(cpus, pus, (free_at_start, allowed));
            found = enough(cpus);
        }
        let Some(units) = found else {
            return Err(if object.is_some() {
                Failure::NoCpu
            } else {
                Failure::SpanPackages
            });
        };
        let mut mask = Bits::none(self.hardware.pus);
        let free = bits::ones(cpus.units.words(), &units);
        let taken: SmallVec<[u32; 16]> = free.take(pe as usize).collect();
        for unit in taken {
            for &pus in &self.units.pus(unit) {
                mask.fill(pus, There::Yes);
            }
            self.consume(cpus, unit);
        }
        Ok(Mask::Bits(Box::new(mask)))
    }
}
