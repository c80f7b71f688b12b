//! A topology as the judge reads it: objects as ranges of logical PUs, sets of PUs as bits.

use super::bits::{Bits, Mask, Ranges};
use std::sync::Arc;
use stowplan_engine::policy::{CpuMode, ObjKind};
use stowplan_engine::table::topologies::{ObjectId, Topologies, TopologyId};

/// The PUs of a topology as (OS number, logical number), ascending.
pub(super) type OsIndex = Arc<[(u32, u32)]>;

/// Whether the cores of a topology are in the order of their PUs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sorted(bool);

/// One topology, with the objects of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hardware<'t> {
    topologies: &'t Topologies,
    pub(super) topology: TopologyId,
    pub(super) pus: u32,
    /// Whether cores are in the order of their PUs, as in every tree. If so, the cores near a PU are found by search.
    sorted: bool,
}

impl<'t> Hardware<'t> {
    pub(super) fn new(topologies: &'t Topologies, topology: TopologyId) -> Self {
        Self::known(topologies, topology, Self::is_sorted(topologies, topology))
    }
    /// Whether the cores of a topology are in the order of their PUs. Cost: the cores.
    pub(super) fn is_sorted(topologies: &Topologies, topology: TopologyId) -> Sorted {
        let cores = topologies.objects(topology, ObjKind::Core);
        let spans = cores.map(|core| span(topologies.ranges(core)));
        Sorted(spans.is_sorted_by(|a, b| a.1 <= b.0))
    }
    /// The same, when the order of the cores is known.
    pub(super) fn known(topologies: &'t Topologies, topology: TopologyId, sorted: Sorted) -> Self {
        let pus = topologies.count(topology, ObjKind::Hwthread);
        let Sorted(sorted) = sorted;
        Self {
            topologies,
            topology,
            pus,
            sorted,
        }
    }
    /// The whole machine.
    pub(super) const fn machine(&self) -> [(u32, u32); 1] {
        [(0, self.pus)]
    }
    pub(super) fn ranges(&self, object: ObjectId) -> &'t [(u32, u32)] {
        self.topologies.ranges(object)
    }
    /// The object of a kind with this logical index.
    pub(super) fn object(&self, kind: ObjKind, logical: u32) -> Option<ObjectId> {
        self.topologies.object(self.topology, kind, logical)
    }
    /// PUs of the core with this logical index.
    fn core(&self, logical: u32) -> &'t [(u32, u32)] {
        self.object(ObjKind::Core, logical)
            .map_or(&[], |core| self.ranges(core))
    }
    pub(super) fn logical(&self, object: ObjectId) -> u32 {
        self.topologies.logical(self.topology, object)
    }
    /// Objects that processes may be mapped and bound to. NUMA nodes: by OS number, all before the first that overlaps an earlier
    /// one (`semantics` 1.1).
    pub(super) fn targets(&self, kind: ObjKind) -> Vec<ObjectId> {
        match kind {
            ObjKind::Numa => self.topologies.domains(self.topology).to_vec(),
            ObjKind::Machine
            | ObjKind::Package
            | ObjKind::Die
            | ObjKind::L5
            | ObjKind::L4
            | ObjKind::L3
            | ObjKind::L2
            | ObjKind::L1
            | ObjKind::Core
            | ObjKind::Hwthread
            | ObjKind::Gpu
            | ObjKind::Device => self.topologies.objects(self.topology, kind).collect(),
        }
    }
    pub(super) fn has_cores(&self) -> bool {
        self.topologies.count(self.topology, ObjKind::Core) > 0
    }
    /// A topology without cores is always in hwthread mode.
    pub(super) fn mode(&self, asked: CpuMode) -> CpuMode {
        if self.has_cores() {
            asked
        } else {
            CpuMode::Hwthread
        }
    }
    /// In a topology without cores, hwthreads serve as cores, for mapping and as bind target.
    pub(super) fn kind(&self, asked: ObjKind) -> ObjKind {
        if asked == ObjKind::Core && !self.has_cores() {
            ObjKind::Hwthread
        } else {
            asked
        }
    }
    /// Cores that overlap these PUs, in logical order.
    fn cores_near(
        &self,
        ranges: &[(u32, u32)],
    ) -> impl Iterator<Item = &'t [(u32, u32)]> + use<'t> {
        let (low, high) = span(ranges);
        let (mut first, mut end) = (0, self.topologies.count(self.topology, ObjKind::Core));
        if let Some(core) = self.likely_core(low).filter(|_| self.sorted)
            && high <= span(self.core(core)).1
        {
            (first, end) = (core, core + 1);
        } else if self.sorted {
            let below = |edge: u32, reach: fn(&[(u32, u32)]) -> u32| {
                let (mut low, mut high) = (0, end);
                while low < high {
                    let middle = low.midpoint(high);
                    if reach(self.core(middle)) <= edge {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                low
            };
            (first, end) = (
                below(low, |core| span(core).1),
                below(high.saturating_sub(1), |core| span(core).0),
            );
        }
        let this = *self;
        (first..end)
            .map(move |core| this.core(core))
            .filter(move |core| span(core).0 < high && span(core).1 > low)
    }
    /// The core that a PU is part of.
    fn core_of(&self, pu: u32) -> Option<&'t [(u32, u32)]> {
        let likely = self.likely_core(pu).map(|core| self.core(core));
        likely.or_else(|| {
            self.cores_near(&[(pu, pu + 1)])
                .find(|core| holds(core, pu))
        })
    }
    /// The same if cores have equally many PUs: the position among the PUs gives the position among the cores.
    fn likely_core(&self, pu: u32) -> Option<u32> {
        let cores = u64::from(self.topologies.count(self.topology, ObjKind::Core));
        let likely = u64::from(pu) * cores / u64::from(self.pus.max(1));
        let likely = u32::try_from(likely).ok()?;
        holds(self.core(likely), pu).then_some(likely)
    }
    /// The core that a PU is part of; without one, the PU.
    pub(super) fn core_around(&self, pu: u32) -> Ranges {
        let core = self.core_of(pu);
        core.map_or_else(|| Ranges::from_slice(&[(pu, pu + 1)]), Ranges::from_slice)
    }
    /// The first wholly free cpu of the mode inside the ranges, searched from a PU on.
    pub(super) fn first_cpu(
        &self,
        ranges: &[(u32, u32)],
        free: &Bits,
        mode: CpuMode,
        from: u32,
    ) -> Option<Ranges> {
        if mode == CpuMode::Core && !self.sorted {
            return self.some_cpus(ranges, free, mode, 1).pop();
        }
        for &(first, end) in ranges {
            let mut at = first.max(from);
            while at < end
                && let Some(pu) = free.first(&[(at, end)])
            {
                if mode == CpuMode::Hwthread {
                    return Some(Ranges::from_slice(&[(pu, pu + 1)]));
                }
                let Some(core) = self.core_of(pu) else {
                    at = pu + 1;
                    continue;
                };
                if inside(core, ranges) && free.has_all(core) {
                    return Some(Ranges::from_slice(core));
                }
                let around = core.iter().find(|&&(first, end)| first <= pu && pu < end);
                at = around.map_or(pu + 1, |stretch| stretch.1);
            }
        }
        None
    }
    /// The first `most` wholly free cpus of the mode inside the ranges, in logical order.
    pub(super) fn some_cpus(
        &self,
        ranges: &[(u32, u32)],
        free: &Bits,
        mode: CpuMode,
        most: usize,
    ) -> Vec<Ranges> {
        let mut found: Vec<Ranges> = Vec::new();
        self.each_cpu(ranges, free, mode, |cpu| {
            found.push(cpu.iter().copied().collect());
            found.len() < most
        });
        found
    }
    /// How many wholly free cpus of the mode there are inside the ranges.
    pub(super) fn count(&self, ranges: &[(u32, u32)], free: &Bits, mode: CpuMode) -> u64 {
        let mut count = 0;
        match mode {
            CpuMode::Hwthread => count = free.count(ranges),
            CpuMode::Core => self.each_cpu(ranges, free, mode, |_| {
                count += 1;
                true
            }),
        }
        count
    }
    fn each_cpu(
        &self,
        ranges: &[(u32, u32)],
        free: &Bits,
        mode: CpuMode,
        mut see: impl FnMut(&[(u32, u32)]) -> bool,
    ) {
        match mode {
            CpuMode::Core => {
                for core in self.cores_near(ranges) {
                    if inside(core, ranges) && free.has_all(core) && !core.is_empty() && !see(core)
                    {
                        return;
                    }
                }
            }
            CpuMode::Hwthread => {
                for &(first, end) in ranges {
                    let mut from = first;
                    while let Some(pu) = free.first(&[(from, end)]) {
                        if !see(&[(pu, pu + 1)]) {
                            return;
                        }
                        from = pu + 1;
                    }
                }
            }
        }
    }
    /// A set of OS numbers by logical PU; `None` if the topology lacks one of them.
    pub(super) fn logical_bits(&self, set: &roaring::RoaringBitmap) -> Option<Bits> {
        let numbers = self.topologies.pus_os(self.topology);
        let mut bits = Bits::empty(numbers.len());
        let mut found = 0;
        for (logical, &os) in (0..).zip(numbers) {
            if set.contains(os) {
                bits.set(logical);
                found += 1;
            }
        }
        (found == set.len()).then_some(bits)
    }
    /// The PUs of the topology by OS number. Cost: sorting them.
    pub(super) fn os_index(&self) -> OsIndex {
        let numbers = self.topologies.pus_os(self.topology).iter().copied();
        let mut index: Vec<(u32, u32)> = numbers.zip(0..).collect();
        index.sort_unstable();
        index.into()
    }
    /// The OS numbers of the PUs of a mask.
    pub(super) fn os_of(&self, mask: &[(u32, u32)]) -> roaring::RoaringBitmap {
        let numbers = self.topologies.pus_os(self.topology);
        let pus = mask.iter().flat_map(|&(first, end)| first..end);
        pus.map(|pu| numbers[pu as usize]).collect()
    }
    /// The OS numbers of some PUs.
    pub(super) fn os(&self, bits: &Bits) -> roaring::RoaringBitmap {
        let numbers = self.topologies.pus_os(self.topology);
        bits.ones().map(|pu| numbers[pu]).collect()
    }
    /// How many objects of a kind there are, including memory that is no target.
    pub(super) fn total(&self, kind: ObjKind) -> u32 {
        self.topologies.count(self.topology, kind)
    }
    pub(super) fn tables(&self) -> &'t Topologies {
        self.topologies
    }
}

