//! What a policy needs to know of a node before it places anything there: free cpus, by node, by package, by object.

use super::bind::{Binder, MapTarget};
use super::bits;
use super::cpus::Cpus;
use super::units::{Hardware, narrow, targets};
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::{AppTable, Policy};
use crate::table::topologies::{ObjectId, Topologies};
use std::collections::BTreeSet;

/// One topology under one policy: what does not change from node to node.
#[derive(Clone, Debug)]
pub(crate) struct TopologyView<'t> {
    pub(crate) binder: Binder<'t>,
    /// The mapped objects in the order of placing.
    pub(crate) objects: Vec<ObjectId>,
    /// Units of a pe-list, in list order.
    pub(crate) listed: Vec<u32>,
    /// The first cpu of the list that the topology lacks.
    missing: Option<u32>,
    /// Whether there are objects of the bind target where processes look for them (true where none are needed).
    has_target: bool,
    /// Mapped objects, in their order, whose cpus are those of an earlier one: GPUs near the same cpus.
    repeated: Vec<bool>,
}

/// What there is on a node in its present state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Capacity {
    /// Free cpus of the node: F(n).
    pub(crate) free: u32,
    /// Cpus of the node that may be used, taken or not.
    pub(crate) cpus: u32,
    /// Processes that the packages can take by PE: pkgcap(n).
    pub(crate) by_package: u32,
    /// Processes that the mapped objects can take by PE, cpus not shared.
    pub(crate) by_object: u64,
    /// Mapped objects, and those that have PE cpus at all.
    pub(crate) objects: u32,
    pub(crate) with_cpus: u32,
    /// Cpus of the largest mapped object, and of the largest package, taken or not.
    pub(crate) largest_object: u32,
    pub(crate) largest_package: u32,
    /// Whether the node has objects of the bind target (true where none are needed).
    pub(crate) has_target: bool,
    /// Listed cpus that are free.
    pub(crate) listed_free: u32,
    /// The first listed cpu that is missing or may not be used.
    pub(crate) listed_closed: Option<(u32, &'static str)>,
}

impl<'t> TopologyView<'t> {
    pub(crate) fn new(
        topologies: &'t Topologies,
        hardware: &'t Hardware,
        policy: &Policy,
        apps: &AppTable,
        device: Option<&str>,
    ) -> Self {
        let binder = Binder::new(topologies, hardware, policy);
        let topology = hardware.topology;
        // Where there are no cores, ppr has none to count processes by (3.3).
        let counted = matches!(policy.map, MapBy::Ppr { .. });
        let meant = |kind| if counted { kind } else { hardware.kind(kind) };
        let kind = policy.map.object_kind().map(meant);
        let objects = match (policy.map, device, kind) {
            (MapBy::Dist, Some(device), _) => {
                super::distance::domains(topologies, topology, device).unwrap_or_default()
            }
            (_, _, Some(kind)) => targets(topologies, topology, kind),
            (_, _, None) => Vec::new(),
        };
        let count = binder.units.len();
        let list = policy.list.map_or(&[][..], |list| &apps.lists[list]);
        let missing = list.iter().find(|&&(_, last)| last >= count);
        let listed = list.iter().filter(|_| missing.is_none());
        Self {
            has_target: binder.has_target(&objects),
            repeated: match kind {
                Some(ObjKind::Gpu) => repeated(topologies, &objects),
                _ => Vec::new(),
            },
            listed: listed.flat_map(|&(first, last)| first..=last).collect(),
            missing: missing.map(|(first, _)| *first.max(&count)),
            binder,
            objects,
        }
    }

    /// Where a process is that is mapped to an object, or to none.
    #[inline]
    pub(crate) fn place(&self, at: Option<usize>) -> MapTarget<'_> {
        let ranges = |at: usize| self.binder.topologies.ranges(self.objects[at]);
        MapTarget {
            pus: at.map_or(&self.binder.whole, ranges),
            at,
        }
    }

    /// What there is on a node.
    pub(crate) fn capacity(&self, cpus: &Cpus, allowed: &[u64]) -> Capacity {
        let Binder { units, policy, .. } = &self.binder;
        let pe = u32::from(policy.pe);
        // On a node that nobody used, what may be used is what is free.
        let taken = cpus.free.words() != allowed;
        let other = taken.then(|| units.within(allowed));
        let may = other.as_ref().unwrap_or(&cpus.units);
        let (mut by_object, mut with_cpus, mut largest_object) = (0, 0, 0);
        for at in 0..self.objects.len() {
            let pus = self.place(Some(at)).pus;
            let free = units.count_inside(cpus.units.words(), pus);
            if !self.repeated.get(at).is_some_and(|again| *again) {
                by_object += u64::from(free / pe);
            }
            if self.binder.fills_cores() && taken && self.repeated.is_empty() {
                by_object += u64::from(self.loose_threads(cpus, pus));
            }
            let all = (other.as_ref()).map_or(free, |may| units.count_inside(may.words(), pus));
            with_cpus += u32::from(all >= pe);
            largest_object = largest_object.max(all);
        }
        let (mut by_package, mut largest_package) = (0, 0);
        for package in self.binder.packages.iter().filter(|_| pe > 1) {
            by_package += units.count_inside(cpus.units.words(), package) / pe;
            largest_package = largest_package.max(units.count_inside(may.words(), package));
        }
        let is_free = |&&unit: &&u32| bits::has(cpus.units.words(), unit);
        Capacity {
            free: cpus.units.count(),
            cpus: may.count(),
            by_package,
            by_object,
            objects: narrow(self.objects.len()),
            with_cpus,
            largest_object,
            largest_package,
            has_target: self.has_target,
            listed_free: narrow(self.listed.iter().filter(is_free).count()),
            listed_closed: self.closed(may.words()),
        }
    }

    fn closed(&self, may: &[u64]) -> Option<(u32, &'static str)> {
        if let Some(cpu) = self.missing {
            return Some((cpu, "missing"));
        }
        let closed = self.listed.iter().find(|&&unit| !bits::has(may, unit));
        closed.map(|&cpu| (cpu, "not allowed"))
    }

    /// Processes that find a free thread of a core taken in part, among some PUs, before the last whole core there: one for
    /// each such core, as it is consumed whole.
    fn loose_threads(&self, cpus: &Cpus, pus: &[(u32, u32)]) -> u32 {
        let (mut loose, mut waiting) = (0, 0);
        let mut last = None;
        for pu in bits::ones(cpus.free.words(), pus) {
            let core = self.binder.units.of_pu(pu);
            if core.is_some_and(|core| bits::has(cpus.units.words(), core)) {
                (loose, waiting) = (loose + waiting, 0);
            } else if core.is_none() || core != last {
                waiting += 1;
            }
            last = core;
        }
        loose
    }
}

/// Objects whose cpus an earlier one has: the GPUs of a machine are near the same cpus, or near others.
fn repeated(topologies: &Topologies, objects: &[ObjectId]) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    let is_known = |&object: &ObjectId| !seen.insert(topologies.ranges(object));
    objects.iter().map(is_known).collect()
}
