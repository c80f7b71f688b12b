//! A node as Intel MPI pins on it: its levels, and how they are cut. Source: `lines/intel/spec.md` 5.

use super::version::Version;
use crate::launchers::hydra::objects::{Pus, lies_in, objects};
use crate::launchers::line::Hardware;
use roaring::RoaringBitmap;
use std::collections::HashSet;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// The levels, in the order of equal counts.
const LEVELS: [ObjKind; 7] = [
    ObjKind::Machine,
    ObjKind::Package,
    ObjKind::Numa,
    ObjKind::L3,
    ObjKind::L2,
    ObjKind::Core,
    ObjKind::Hwthread,
];

/// The hardware of a node. Sets of PUs are by logical number.
pub(crate) struct Node<'a> {
    hardware: &'a dyn Hardware,
    topology: TopologyId,
    /// Packages; the whole node if it has none.
    pub(crate) packages: Vec<Pus>,
    /// NUMA nodes.
    pub(crate) numa: Vec<Pus>,
    /// Cores; PUs if it has none.
    pub(crate) cores: Vec<Pus>,
    /// PUs, each alone.
    pub(crate) pus: Vec<Pus>,
    /// The objects of each level, those with fewest objects first.
    levels: Vec<Vec<Pus>>,
    /// The core of each PU; PUs without one are cores of their own.
    core_of: Vec<usize>,
    version: Version,
}

impl<'a> Node<'a> {
    /// Looks at a node. Cost: its PUs, for each level.
    pub(crate) fn new(hardware: &'a dyn Hardware, topology: TopologyId, version: Version) -> Self {
        let of = |kind| objects(hardware, topology, kind);
        let some = |kind, instead| match of(kind) {
            found if found.is_empty() => of(instead),
            found => found,
        };
        let mut levels: Vec<Vec<Pus>> = LEVELS.into_iter().map(of).collect();
        levels.retain(|level| !level.is_empty());
        levels.sort_by_key(Vec::len);
        let cores = some(ObjKind::Core, ObjKind::Hwthread);
        let pus = of(ObjKind::Hwthread);
        let mut core_of: Vec<usize> = (cores.len()..).take(pus.len()).collect();
        for (core, own) in cores.iter().enumerate().rev() {
            for &pu in own {
                core_of[pu as usize] = core;
            }
        }
        Self {
            hardware,
            topology,
            core_of,
            packages: some(ObjKind::Package, ObjKind::Machine),
            numa: of(ObjKind::Numa),
            cores,
            pus,
            levels,
            version,
        }
    }

    /// The node as if it had these cpus alone, by OS number.
    pub(crate) fn within(&self, cpus: &RoaringBitmap) -> Self {
        let os = self.hardware.topologies().pus_os(self.topology);
        let has = |pu: &u32| cpus.contains(os[*pu as usize]);
        let cut = |objects: &[Pus]| -> Vec<Pus> {
            let own = objects
                .iter()
                .map(|object| object.iter().copied().filter(has).collect());
            own.filter(|object: &Pus| !object.is_empty()).collect()
        };
        let mut levels: Vec<Vec<Pus>> = self.levels.iter().map(|level| cut(level)).collect();
        levels.sort_by_key(Vec::len);
        Self {
            hardware: self.hardware,
            topology: self.topology,
            packages: cut(&self.packages),
            numa: cut(&self.numa),
            cores: cut(&self.cores),
            pus: cut(&self.pus),
            levels,
            core_of: self.core_of.clone(),
            version: self.version,
        }
    }

    /// The objects of a kind.
    pub(crate) fn objects(&self, kind: ObjKind) -> Vec<Pus> {
        let mut found = objects(self.hardware, self.topology, kind);
        let own: HashSet<u32> = self.pus.iter().flatten().copied().collect();
        for object in &mut found {
            object.retain(|pu| own.contains(pu));
        }
        found.retain(|object| !object.is_empty());
        found
    }

    /// The objects of the first level that has at least so many.
    pub(crate) fn units(&self, ranks: usize) -> &[Pus] {
        let mut levels = self.levels.iter();
        levels
            .find(|level| level.len() >= ranks)
            .unwrap_or(&self.pus)
    }

