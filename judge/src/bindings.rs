//! Bindings, dealt again by the text of `semantics` 7: which cpus a process gets, and which are consumed.
//!
//! `walk.rs` compares the result with the cpus of the plan (`Promise::Cpus`).

use super::bits::{Bits, Mask, Ranges};
use super::hardware::{Hardware, joined, meet, span};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use stowplan_engine::policy::{CpuMode, DeviceMap, ObjKind, Overload};
use stowplan_engine::table::topologies::ObjectId;

/// Binds the processes of one app on one node.
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
    by_device: bool,
    /// Processes are bound to the devices that they are mapped to.
    to_own_device: bool,
    /// Cpus may be shared, and some cpus lie in no target.
    beside: bool,
    /// How many processes of the app are bound to each target of the node. Shape `[targets]`.
    bound: Vec<u32>,
    /// The smallest of these counts, and how many targets have it.
    least: (u32, usize),
    /// The cpus that are still free.
    pub(super) free: Bits,
    /// The cpus that were free when the app started on the node.
    pub(super) snap: Bits,
    /// All cpus that may be used.
    allowed: Bits,
    /// Whether targets are single stretches that ascend. If so, the targets near an object are found by search.
    ascending: Ascending,
    /// Where the next search in each mapped object starts.
    places: Vec<Option<Reached>>,
    /// How often cpus were made to count as free again.
    refills: u32,
    /// The targets of each mapped object by load, as of the last look.
    loaded: HashMap<Row, BinaryHeap<Reverse<(u32, usize)>>>,
    /// The mask of each target by 7.8, once it is known.
    masks: Vec<Option<Mask>>,
    /// The cpu that the last process consumed whole; empty if it took only what was left of one.
    pub(super) took: Ranges,
}

/// The unit of a free cpu for a target: that of the mode, but PUs if PUs are the target.
fn unit(target: ObjKind, mode: CpuMode) -> CpuMode {
    if target == ObjKind::Hwthread {
        CpuMode::Hwthread
    } else {
        mode
    }
}

/// A mapped object by its row among the turns; `None`: the machine.
pub(super) type Row = Option<usize>;

/// Where a search stopped. Everything before is taken or at its limit, until cpus count as free again.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// A target, or an area.
    at: usize,
    /// A PU in it.
    pu: u32,
    /// How many refills there were before it.
    refills: u32,
}

/// Whether targets are single stretches that ascend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ascending {
    Yes,
    No,
}

/// How a binder is set up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub(super) mode: CpuMode,
    pub(super) target: ObjKind,
    pub(super) pe: u16,
    pub(super) overload: Overload,
    pub(super) limit: Option<u16>,
    /// The kind that processes are mapped to. If it is a GPU, targets are searched inside the cpus near it.
    pub(super) mapped: Option<ObjKind>,
    /// How the map goes over devices; each of them is its own target.
    pub(super) devices: Option<DeviceMap>,
}

impl<'t> Binder<'t> {
    /// `free`: the cpus that are free when the app starts on the node; `allowed`: all cpus that may be used there.
    pub(super) fn new(hardware: Hardware<'t>, binding: Binding, free: Bits, allowed: Bits) -> Self {
        let mut targets = hardware.targets(binding.target);
        if let Some(options) = binding.devices.filter(|_| binding.target.is_device()) {
            let groups = super::devices::groups(hardware, options, std::mem::take(&mut targets));
            targets = groups.into_iter().map(|(near, _)| near).collect();
        }
        let packages = hardware.targets(ObjKind::Package);
        let spans = targets.iter().map(|&target| hardware.ranges(target));
        let single = spans.clone().all(|ranges| ranges.len() == 1);
        let ascending = if single && spans.map(span).is_sorted_by(|a, b| a.1 <= b.0) {
            Ascending::Yes
        } else {
            Ascending::No
        };
        let beside = binding.overload == Overload::Allowed && binding.pe <= 1 && {
            let unit = unit(binding.target, binding.mode);
            let mut all = Bits::empty(hardware.pus as usize);
            all.add(&hardware.machine());
            let of = |&target: &ObjectId| hardware.count(hardware.ranges(target), &all, unit);
            targets.iter().map(of).sum::<u64>() < hardware.count(&hardware.machine(), &all, unit)
        };
        Self {
            ascending,
            places: Vec::new(),
            refills: 0,
            loaded: HashMap::new(),
            masks: vec![None; targets.len()],
            took: Ranges::new(),
            least: (0, targets.len()),
            hardware,
            mode: binding.mode,
            target: binding.target,
            bound: vec![0; targets.len()],
            targets,
            packages,
            pe: binding.pe,
            overload: binding.overload,
            limit: binding.limit,
            by_device: binding.mapped.is_some_and(ObjKind::is_device),
            to_own_device: binding.target.is_device() && binding.mapped == Some(binding.target),
            beside,
            snap: free.clone(),
            free,
            allowed,
        }
    }