/// A set of OS numbers by logical PU; `None` if the topology lacks one of them. Cost: the set.
pub(super) fn logical_mask(index: &OsIndex, set: &roaring::RoaringBitmap) -> Option<Mask> {
    let logical = |os: u32| {
        let row = index.binary_search_by_key(&os, |&(os, _)| os).ok()?;
        Some(index[row].1)
    };
    // Most sets have one cpu.
    if let (1, Some(os)) = (set.len(), set.min()) {
        let pu = logical(os)?;
        return Some(Mask::One([(pu, pu + 1)]));
    }
    let mut pus = set.iter().map(logical).collect::<Option<Vec<u32>>>()?;
    pus.sort_unstable();
    Some(joined(pus.into_iter().map(|pu| (pu, pu + 1))))
}

/// Ascending stretches; stretches that touch are joined.
pub(super) fn joined(stretches: impl Iterator<Item = (u32, u32)>) -> Mask {
    let mut mask = Ranges::new();
    for (first, end) in stretches {
        match mask.last_mut() {
            Some(last) if last.1 >= first => last.1 = last.1.max(end),
            Some(_) | None => mask.push((first, end)),
        }
    }
    Mask::from(mask.as_slice())
}

/// Whether a PU is part of an object.
fn holds(object: &[(u32, u32)], pu: u32) -> bool {
    object.iter().any(|&(first, end)| first <= pu && pu < end)
}

