//! What a policy must know about a node before it places anything there: the free cpus of the node, its packages and its objects.

use super::bind::{Binder, Target};
use super::bits::{Bits, has};
use super::cpus::Cpus;
use super::units::{Hardware, Targets, narrow};
use crate::policy::{CpuMode, MapBy, ObjKind};
use crate::table::apps::{AppTable, Policy};
use crate::table::device_order;
use crate::table::topologies::Topologies;
use std::collections::BTreeSet;

/// One topology under one policy: everything that is the same for all nodes.
#[derive(Clone, Debug)]
pub(crate) struct TopologyView<'t> {
    pub(crate) binder: Binder<'t>,
    /// The mapped objects, in the order of placing.
    pub(crate) objects: Targets<'t>,
    /// The units of a pe-list, in list order.
    pub(crate) pe_list: Vec<u32>,
    /// The first cpu of the list that the topology lacks.
    pub(crate) missing: Option<u32>,
    /// Whether target objects exist where processes look for them; true if none are needed.
    has_target: bool,
    /// For each mapped object, whether an earlier one has the same cpus: devices near the same cpus. Empty under other maps.
    repeated: Vec<bool>,
    /// Whether mapped devices share cpus without being near the same ones, or some are near no target.
    must_lay: bool,
}

/// The room on a node in its present state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Capacity {
    /// Free cpus of the node: F(n).
    pub(crate) free: u32,
    /// Cpus of the node that may be used, free or taken.
    pub(crate) cpus: u32,
    /// Processes that the packages can take, PE cpus each: pkgcap(n).
    pub(crate) by_package: u32,
    /// Processes that the mapped objects can take, PE cpus each, without sharing cpus. Too many if processes [must be laid](Self::must_lay).
    pub(crate) by_object: u64,
    /// Whether mapped devices share cpus without being near the same ones, or some are near no target. Then only laying processes tells
    /// how many fit.
    pub(crate) must_lay: bool,
    /// Mapped objects, and how many of them have PE cpus, free or taken.
    pub(crate) objects: u32,
    pub(crate) with_cpus: u32,
    /// Cpus of the largest mapped object, and of the largest package, free or taken.
    pub(crate) largest_object: u32,
    pub(crate) largest_package: u32,
    /// Whether the node has objects of the bind target; true if none are needed.
    pub(crate) has_target: bool,
    /// Listed cpus that are free.
    pub(crate) pe_list_free: u32,
    /// The first listed cpu that is missing or may not be used, and which of the two.
    pub(crate) pe_list_closed: Option<(u32, &'static str)>,
}