    /// Whether there is no object of the target's kind, so that nothing can be bound (7.6).
    pub(super) fn no_target(&self) -> bool {
        self.pe <= 1 && self.targets.is_empty()
    }

    /// What the next process gets inside the mapped object of this row, or inside the machine without one. Consumes its cpus.
    /// With GPUs as target it gets the cpus near the GPU that it is mapped to.
    pub(super) fn next(&mut self, row: Row, object: Option<&[(u32, u32)]>) -> Option<Mask> {
        if self.pe > 1 {
            return self.several(row, object);
        }
        let machine = self.hardware.machine();
        let inside = object.unwrap_or(&machine);
        // The row is that of a target only if processes are mapped to the same devices; bytes may say any row.
        if let Some(at) = row.filter(|&at| self.to_own_device && at < self.targets.len())
            && object.is_some()
        {
            return self.near(at, inside);
        }
        if let Some(found) = self.search(row, inside) {
            return Some(found);
        }
        if self.overload == Overload::Refused {
            return None;
        }
        let free = self.hardware.first_cpu(inside, &self.free, self.unit(), 0);
        if free.is_none() {
            self.refill(inside);
            if let Some(found) = self.search(row, inside) {
                return Some(found);
            }
        }
        self.least_used(row, inside)
    }

    fn near(&mut self, row: usize, inside: &[(u32, u32)]) -> Option<Mask> {
        let shared = self.overload == Overload::Allowed;
        if self.is_full(row) && !shared {
            return None;
        }
        let one = |binder: &Self| {
            binder
                .hardware
                .first_cpu(inside, &binder.free, binder.mode, 0)
        };
        let mut cpu = one(self);
        if cpu.is_none() && shared {
            self.refill(inside);
            cpu = one(self);
        }
        // Under overload LIMIT does not refuse: the GPU takes the process even without a free cpu (7.7).
        let even_so = shared && self.limit.is_some() && self.allowed.first(inside).is_some();
        let cpu = cpu.or_else(|| even_so.then(Ranges::new))?;
        Some(self.give(row, &cpu))
    }

    /// Where the next search in an object starts: a target or an area, and a PU in it.
    fn going_on(&self, row: Row) -> Option<(usize, u32)> {
        let reached = self.places.get(row.map_or(0, |row| row + 1)).copied()?;
        reached
            .filter(|reached| reached.refills == self.refills)
            .map(|reached| (reached.at, reached.pu))
    }

    fn go_on_at(&mut self, row: Row, at: usize, pu: u32) {
        let refills = self.refills;
        let row = row.map_or(0, |row| row + 1);
        if self.places.len() <= row {
            self.places.resize(row + 1, None);
        }
        self.places[row] = Some(Reached { at, pu, refills });
    }

    fn is_full(&self, at: usize) -> bool {
        let limit = self.limit.map(u32::from);
        limit.is_some_and(|limit| self.bound[at] >= limit)
    }

    fn unit(&self) -> CpuMode {
        unit(self.target, self.mode)
    }

