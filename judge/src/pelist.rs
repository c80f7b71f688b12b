//! Lists of cpus: what a pe-list deals to each process of a node (`semantics` 4.7).

use super::bits::{Bits, Mask, Ranges};
use super::fault::{Broken, Promise, Seen};
use super::hardware::{Hardware, joined};
use super::walk::{Case, Left, Passes, Walk};
use stowplan_engine::policy::{
    BindStrength, BindTo, CpuMode, MapBy, ObjKind, Ordered, Overload, Oversubscribe,
};

impl Walk<'_, '_> {
    /// 4.7: all processes of a pass get the free part of the list. With ORDERED each gets one listed cpu.
    pub(super) fn pe_list(&mut self, mask: Option<Mask>) -> Result<(), Broken> {
        if self.case.passes != Passes::Untold {
            return self.told_list(mask);
        }
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

    /// The same, if the plan records when each pass began.
    fn told_list(&mut self, mask: Option<Mask>) -> Result<(), Broken> {
        let promised = self.promised_of_list();
        if promised != mask {
            return Err(match mask {
                Some(mask) => self.differs(Promise::Cpus, &mask, promised.as_ref()),
                None => self.broken(Promise::Bound, Seen::Nothing, Seen::Some),
            });
        }
        if promised.is_some() {
            // The i-th process consumes the i-th cpu of the list, whether it is free or not.
            let consumed = self.list_cpu(self.pass);
            self.consume(&consumed);
        }
        self.pass = self.pass.saturating_add(1);
        Ok(())
    }

    /// The cpus of the next process; `None`: it is unbound.
    fn promised_of_list(&mut self) -> Option<Mask> {
        let given_up = self.list_given_up();
        let behind = self.pass as usize >= self.case.list.len();
        if self.case.policy.bind == BindTo::Nothing || given_up && behind {
            return None;
        }
        if self.case.policy.ordered == Ordered::Yes {
            return Some(self.list_cpu(self.pass));
        }
        if self.pass_mask.is_none() {
            let free = self.listed_in(&self.pass_free);
            let shared = self.case.policy.overload == Overload::Allowed && free.is_empty();
            let whole = given_up || shared;
            self.pass_mask = Some(if whole { self.whole_list() } else { free });
        }
        self.pass_mask.clone()
    }

    /// Whether this pass has given up a default binding. Then the whole list serves, and processes beyond its length are unbound.
    fn list_given_up(&self) -> bool {
        let policy = self.case.policy;
        let may = policy.strength == BindStrength::Default
            && policy.oversubscribe == Oversubscribe::Allowed;
        may && self.ended > 0
    }

    /// The part of a moment that the list has: the position in it.
    pub(super) fn place_in_list(&self) -> u32 {
        if matches!(self.case.policy.map, MapBy::Mpibind(_)) {
            // What mpibind deals never repeats.
            return self.local;
        }
        let list = u32::try_from(self.case.list.len()).unwrap_or(u32::MAX);
        if self.case.passes != Passes::Untold && self.list_given_up() {
            self.pass.min(list)
        } else {
            self.pass % list.max(1)
        }
    }

    /// Whether a pass may begin before the list is used up.
    fn may_begin_again(&self) -> bool {
        self.case.policy.oversubscribe == Oversubscribe::Allowed
    }

    /// Whether a list may start over: in a second pass, or if cpus may be shared.
    fn passes(&self) -> bool {
        self.case.policy.oversubscribe == Oversubscribe::Allowed
            || self.case.policy.overload == Overload::Allowed
    }

    fn one_of_list(&mut self, mask: &Mask) -> Result<(), Broken> {
        if self.may_begin_again() && self.list_cpu(self.pass) != *mask && self.list_cpu(0) == *mask
        {
            self.pass = 0;
        }
        let promised = self.list_cpu(self.pass);
        if promised != *mask {
            return Err(self.differs(Promise::Cpus, mask, Some(&promised)));
        }
        self.pass += 1;
        self.consume(mask);
        Ok(())
    }

    /// Begins a later pass with the cpus that are free now.
    pub(super) fn begin_pass(&mut self) {
        self.pass = 0;
        self.pass_free = self.free().clone();
        self.pass_mask = None;
    }

    /// The cpu of the list that a process of a pass consumes.
    fn list_cpu(&self, at: u32) -> Mask {
        let count = self.case.list.len().max(1);
        let cpu = self.case.list.get(at as usize % count);
        joined(cpu.into_iter().flatten().copied())
    }

    fn free_of_list(&mut self, mask: &Mask) -> Result<(), Broken> {
        let promised = match &self.pass_mask {
            Some(known) => known.clone(),
            None => {
                let mut promised = self.listed_in(&self.pass_free);
                if promised.is_empty() && self.passes() {
                    promised = self.whole_list();
                }
                promised
            }
        };
        self.pass_mask = Some(promised.clone());
        if promised != *mask {
            let now = self.listed_in(self.free());
            let gives_up = self.case.policy.strength == BindStrength::Default;
            let whole = gives_up || now.is_empty();
            let again =
                self.may_begin_again() && (now == *mask || whole && *mask == self.whole_list());
            if !again {
                return Err(self.differs(Promise::Cpus, mask, Some(&promised)));
            }
            self.begin_pass();
            self.pass_mask = Some(mask.clone());
        }
        // The i-th process consumes the i-th cpu of the list, whether it is free or not.
        let consumed = self.list_cpu(self.pass);
        self.pass += 1;
        self.consume(&consumed);
        Ok(())
    }

    /// The listed cpus that are wholly free; a core that is free in part does not count.
    fn listed_in(&self, free: &Bits) -> Mask {
        let inside = self.case.list.iter().filter(|cpu| free.has_all(cpu));
        gathered(inside)
    }

    fn whole_list(&self) -> Mask {
        gathered(self.case.list.iter())
    }
}

fn gathered<'l>(cpus: impl Iterator<Item = &'l Ranges>) -> Mask {
    let mut stretches: Vec<(u32, u32)> = cpus.flatten().copied().collect();
    stretches.sort_unstable();
    joined(stretches.into_iter())
}

