//! Lists of cpus: what a pe-list deals to each process of a node (`semantics` 4.7).

use super::fault::{Promise, Seen};
use super::hardware::{Bits, Hardware, Ranges};
use super::walk::{Broken, Case, Left, Walk};
use crate::policy::{BindTo, CpuMode, MapBy, ObjKind, Ordered, Overload, Oversubscribe};

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

impl Case<'_> {
    /// The cpus free behind a walk. Under OVERSUBSCRIBE equal masks do not tell where a pass began its list again, but what
    /// the first pass took says it nearly always: each process of it consumed its own cpu of the list, and a later pass no
    /// others once the list was used up (4.7).
    pub(super) fn left_by_list(&self, walked: Left) -> Left {
        let policy = self.policy;
        let in_passes = policy.map == MapBy::PeList
            && policy.ordered == Ordered::No
            && policy.oversubscribe == Oversubscribe::Allowed;
        let first = (self.procs > 0).then(|| self.pattern.place(0));
        let Some(mask) = first.and_then(|place| place.cpus).filter(|_| in_passes) else {
            return walked;
        };
        let pus = self.hardware.pus as usize;
        let sets: Vec<Bits> = self
            .list
            .iter()
            .map(|cpu| Bits::from_ranges(cpu, pus))
            .collect();
        let free = sets.iter().filter(|cpu| self.free.holds(cpu)).count();
        let procs = usize::try_from(self.procs).unwrap_or(usize::MAX);
        let given_up = free < sets.len() && {
            let listed: u64 = self
                .list
                .iter()
                .map(|cpu| Bits::from_ranges(cpu, pus).count(cpu))
                .sum();
            self.cpusets.get(mask).len() == listed
        };
        // With overload-allowed the first pass ends with the slots, which nobody wrote down; a default that the first pass
        // kept, on a node where listed cpus were taken, is given up in later ones, which begin anywhere.
        let told = policy.overload == Overload::Refused
            && (given_up || free == sets.len() || procs <= free);
        if !told && procs > 1 {
            return Left::Unknown;
        }
        let mut left = self.free.clone();
        for cpu in sets.iter().take(procs) {
            left.subtract(cpu);
        }
        Left::Free(left)
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
