//! A topology as OpenMP runtimes see it: for each cpu its package, NUMA node, caches and core.

use roaring::RoaringBitmap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{ObjectId, Topologies, TopologyId, Vendor};

/// Numbers of caches, by level.
pub(super) const CACHES: [ObjKind; 3] = [ObjKind::L1, ObjKind::L2, ObjKind::L3];

/// A hardware thread, and the objects that it is in; numbers are logical.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cpu {
    pub(super) os: u32,
    pub(super) package: u32,
    pub(super) numa: u32,
    /// L1, L2, L3.
    pub(super) caches: [Option<u32>; 3],
    pub(super) core: u32,
}

/// A machine, in the order of its packages and cores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// In the order in which LLVM sorts: by package, core, thread.
    pub(super) cpus: Vec<Cpu>,
    pub(super) vendor: Vendor,
    /// Shape `[OS number + 1]`: the position among `cpus`.
    by_os: Vec<Option<u32>>,
    all: RoaringBitmap,
    /// NUMA nodes in the order of their OS numbers, with their cpus.
    pub(super) numa: Vec<RoaringBitmap>,
}

impl Machine {
    /// Reads a topology. Cost: its objects and PUs.
    #[must_use]
    pub fn new(topologies: &Topologies, cpusets: &Cpusets, topology: TopologyId) -> Self {
        let os = topologies.pus_os(topology);
        let of = |kind: ObjKind| objects(topologies, topology, kind, os.len());
        let (packages, cores) = (of(ObjKind::Package), of(ObjKind::Core));
        let caches = CACHES.map(of);
        let mut numa: Vec<ObjectId> = topologies.domains(topology).to_vec();
        numa.sort_by_key(|&node| (topologies.os(node), node));
        let nodes = covered(topologies, numa.iter().copied(), os.len());
        let own_core = |pu: usize| topologies.count(topology, ObjKind::Core) as usize + pu;
        let mut cpus: Vec<Cpu> = Vec::with_capacity(os.len());
        for (pu, &os) in os.iter().enumerate() {
            let alone = u32::try_from(own_core(pu)).unwrap_or(u32::MAX);
            cpus.push(Cpu {
                os,
                package: packages[pu].unwrap_or(u32::MAX),
                numa: nodes[pu].unwrap_or(u32::MAX),
                caches: [caches[0][pu], caches[1][pu], caches[2][pu]],
                core: cores[pu].unwrap_or(alone),
            });
        }
        // Stable: hardware threads of a core stay in logical order.
        cpus.sort_by_key(|cpu| (cpu.package, cpu.core));
        let all: RoaringBitmap = os.iter().copied().collect();
        let mut by_os = vec![None; all.max().map_or(0, |last| last as usize + 1)];
        for (position, cpu) in (0..).zip(&cpus) {
            by_os[cpu.os as usize] = Some(position);
        }
        let sets = numa
            .iter()
            .map(|&node| cpusets.get(topologies.cpuset(node)).clone());
        Self {
            cpus,
            vendor: topologies.vendor(topology),
            by_os,
            all,
            numa: sets.collect(),
        }
    }

    /// All cpus, by OS number.
    #[must_use]
    pub fn all(&self) -> &RoaringBitmap {
        &self.all
    }

    /// Whether LLVM's rules for it were only measured on machines of its shape with other cpus.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        self.vendor == Vendor::Other
    }

    pub(super) fn cpu(&self, os: u32) -> Option<&Cpu> {
        self.cpus.get(self.position(os)? as usize)
    }

    fn position(&self, os: u32) -> Option<u32> {
        self.by_os.get(os as usize).copied().flatten()
    }

    /// The cpus of a set, in the order of the machine. Cost: the set, which is sorted; a process has few of a large node's cpus.
    pub(super) fn within(&self, set: &RoaringBitmap) -> Vec<Cpu> {
        let positions = set.iter().filter_map(|os| self.position(os));
        let mut positions: Vec<u32> = positions.collect();
        positions.sort_unstable();
        let own = positions.into_iter();
        own.map(|position| self.cpus[position as usize]).collect()
    }

    /// The cpus of a set that are in the same object as `cpu`.
    pub(super) fn sharing(
        &self,
        set: &RoaringBitmap,
        same: impl Fn(&Cpu) -> bool,
    ) -> RoaringBitmap {
        let own = set.iter().filter_map(|os| self.cpu(os));
        own.filter(|cpu| same(cpu)).map(|cpu| cpu.os).collect()
    }

    /// How many cores have cpus of a set.
    #[must_use]
    pub fn cores(&self, set: &RoaringBitmap) -> usize {
        let own = set.iter().filter_map(|os| self.cpu(os));
        let cores: RoaringBitmap = own.map(|cpu| cpu.core).collect();
        usize::try_from(cores.len()).unwrap_or(usize::MAX)
    }
}

/// For each PU the logical number of the object of a kind that has it.
fn objects(
    topologies: &Topologies,
    topology: TopologyId,
    kind: ObjKind,
    pus: usize,
) -> Vec<Option<u32>> {
    covered(topologies, topologies.objects(topology, kind), pus)
}

fn covered(
    topologies: &Topologies,
    objects: impl Iterator<Item = ObjectId>,
    pus: usize,
) -> Vec<Option<u32>> {
    let mut of = vec![None; pus];
    for (number, object) in (0..).zip(objects) {
        for &(first, end) in topologies.ranges(object) {
            for own in of.iter_mut().take(end as usize).skip(first as usize) {
                own.get_or_insert(number);
            }
        }
    }
    of
}
