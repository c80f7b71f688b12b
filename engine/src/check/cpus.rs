//! Bindings, dealt again from the words of `semantics` 7: which cpus a process gets, and which are consumed.

use super::hardware::{Bits, Hardware, Ranges, meet};
use crate::policy::{CpuMode, ObjKind, Overload};
use crate::table::topologies::ObjectId;

/// What the binder works on: one node, one app.
#[derive(Clone, Debug)]
pub(super) struct Binder<'t> {
    hardware: Hardware<'t>,
    mode: CpuMode,
    target: ObjKind,
    targets: Vec<ObjectId>,
    packages: Vec<ObjectId>,
    pe: u16,
    overload: Overload,
    limit: Option<u16>,
    by_gpu: bool,
    /// Processes of the app bound to each target here. Shape `[targets]`.
    bound: Vec<u32>,
    /// Cpus that nobody consumed.
    pub(super) free: Bits,
    /// As the app found them.
    pub(super) snap: Bits,
    /// All that may be used.
    allowed: Bits,
}

/// How a binder is set up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub(super) mode: CpuMode,
    pub(super) target: ObjKind,
    pub(super) pe: u16,
    pub(super) overload: Overload,
    pub(super) limit: Option<u16>,
    /// The kind that processes are mapped to: targets are looked for inside the cpus near a GPU.
    pub(super) mapped: Option<ObjKind>,
}

impl<'t> Binder<'t> {
    /// `free`: as the app finds the node; `allowed`: all that may be used there.
    pub(super) fn new(hardware: Hardware<'t>, binding: Binding, free: Bits, allowed: Bits) -> Self {
        let targets = hardware.targets(binding.target);
        let packages = hardware.targets(ObjKind::Package);
        Self {
            hardware,
            mode: binding.mode,
            target: binding.target,
            bound: vec![0; targets.len()],
            targets,
            packages,
            pe: binding.pe,
            overload: binding.overload,
            limit: binding.limit,
            by_gpu: binding.mapped == Some(ObjKind::Gpu),
            snap: free.clone(),
            free,
            allowed,
        }
    }

    /// No object of the target's kind: nothing can be bound (7.6).
    pub(super) fn no_target(&self) -> bool {
        self.pe <= 1 && self.targets.is_empty()
    }

    /// The same for the process on the mapped object of this row: by GPU, the cpus near that very one.
    pub(super) fn next_on(
        &mut self,
        row: Option<usize>,
        object: Option<&[(u32, u32)]>,
    ) -> Option<Bits> {
        let (Some(row), Some(inside), ObjKind::Gpu, 0..=1) = (row, object, self.target, self.pe)
        else {
            return self.next(object);
        };
        let shared = self.overload == Overload::Allowed;
        let full = self
            .limit
            .is_some_and(|limit| self.bound[row] >= u32::from(limit));
        if full && !shared {
            return None;
        }
        let one = |binder: &Self| {
            let cpus = binder
                .hardware
                .some_cpus(inside, &binder.free, binder.mode, 1);
            cpus.into_iter().next_back()
        };
        let mut cpu = one(self);
        if cpu.is_none() && shared {
            self.refill(inside);
            cpu = one(self);
        }
        let cpu = cpu?;
        Some(self.give(row, &cpu))
    }

    /// What the next process gets inside `object` (the machine, if it has none); its cpus are then consumed.
    pub(super) fn next(&mut self, object: Option<&[(u32, u32)]>) -> Option<Bits> {
        if self.pe > 1 {
            return self.several(object);
        }
        let machine = self.hardware.machine();
        let inside = object.unwrap_or(&machine);
        if let Some(found) = self.search(inside) {
            return Some(found);
        }
        if self.overload == Overload::Refused {
            return None;
        }
        if self
            .hardware
            .some_cpus(inside, &self.free, self.unit(), 1)
            .is_empty()
        {
            self.refill(inside);
            if let Some(found) = self.search(inside) {
                return Some(found);
            }
        }
        self.least_used(inside)
    }

    /// What counts as a free cpu in the search: PUs also where PUs are the target.
    fn unit(&self) -> CpuMode {
        if self.target == ObjKind::Hwthread {
            CpuMode::Hwthread
        } else {
            self.mode
        }
    }

