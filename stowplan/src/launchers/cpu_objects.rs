//! Which object of a kind has each cpu of a topology, so that a set of few cpus of a large node costs what it has.

use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// The objects of a kind of a topology, by the cpus that they have.
#[derive(Clone, Debug)]
pub(crate) struct CpuObjects {
    /// Shape `[OS number + 1]`: the logical number of the object.
    of: Vec<Option<u32>>,
    /// Shape `[objects]`: how many cpus each has.
    cpus: Vec<u32>,
}

impl CpuObjects {
    /// Reads a topology. Cost: its PUs and objects.
    pub(crate) fn new(topologies: &Topologies, topology: TopologyId, kind: ObjKind) -> Self {
        let os = topologies.pus_os(topology);
        let highest = os.iter().max().map_or(0, |&last| last as usize + 1);
        let mut own = Self {
            of: vec![None; highest],
            cpus: Vec::new(),
        };
        for (number, object) in (0..).zip(topologies.objects(topology, kind)) {
            let mut cpus = 0;
            for &(first, end) in topologies.ranges(object) {
                for &cpu in &os[first as usize..end as usize] {
                    own.of[cpu as usize] = Some(number);
                    cpus += 1;
                }
            }
            own.cpus.push(cpus);
        }
        own
    }

    /// The objects that have cpus of a set, each with how many. Cost: the set.
    pub(crate) fn met(&self, set: &RoaringBitmap) -> BTreeMap<u32, u32> {
        let mut met = BTreeMap::new();
        for object in set.iter().filter_map(|cpu| self.object(cpu)) {
            *met.entry(object).or_insert(0) += 1;
        }
        met
    }

    /// The objects whose cpus a set is; `None` if it does not consist of whole ones. Cost: the set.
    pub(crate) fn whole(&self, set: &RoaringBitmap) -> Option<RoaringBitmap> {
        let met = self.met(set);
        let all = met
            .iter()
            .all(|(&object, &cpus)| self.cpus[object as usize] == cpus);
        let covered: u64 = met.values().map(|&cpus| u64::from(cpus)).sum();
        (all && covered == set.len()).then(|| met.into_keys().collect())
    }

    fn object(&self, cpu: u32) -> Option<u32> {
        self.of.get(cpu as usize).copied().flatten()
    }
}