/// The kind of the objects that a policy maps to.
pub(crate) const fn mapped_kind(map: MapBy) -> Option<ObjKind> {
    map.object_kind()
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
        // If there are no cores, ppr has no cores to count processes by; it does not take hwthreads for them (3.3).
        let counted = matches!(policy.map, MapBy::Ppr { .. });
        let meant = |kind| if counted { kind } else { hardware.kind(kind) };
        let kind = mapped_kind(policy.map).map(meant);
        let objects = match (policy.map, device) {
            (map, _) if map.devices().is_some() => Targets::Devices(device_order::groups(
                topologies,
                topology,
                map.devices().unwrap_or_default(),
            )),
            (MapBy::Dist, Some(device)) => super::distance::domains(topologies, topology, device)
                .map_or(Targets::NONE, Targets::Near),
            _ => kind.map_or(Targets::NONE, |kind| {
                Targets::new(topologies, topology, kind)
            }),
        };
        let (pe_list, missing) = policy.list.map_or((Vec::new(), None), |list| {
            listed_units(&apps.lists[list], binder.units.len())
        });
        let by_device = mapped_kind(policy.map).is_some_and(ObjKind::is_device);
        let repeated = if by_device {
            repeated(topologies, &objects)
        } else {
            Vec::new()
        };
        Self {
            has_target: binder.has_target(&objects),
            must_lay: overlap(topologies, &objects, &repeated) || binder.some_lack_target(&objects),
            repeated,
            binder,
            objects,
            pe_list,
            missing,
        }
    }

    /// The capacity of a node.
    pub(crate) fn capacity(&self, cpus: &Cpus, allowed: &[u64]) -> Capacity {
        let binder = &self.binder;
        let pe = u32::from(binder.policy.pe);
        // On a node that nobody uses, the cpus that may be used are the free ones.
        let taken = cpus.free.words() != allowed;
        let other = taken.then(|| binder.free_units(allowed));
        let may = other.as_ref().unwrap_or(&cpus.units);
        let fills_cores = fills_cores(binder);
        let (mut by_object, mut with_cpus, mut largest_object) = (0, 0, 0);
        for (at, object) in self.objects.iter().enumerate() {
            let pus = binder.topologies.ranges(object);
            let free = binder.count_free(cpus.units.words(), pus);
            if !self.repeated.get(at).is_some_and(|again| *again) {
                by_object += u64::from(if pe == 1 { free } else { free / pe });
            }
            if fills_cores && taken && self.repeated.is_empty() {
                by_object += u64::from(loose_threads(binder, cpus, pus));
            }
            let all = if taken {
                binder.count_free(may.words(), pus)
            } else {
                free
            };
            with_cpus += u32::from(all >= pe);
            largest_object = largest_object.max(all);
        }
        let (mut by_package, mut largest_package) = (0, 0);
        if pe > 1 {
            for package in binder.packages() {
                by_package += binder.count_free(cpus.units.words(), &package) / pe;
                largest_package = largest_package.max(binder.count_free(may.words(), &package));
            }
        }
        let is_free = |&&unit: &&u32| has(cpus.units.words(), unit);
        Capacity {
            free: cpus.units.count(),
            cpus: may.count(),
            by_package,
            by_object,
            must_lay: self.must_lay,
            objects: self.objects.len(),
            with_cpus,
            largest_object,
            largest_package,
            has_target: self.has_target,
            pe_list_free: narrow(self.pe_list.iter().filter(is_free).count()),
            pe_list_closed: self.closed(may),
        }
    }

    fn closed(&self, may: &Bits) -> Option<(u32, &'static str)> {
        if let Some(cpu) = self.missing {
            return Some((cpu, "missing"));
        }
        let closed = self.pe_list.iter().find(|&&unit| !has(may.words(), unit));
        closed.map(|&cpu| (cpu, "not allowed"))
    }
}

/// For each object, whether an earlier one has the same cpus. The devices of a machine may be near the same cpus or different ones.
fn repeated(topologies: &Topologies, objects: &Targets<'_>) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    let ranges = objects.iter().map(|object| topologies.ranges(object));
    ranges.map(|pus| !seen.insert(pus)).collect()
}

/// Whether any two of the objects that are not repeated share a cpu. Cost: their ranges, sorted.
fn overlap(topologies: &Topologies, objects: &Targets<'_>, repeated: &[bool]) -> bool {
    let distinct = objects.iter().zip(repeated).filter(|(_, again)| !**again);
    let mut ranges: Vec<(u32, u32)> = distinct
        .flat_map(|(object, _)| topologies.ranges(object).iter().copied())
        .collect();
    ranges.sort_unstable();
    ranges.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// Whether processes are bound to threads while whole cores are counted. Then free threads of partly taken cores are used too,
/// and no whole core is consumed for them.
pub(crate) fn fills_cores(binder: &Binder<'_>) -> bool {
    let threads =
        matches!(&binder.target, Target::Objects { kind, .. } if *kind == ObjKind::Hwthread);
    threads && binder.mode == CpuMode::Core
}

/// How many processes find a free thread of a partly taken core, among some PUs, before the last whole core there. Each such
/// core counts once, because it is consumed whole.
fn loose_threads(binder: &Binder<'_>, cpus: &Cpus, pus: &[(u32, u32)]) -> u32 {
    let (mut loose, mut waiting) = (0, 0);
    let mut last = None;
    let all = pus.iter().flat_map(|&(first, end)| first..end);
    for pu in all.filter(|&pu| has(cpus.free.words(), pu)) {
        let core = binder.units.of_pu(pu);
        if core.is_some_and(|core| has(cpus.units.words(), core)) {
            (loose, waiting) = (loose + waiting, 0);
        } else if core.is_none() || core != last {
            waiting += 1;
        }
        last = core;
    }
    loose
}

/// The units of a list; or no units, and the first one that does not exist.
fn listed_units(ranges: &[(u32, u32)], units: u32) -> (Vec<u32>, Option<u32>) {
    let mut listed = Vec::new();
    for &(first, last) in ranges {
        if last >= units {
            let lacking = first.max(units);
            return (Vec::new(), Some(lacking));
        }
        listed.extend(first..=last);
    }
    (listed, None)
}