    /// 7.3: the first object of the kind with a free cpu inside, below the limit.
    fn search(&mut self, inside: &[(u32, u32)]) -> Option<Bits> {
        for at in 0..self.targets.len() {
            let full = self
                .limit
                .is_some_and(|limit| self.bound[at] >= u32::from(limit));
            if full {
                continue;
            }
            let own = self.hardware.ranges(self.targets[at]);
            let area = meet(own, inside);
            if self.by_gpu && area[..] != own[..] {
                continue;
            }
            if area.is_empty() {
                continue;
            }
            if let Some(cpu) = self
                .hardware
                .some_cpus(&area, &self.free, self.unit(), 1)
                .pop()
            {
                return Some(self.give(at, &cpu));
            }
        }
        None
    }

    /// Binds to a target and consumes a cpu: in core mode the core around it.
    fn give(&mut self, at: usize, cpu: &[(u32, u32)]) -> Bits {
        self.bound[at] += 1;
        let consumed: Ranges = match self.mode {
            CpuMode::Core => cpu
                .first()
                .map_or_else(Ranges::new, |&(pu, _)| self.hardware.core_around(pu)),
            CpuMode::Hwthread => cpu.iter().copied().collect(),
        };
        self.free.remove(&consumed);
        self.mask(self.targets[at])
    }

    /// 7.8: the target less what earlier apps consumed; all of it, where that leaves nothing.
    fn mask(&self, target: ObjectId) -> Bits {
        let ranges = self.hardware.ranges(target);
        let mask = self.snap.within(ranges);
        if mask.is_empty() {
            self.allowed.within(ranges)
        } else {
            mask
        }
    }

    /// 7.5: the cpus of the object count as free again.
    fn refill(&mut self, inside: &[(u32, u32)]) {
        let found = self.snap.within(inside);
        if found.is_empty() {
            self.free.join(&self.allowed.within(inside));
        } else {
            self.free.join(&found);
        }
    }

    /// 7.7: under overload a limit is none; the least used target inside takes the next.
    fn least_used(&mut self, inside: &[(u32, u32)]) -> Option<Bits> {
        self.limit?;
        let near = (0..self.targets.len()).filter(|&at| {
            let area = meet(self.hardware.ranges(self.targets[at]), inside);
            !self.allowed.within(&area).is_empty()
        });
        let at = near.min_by_key(|&at| (self.bound[at], at))?;
        let area = meet(self.hardware.ranges(self.targets[at]), inside);
        let cpu = self
            .hardware
            .some_cpus(&area, &self.free, self.unit(), 1)
            .pop();
        Some(self.give(at, &cpu.unwrap_or_default()))
    }

    /// 7.2: the first PE cpus of the object, or, without one, of the first package that has as many.
    fn several(&mut self, object: Option<&[(u32, u32)]>) -> Option<Bits> {
        let machine = self.hardware.machine();
        let inside = object.unwrap_or(&machine);
        let areas: Vec<Ranges> = if object.is_some() || self.packages.is_empty() {
            vec![inside.iter().copied().collect()]
        } else {
            let packages = self.packages.iter();
            packages
                .map(|&package| self.hardware.ranges(package).iter().copied().collect())
                .collect()
        };
        let found = self.several_in(&areas);
        if found.is_some() || self.overload == Overload::Refused {
            return found;
        }
        self.refill(inside);
        self.several_in(&areas)
    }

    fn several_in(&mut self, areas: &[Ranges]) -> Option<Bits> {
        let pe = usize::from(self.pe);
        for area in areas {
            let cpus = self.hardware.some_cpus(area, &self.free, self.mode, pe);
            if cpus.len() == pe {
                let mut mask = Bits::empty(self.hardware.pus as usize);
                for cpu in &cpus {
                    mask.add(cpu);
                    self.free.remove(cpu);
                }
                return Some(mask);
            }
        }
        None
    }

    /// Exact cpus, as an entry wrote them: consumed whole.
    pub(super) fn exact(&mut self, mask: &Bits) {
        self.free.subtract(mask);
    }

    /// Loads of the targets over the least of them: what makes two moments of an overloaded node alike.
    pub(super) fn loads(&self) -> Vec<u32> {
        if self.limit.is_none() {
            return Vec::new();
        }
        let least = self.bound.iter().min().copied().unwrap_or(0);
        self.bound.iter().map(|load| load - least).collect()
    }
}
