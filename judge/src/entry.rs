//! Processes that an entry of a file places: they have exactly what the entry says (`semantics` 4.5, 4.6).

use super::bits::Mask;
use super::fault::{Broken, Promise, Seen};
use super::walk::Walk;
use stowplan_engine::policy::{MapBy, Overload};

impl Walk<'_, '_> {
    /// A process of an entry has exactly the cpus that the entry names. All of them are free, unless cpus may be shared (4.5, 4.6).
    pub(super) fn listed(&mut self, exact: Option<Mask>, mask: Option<Mask>) -> Result<(), Broken> {
        match (exact, mask) {
            (None, None) if self.case.policy.map == MapBy::Rankfile => Ok(()),
            (None, None) => self.unbound(None),
            (None, Some(mask)) => {
                let by_entry = self.case.policy.map != MapBy::Rankfile;
                let binder = self.binder.as_mut().filter(|_| by_entry);
                let by_slot = binder.and_then(|binder| binder.next(None, None));
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