    /// The targets that may meet some PUs.
    fn targets_near(&self, inside: &[(u32, u32)]) -> std::ops::Range<usize> {
        if self.ascending == Ascending::No {
            return 0..self.targets.len();
        }
        let (low, high) = span(inside);
        let own = |&target: &ObjectId| span(self.hardware.ranges(target));
        // If all targets have equally many PUs, the position among the PUs gives the position among the targets.
        let likely = low as usize * self.targets.len() / self.hardware.pus.max(1) as usize;
        let likely_own = self.targets.get(likely).map_or((0, 0), own);
        if likely_own.0 <= low && low < high && high <= likely_own.1 {
            return likely..likely + 1;
        }
        let first = self.targets.partition_point(|target| own(target).1 <= low);
        let end = self.targets.partition_point(|target| own(target).0 < high);
        first..end.max(first)
    }

    /// 7.3: the first target with a free cpu inside that is below the limit.
    fn search(&mut self, row: Row, inside: &[(u32, u32)]) -> Option<Mask> {
        let near = self.targets_near(inside);
        let (start, from) = self.going_on(row).unwrap_or((near.start, 0));
        for at in start..near.end {
            let own = self.hardware.ranges(self.targets[at]);
            let area = meet(own, inside);
            if self.is_full(at) || self.by_device && area[..] != own[..] || area.is_empty() {
                continue;
            }
            let from = if at == start { from } else { 0 };
            if let Some(cpu) = self
                .hardware
                .first_cpu(&area, &self.free, self.unit(), from)
            {
                self.go_on_at(row, at, span(&cpu).0);
                return Some(self.give(at, &cpu));
            }
        }
        self.go_on_at(row, near.end, 0);
        None
    }

    /// Binds to a target and consumes a cpu; in core mode, the core around it.
    fn give(&mut self, at: usize, cpu: &[(u32, u32)]) -> Mask {
        self.bound[at] += 1;
        if self.bound[at] == self.least.0 + 1 {
            self.least.1 -= 1;
            if self.least.1 == 0 {
                let least = self.bound.iter().min().copied().unwrap_or(0);
                let targets = self.bound.iter().filter(|&&load| load == least);
                self.least = (least, targets.count());
            }
        }
        let consumed: Ranges = match self.mode {
            // The cpu is a core.
            CpuMode::Core if self.unit() == CpuMode::Core => cpu.iter().copied().collect(),
            CpuMode::Core => cpu
                .first()
                .map_or_else(Ranges::new, |&(pu, _)| self.hardware.core_around(pu)),
            CpuMode::Hwthread => cpu.iter().copied().collect(),
        };
        self.took.clear();
        if !cpu.is_empty() && self.free.has_all(&consumed) {
            self.took.extend_from_slice(&consumed);
        }
        self.free.remove(&consumed);
        self.mask(at)
    }

    /// 7.8: the target without the cpus that earlier apps consumed; if none are left, all of it that may be used.
    fn mask(&mut self, at: usize) -> Mask {
        if let Some(known) = &self.masks[at] {
            return known.clone();
        }
        let ranges = self.hardware.ranges(self.targets[at]);
        let mut mask = self.snap.part(ranges);
        if mask.is_empty() {
            mask = self.allowed.part(ranges);
        }
        self.masks[at] = Some(mask.clone());
        mask
    }

    /// 7.5: the cpus of the object count as free again.
    fn refill(&mut self, inside: &[(u32, u32)]) {
        let mut found = self.snap.part(inside);
        if found.is_empty() {
            found = self.allowed.part(inside);
        }
        self.free.add(&found);
        self.refills += 1;
    }

