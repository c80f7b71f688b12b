//! The hardware of a node as launchers see it: objects in order, as lists of PUs by their place in the tree.

use crate::cpus::Cpus;
use crate::machine::Machine;
use std::collections::BTreeSet;
use stowplan_engine::policy::ObjKind;

/// PUs by their place in the tree.
pub(super) type Set = BTreeSet<usize>;

/// A node.
pub(super) struct Node<'m> {
    machine: &'m Machine,
    /// OS numbers of the PUs, in order.
    pub(super) os: Vec<u32>,
}

impl<'m> Node<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        let pus = machine.objects(ObjKind::Hwthread).iter();
        let os = pus.filter_map(|pu| pu.cpus.iter().next()).collect();
        Self { machine, os }
    }
    /// The objects of a kind in order, those whose PUs are an earlier one's left out.
    pub(super) fn objects(&self, kind: ObjKind) -> Vec<Set> {
        if kind == ObjKind::Machine {
            return vec![(0..self.os.len()).collect()];
        }
        // Launchers see all NUMA nodes, also those that overlap.
        let all: Vec<&Cpus> = if kind == ObjKind::Numa {
            self.machine.memories.iter().collect()
        } else {
            let objects = self.machine.objects(kind).iter();
            objects.map(|own| &own.cpus).collect()
        };
        let mut found: Vec<Set> = Vec::new();
        for cpus in all {
            let set: Set = (0..self.os.len())
                .filter(|&pu| cpus.has(self.os[pu]))
                .collect();
            if !set.is_empty() && !found.contains(&set) {
                found.push(set);
            }
        }
        found
    }
    /// The cpus of PUs.
    pub(super) fn cpus(&self, set: &Set) -> Cpus {
        let mut cpus = Cpus::none();
        for &pu in set {
            cpus.add(self.os[pu]);
        }
        cpus
    }
}
