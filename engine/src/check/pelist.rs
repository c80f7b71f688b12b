//! Lists of cpus: what a pe-list deals to each process of a node (`semantics` 4.7).

use super::fault::{Promise, Seen};
use super::hardware::{Bits, Hardware, Ranges};
use super::walk::{Broken, Walk};
use crate::policy::{BindTo, CpuMode, ObjKind, Ordered, Overload, Oversubscribe};

impl Walk<'_, '_> {
    /// 4.7: the free part of the list for all that a pass puts here, or, in order, one listed cpu each.
    pub(super) fn pe_list(&mut self, mask: Option<Bits>) -> Result<(), Broken> {
        let Some(mask) = mask else {
            return if self.may_be_unbound() {
                Ok(())
            } else {
                Err(self.broken(Promise::Bound, Seen::Nothing, Seen::Some))
            };
        };
        if self.case.policy.bind == BindTo::Nothing {
            return Err(self.differs(Promise::Unbound, &mask, None));
        }
        match self.case.policy.ordered {
            Ordered::Yes => self.one_of_list(&mask),
            Ordered::No => self.free_of_list(&mask),
        }
    }

    /// Whether a list may begin again: in a second pass, or where cpus are shared.
    fn passes(&self) -> bool {
        self.case.policy.oversubscribe == Oversubscribe::Allowed
            || self.case.policy.overload == Overload::Allowed
    }

    fn one_of_list(&mut self, mask: &Bits) -> Result<(), Broken> {
        let pus = self.case.hardware.pus as usize;
        let count = self.case.list.len().max(1);
        let turn = |at: u32| {
            let cpu = self.case.list.get(at as usize % count);
            Bits::from_ranges(cpu.map_or(&[], |cpu| &cpu[..]), pus)
        };
        if self.passes() && turn(self.pass) != *mask && turn(0) == *mask {
            self.pass = 0;
        }
        let promised = turn(self.pass);
        if promised != *mask {
            return Err(self.differs(Promise::Cpus, mask, Some(&promised)));
        }
        self.pass += 1;
        self.consume(mask);
        Ok(())
    }

    fn free_of_list(&mut self, mask: &Bits) -> Result<(), Broken> {
        let whole = self.whole_list();
        let mut promised = self.listed_in(&self.pass_free);
        if promised.is_empty() && self.passes() {
            promised.clone_from(&whole);
        }
        if self.passes() && promised != *mask {
            let now = self.listed_in(self.free());
            if now == *mask || *mask == whole {
                self.pass = 0;
                self.pass_free = self.free().clone();
                promised = mask.clone();
            }
        }
        if promised != *mask {
            return Err(self.differs(Promise::Cpus, mask, Some(&promised)));
        }
        // The i-th consumes the i-th of the list, be it free or not.
        let case = self.case;
        let cpu = case.list.get(self.pass as usize % case.list.len().max(1));
        let consumed =
            Bits::from_ranges(cpu.map_or(&[], |cpu| &cpu[..]), case.hardware.pus as usize);
        self.pass += 1;
        self.consume(&consumed);
        Ok(())
    }

    /// The listed cpus that are wholly free: half a core is none.
    fn listed_in(&self, free: &Bits) -> Bits {
        let pus = self.case.hardware.pus as usize;
        let mut inside = Bits::empty(pus);
        for cpu in &self.case.list {
            if free.holds(&Bits::from_ranges(cpu, pus)) {
                inside.add(cpu);
            }
        }
        inside
    }

    fn whole_list(&self) -> Bits {
        let mut whole = Bits::empty(self.case.hardware.pus as usize);
        for cpu in &self.case.list {
            whole.add(cpu);
        }
        whole
    }
}

/// The cpus of a pe-list on this hardware: logical cores, or PUs. `None`: a cpu that the node lacks.
pub(super) fn list_cpus(
    hardware: Hardware<'_>,
    ranges: &[(u32, u32)],
    mode: CpuMode,
) -> Option<Vec<Ranges>> {
    let kind = match hardware.mode(mode) {
        CpuMode::Core => ObjKind::Core,
        CpuMode::Hwthread => ObjKind::Hwthread,
    };
    let total = hardware.total(kind);
    let known = ranges
        .iter()
        .all(|&(first, last)| first <= last && last < total);
    known.then(|| {
        let numbers = ranges.iter().flat_map(|&(first, last)| first..=last);
        numbers
            .filter_map(|at| hardware.object(kind, at))
            .map(|object| hardware.ranges(object).iter().copied().collect())
            .collect()
    })
}
