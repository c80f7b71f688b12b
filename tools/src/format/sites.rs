//! The place of each PU of a topology: its core (hwthread) and its package, named as prterun names them.

use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::policy::{CpuMode, ObjKind};
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// The number for no core, or no package.
const NONE: u32 = u32::MAX;

/// One topology in one mode. Cost: its PUs.
pub(super) struct Sites {
    prefix: &'static str,
    /// (OS number, core, package of the core's first PU, package of the PU itself) of each PU, by OS number.
    pus: Vec<(u32, u32, u32, u32)>,
}

impl Sites {
    pub(super) fn new(topologies: &Topologies, topology: TopologyId, mode: CpuMode) -> Self {
        let os = topologies.pus_os(topology);
        let (kind, prefix) = match (mode, topologies.count(topology, ObjKind::Core)) {
            (CpuMode::Hwthread, _) | (CpuMode::Core, 0) => (ObjKind::Hwthread, "hwt:L"),
            (CpuMode::Core, _) => (ObjKind::Core, "core:L"),
        };
        let owners = |kind: ObjKind| {
            let mut owners = vec![NONE; os.len()];
            for (object, number) in topologies.objects(topology, kind).zip(0..) {
                for &(first, end) in topologies.ranges(object) {
                    owners[first as usize..end as usize].fill(number);
                }
            }
            owners
        };
        let packages = owners(ObjKind::Package);
        let mut homes = vec![NONE; os.len()];
        let mut cores = vec![NONE; os.len()];
        for (object, number) in topologies.objects(topology, kind).zip(0..) {
            let ranges = topologies.ranges(object);
            for &(first, end) in ranges {
                let own = first as usize..end as usize;
                cores[own.clone()].fill(number);
                homes[own].fill(packages[ranges[0].0 as usize]);
            }
        }
        let rows = (0..os.len()).map(|pu| (os[pu], cores[pu], homes[pu], packages[pu]));
        let mut pus: Vec<_> = rows.collect();
        pus.sort_unstable();
        Self { prefix, pus }
    }

    /// `package[0][core:L0-3] package[1][core:L8]`: the cores (hwthreads) that a set touches, by logical number. Without
    /// packages, only the node is named. Cost: the set.
    pub(super) fn bound(&self, set: &RoaringBitmap) -> String {
        let mut parts: BTreeMap<u32, RoaringBitmap> = BTreeMap::new();
        for os in set {
            let Ok(row) = self.pus.binary_search_by_key(&os, |row| row.0) else {
                continue;
            };
            let (_, core, home, package) = self.pus[row];
            if package != NONE {
                parts.entry(package).or_default();
            }
            if core != NONE {
                parts.entry(home).or_default().insert(core);
            }
        }
        let outside = parts.remove(&NONE).unwrap_or_default();
        if parts.is_empty() {
            return format!("node[{}{}]", self.prefix, list_form(&outside));
        }
        let part = |(package, cores): (&u32, &RoaringBitmap)| {
            format!("package[{package}][{}{}]", self.prefix, list_form(cores))
        };
        parts.iter().map(part).collect::<Vec<_>>().join(" ")
    }
}