/// The first PU, and the one after the last.
pub(super) fn span(ranges: &[(u32, u32)]) -> (u32, u32) {
    match (ranges.first(), ranges.last()) {
        (Some(&(low, _)), Some(&(_, high))) => (low, high),
        _ => (0, 0),
    }
}

/// Whether all of `part` lies in `whole`.
pub(super) fn inside(part: &[(u32, u32)], whole: &[(u32, u32)]) -> bool {
    part.iter().all(|&(first, end)| {
        let at = whole.partition_point(|&(_, stop)| stop <= first);
        whole
            .get(at)
            .is_some_and(|&(start, stop)| start <= first && end <= stop)
    })
}

/// The PUs that are in both.
pub(super) fn meet(a: &[(u32, u32)], b: &[(u32, u32)]) -> Ranges {
    let (mut i, mut j) = (0, 0);
    let mut both = Ranges::new();
    while let (Some(&(a0, a1)), Some(&(b0, b1))) = (a.get(i), b.get(j)) {
        let (low, high) = (a0.max(b0), a1.min(b1));
        if low < high {
            both.push((low, high));
        }
        if a1 <= b1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    both
}

/// Row of an object or PU, as a number of 32 bits.
pub(super) fn number(row: usize) -> u32 {
    u32::try_from(row).expect("limit.rs keeps tables below 2^32 rows")
}