    /// Under overload LIMIT does not refuse: the least used target inside takes the next process (7.7). It also does if the cpus
    /// that are still free lie in no target (7.5).
    fn least_used(&mut self, row: Row, inside: &[(u32, u32)]) -> Option<Mask> {
        let beside = || {
            let cpu = self.hardware.first_cpu(inside, &self.free, self.unit(), 0);
            self.beside && cpu.is_some()
        };
        if self.limit.is_none() && !beside() {
            return None;
        }
        if !self.loaded.contains_key(&row) {
            let near = self.targets_near(inside).filter(|&at| {
                let area = meet(self.hardware.ranges(self.targets[at]), inside);
                self.allowed.first(&area).is_some()
            });
            let loads = near.map(|at| Reverse((self.bound[at], at))).collect();
            self.loaded.insert(row, loads);
        }
        let loads = self.loaded.get_mut(&row)?;
        let at = loop {
            let mut top = loads.peek_mut()?;
            let Reverse((load, at)) = *top;
            let now = self.bound[at];
            if now == load {
                break at;
            }
            *top = Reverse((now, at));
        };
        let area = meet(self.hardware.ranges(self.targets[at]), inside);
        let cpu = self.hardware.first_cpu(&area, &self.free, self.unit(), 0);
        Some(self.give(at, &cpu.unwrap_or_default()))
    }

    /// 7.2: the first PE free cpus of the object; without an object, of the first package that has as many.
    fn several(&mut self, row: Row, object: Option<&[(u32, u32)]>) -> Option<Mask> {
        let found = self.several_in(row, object);
        if found.is_some() || self.overload == Overload::Refused {
            return found;
        }
        let machine = self.hardware.machine();
        self.refill(object.unwrap_or(&machine));
        self.several_in(row, object)
    }

    fn several_in(&mut self, row: Row, object: Option<&[(u32, u32)]>) -> Option<Mask> {
        let machine = self.hardware.machine();
        let pe = usize::from(self.pe);
        let areas = if object.is_some() || self.packages.is_empty() {
            1
        } else {
            self.packages.len()
        };
        let (start, from) = self.going_on(row).unwrap_or((0, 0));
        for at in start..areas {
            let area = match (object, self.packages.get(at)) {
                (Some(object), _) => object,
                (None, Some(&package)) => self.hardware.ranges(package),
                (None, None) => &machine,
            };
            let from = if at == start { from } else { 0 };
            let mut cpus = Vec::new();
            let mut next = from;
            while cpus.len() < pe
                && let Some(cpu) = self.hardware.first_cpu(area, &self.free, self.mode, next)
            {
                // Taken for now, so that the next search finds another cpu whatever the order of cores.
                self.free.remove(&cpu);
                next = next.max(span(&cpu).0);
                cpus.push(cpu);
            }
            if cpus.len() == pe {
                self.took.clone_from(&cpus[0]);
                self.go_on_at(row, at, next);
                let mut stretches: Vec<(u32, u32)> = cpus.into_iter().flatten().collect();
                stretches.sort_unstable();
                return Some(joined(stretches.into_iter()));
            }
            cpus.iter().for_each(|cpu| self.free.add(cpu));
        }
        self.go_on_at(row, areas, 0);
        None
    }

    /// Consumes exactly the cpus that an entry names.
    pub(super) fn exact(&mut self, mask: &[(u32, u32)]) {
        self.free.remove(mask);
    }

    /// Whether the loads of the targets decide where a process goes.
    fn counts_loads(&self) -> bool {
        self.limit.is_some() || self.beside
    }

    /// Whether a search inside an object is sure to find a cpu now. A quick look: `false` leaves it open.
    pub(super) fn would_find(&self, object: Option<&[(u32, u32)]>) -> bool {
        let machine = self.hardware.machine();
        let inside = object.unwrap_or(&machine);
        self.pe <= 1
            && self.limit.is_none()
            && self.targets_near(inside).take(8).any(|at| {
                let area = meet(self.hardware.ranges(self.targets[at]), inside);
                let cpu = self.hardware.first_cpu(&area, &self.free, self.unit(), 0);
                !self.by_device && cpu.is_some()
            })
    }

    /// The loads of the targets, each less the smallest one. Two moments of an overloaded node are alike only if these are equal.
    pub(super) fn loads(&self) -> Vec<u32> {
        if !self.counts_loads() {
            return Vec::new();
        }
        self.bound.iter().map(|load| load - self.least.0).collect()
    }
}