    /// The boxes among which ranks are dealt, with the ranks of each, when they get one of so many things.
    ///
    /// NUMA nodes take equally many if there are more of them than packages and the ranks divide by their number; else packages take
    /// equally many, and so do the NUMA nodes of each if there are more ranks than a package has of these things.
    pub(crate) fn shares(&self, ranks: usize, things: usize) -> Vec<(&Pus, usize)> {
        if self.splits_by_numa(ranks) {
            return self
                .numa
                .iter()
                .zip(evenly(ranks, self.numa.len()))
                .collect();
        }
        let few = ranks <= things / self.packages.len();
        let mut found = Vec::new();
        for (package, own) in self.packages.iter().zip(evenly(ranks, self.packages.len())) {
            let numa = self.numa_inside(package);
            if few || numa.len() < 2 {
                found.push((package, own));
            } else {
                let parts = evenly(own, numa.len());
                found.extend(numa.into_iter().zip(parts));
            }
        }
        found
    }

    /// The NUMA nodes among which a package deals its ranks; before 2021.16 it does not.
    pub(crate) fn numa_inside(&self, package: &Pus) -> Vec<&Pus> {
        match self.version.deals_inside_packages() {
            true => inside(&self.numa, package),
            false => Vec::new(),
        }
    }

    /// Whether every NUMA node takes equally many ranks.
    pub(crate) fn splits_by_numa(&self, ranks: usize) -> bool {
        self.numa.len() > self.packages.len() && ranks.is_multiple_of(self.numa.len())
    }

    /// The first PU of each core in a set.
    pub(crate) fn first_of_cores(&self, set: &[u32]) -> Pus {
        let mut known = HashSet::new();
        let first = set.iter().copied();
        first
            .filter(|&pu| known.insert(self.core_of[pu as usize]))
            .collect()
    }

    /// The OS numbers of the PUs of a set.
    pub(crate) fn os(&self, set: &[u32]) -> RoaringBitmap {
        let os = self.hardware.topologies().pus_os(self.topology);
        set.iter().map(|&pu| os[pu as usize]).collect()
    }

    /// Whether the hardware has this cpu, allowed or not.
    pub(crate) fn has(&self, cpu: u32) -> bool {
        let topologies = self.hardware.topologies();
        let disallowed = topologies.disallowed(self.topology);
        topologies.pus_os(self.topology).contains(&cpu) || disallowed.contains(&cpu)
    }

    /// The OS numbers of all PUs.
    pub(crate) fn all_os(&self) -> RoaringBitmap {
        let os = self.hardware.topologies().pus_os(self.topology);
        self.pus
            .iter()
            .flatten()
            .map(|&pu| os[pu as usize])
            .collect()
    }
}

/// The objects that lie inside a set.
pub(crate) fn inside<'o>(objects: &'o [Pus], set: &[u32]) -> Vec<&'o Pus> {
    let lies = |own: &&Pus| lies_in(own, set);
    objects.iter().filter(lies).collect()
}

/// Sizes of `parts` parts of so many things: the first get one more.
pub(crate) fn evenly(things: usize, parts: usize) -> impl Iterator<Item = usize> {
    let (each, more) = (things / parts, things % parts);
    (0..parts).map(move |part| each + usize::from(part < more))
}

/// Units cut evenly into parts; part j is unit j in turn if there are fewer units than parts.
pub(crate) fn cut(units: &[&Pus], parts: usize) -> Vec<Pus> {
    if units.len() < parts {
        let turns = units.iter().cycle().take(parts);
        return turns.map(|unit| (*unit).clone()).collect();
    }
    let mut rest = units;
    let mut found = Vec::with_capacity(parts);
    for size in evenly(units.len(), parts) {
        let (own, behind) = rest.split_at(size);
        found.push(union(own.iter().copied()));
        rest = behind;
    }
    found
}

/// All PUs of these sets.
pub(crate) fn union<'o>(sets: impl Iterator<Item = &'o Pus>) -> Pus {
    let mut all: Pus = sets.flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
