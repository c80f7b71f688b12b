//! Processes that an entry of a file wrote out: exactly what it says (`semantics` 4.5, 4.6).

use super::fault::{Promise, Seen};
use super::hardware::Mask;
use super::walk::{Broken, Walk};
use crate::policy::{MapBy, Overload};

impl Walk<'_, '_> {
    /// An entry's process: exactly the cpus it wrote, wholly free unless they may be shared (4.5, 4.6).
    pub(super) fn listed(&mut self, exact: Option<Mask>, mask: Option<Mask>) -> Result<(), Broken> {
        match (exact, mask) {
            (None, None) => match self.case.policy.map {
                MapBy::Rankfile => Ok(()),
                MapBy::Slot
                | MapBy::Node
                | MapBy::Object(_)
                | MapBy::Ppr { .. }
                | MapBy::Seq
                | MapBy::PeList
                | MapBy::Dist
                | MapBy::Mpibind(_)
                | MapBy::Lsf => self.unbound(None),
            },
            (None, Some(mask)) => {
                let by_slot = match self.case.policy.map {
                    MapBy::Seq | MapBy::Lsf => self
                        .binder
                        .as_mut()
                        .and_then(|binder| binder.next(None, None)),
                    MapBy::Slot
                    | MapBy::Node
                    | MapBy::Object(_)
                    | MapBy::Ppr { .. }
                    | MapBy::Rankfile
                    | MapBy::PeList
                    | MapBy::Mpibind(_)
                    | MapBy::Dist => None,
                };
                if by_slot.as_ref() == Some(&mask) {
                    return Ok(());
                }
                Err(self.differs(Promise::Entry, &mask, by_slot.as_ref()))
            }
            (Some(exact), Some(mask)) if exact == mask => {
                let shared = self.case.policy.overload == Overload::Allowed;
                if !shared && !self.free().has_all(&mask) {
                    let free = self.free().part(&self.case.hardware.machine());
                    return Err(self.differs(Promise::Cpus, &mask, Some(&free)));
                }
                self.consume(&mask);
                Ok(())
            }
            (Some(exact), found) => {
                let os = |set: &Mask| Seen::Cpus(self.case.hardware.os_of(set));
                let found = found.as_ref().map_or(Seen::Nothing, os);
                Err(self.broken(Promise::Entry, found, os(&exact)))
            }
        }
    }
}