impl Case<'_> {
    /// The cpus that are free after a walk. Under OVERSUBSCRIBE equal masks do not tell where a pass started the list over. What
    /// the first pass took tells nearly always: each of its processes consumed its own cpu of the list, and once the list is
    /// used up, later passes consume no other cpus (4.7).
    pub(super) fn left_by_list(&self, walked: Left) -> Left {
        let policy = self.policy;
        let in_passes = policy.map == MapBy::PeList
            && policy.ordered == Ordered::No
            && policy.oversubscribe == Oversubscribe::Allowed
            && self.passes == Passes::Untold;
        let first = (self.procs > 0).then(|| self.pattern.place(0));
        let Some(mask) = first.and_then(|place| place.cpus).filter(|_| in_passes) else {
            return walked;
        };
        let sets = &self.list;
        let free = sets.iter().filter(|cpu| self.free.has_all(cpu)).count();
        let procs = usize::try_from(self.procs).unwrap_or(usize::MAX);
        let given_up = free < sets.len() && {
            let listed: u64 = sets
                .iter()
                .flatten()
                .map(|&(first, end)| u64::from(end - first))
                .sum();
            self.cpusets.get(mask).len() == listed
        };
        // With overload-allowed the first pass ends with the slots, which the plan does not record. If listed cpus were taken
        // on the node and the first pass kept its default binding, later passes give it up, and they may begin anywhere.
        let told = policy.overload == Overload::Refused
            && (given_up || free == sets.len() || procs <= free);
        if !told && procs > 1 {
            return Left::Unknown;
        }
        let mut left = self.free.clone();
        for cpu in sets.iter().take(procs) {
            left.remove(cpu);
        }
        Left::Free(left)
    }
}

/// The cpus of a pe-list on this hardware: logical cores, or PUs. `None` if the node lacks one of them.
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
