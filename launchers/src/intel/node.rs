//! A node as Intel MPI pins on it: its levels, and how they are cut. Source: `lines/intel/spec.md` 5.

use crate::hydra::objects::{Pus, lies_in, objects};
use crate::line::Hardware;
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
}

impl<'a> Node<'a> {
    /// Looks at a node. Cost: its PUs, for each level.
    pub(crate) fn new(hardware: &'a dyn Hardware, topology: TopologyId) -> Self {
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
        }
    }

    /// The objects of a kind.
    pub(crate) fn objects(&self, kind: ObjKind) -> Vec<Pus> {
        objects(self.hardware, self.topology, kind)
    }

    /// The objects of the first level that has at least so many.
    pub(crate) fn units(&self, ranks: usize) -> &[Pus] {
        let mut levels = self.levels.iter();
        levels
            .find(|level| level.len() >= ranks)
            .unwrap_or(&self.pus)
    }

    /// The boxes among which ranks are dealt: NUMA nodes if there are more of them than packages and the ranks divide by their
    /// number, else packages.
    pub(crate) fn boxes(&self, ranks: usize) -> &[Pus] {
        match self.splits_by_numa(ranks) {
            true => &self.numa,
            false => &self.packages,
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

    /// The OS numbers of all PUs.
    pub(crate) fn all_os(&self) -> RoaringBitmap {
        let os = self.hardware.topologies().pus_os(self.topology);
        os.iter().copied().collect()
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
