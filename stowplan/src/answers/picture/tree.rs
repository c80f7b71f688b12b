//! A node as boxes in boxes: packages, numa nodes, L3 caches, cores.

use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// A box with its content.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Its label: `package 0 · numa 0`.
    pub(super) label: String,
    /// The range of its leaves: the first, and one after the last.
    pub(super) leaves: (usize, usize),
    pub(super) parts: Vec<Self>,
    /// Leaves that are in none of its parts.
    pub(super) own: Vec<usize>,
    /// Devices that are nearest to it.
    pub(super) devices: Vec<Near>,
    /// OS numbers of each core in it that jobs do not get.
    pub(super) kept: Vec<RoaringBitmap>,
}

/// A device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Near {
    /// A GPU, by the number that makes it visible.
    Gpu(u32),
    /// A network card, by its name.
    Nic(String),
}

/// A node: its boxes, and the OS numbers of the PUs of each leaf (a core, or a PU where there are no cores).
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Part,
    pub(super) leaves: Vec<RoaringBitmap>,
}

/// Ranges of logical PUs: the first, and one after the last.
type Ranges = Vec<(u32, u32)>;

const LEVELS: [ObjKind; 3] = [ObjKind::Package, ObjKind::Numa, ObjKind::L3];

struct Builder<'p> {
    plan: &'p Plan,
    topology: TopologyId,
    /// Each leaf's ranges, in logical order.
    cores: Vec<Ranges>,
    tree: Tree,
}

/// The boxes of a topology. Cost: for each box and each level below it, the objects of the level.
pub(super) fn tree(plan: &Plan, topology: TopologyId) -> Tree {
    let topologies = &plan.world().topologies;
    let leaf = match topologies.count(topology, ObjKind::Core) {
        0 => ObjKind::Hwthread,
        _ => ObjKind::Core,
    };
    let ranges = |kind| {
        topologies
            .objects(topology, kind)
            .map(|object| topologies.ranges(object).to_vec())
    };
    let all = u32::try_from(topologies.pus_os(topology).len()).unwrap_or(u32::MAX);
    let mut builder = Builder {
        plan,
        topology,
        cores: ranges(leaf).collect(),
        tree: Tree::default(),
    };
    let root = builder.part(String::new(), &[(0, all)], &LEVELS);
    builder.tree.root = root;
    let Tree { root, leaves } = &mut builder.tree;
    let os = topologies.pus_os(topology);
    let touched = |pus: &[std::ops::Range<u32>]| -> Vec<usize> {
        let near = pus.iter().cloned().flatten();
        let near: RoaringBitmap = near.map(|pu| os[pu as usize]).collect();
        let leaves = (0..leaves.len()).filter(|&leaf| !leaves[leaf].is_disjoint(&near));
        leaves.collect()
    };
    let gpus = topologies.gpus(topology).iter();
    for gpu in gpus {
        root.take(&touched(&gpu.pus), Near::Gpu(gpu.visible));
    }
    for nic in topologies.nics(topology) {
        root.take(&touched(&nic.pus), Near::Nic(nic.name.clone()));
    }
    let mut cores: BTreeMap<u32, (usize, RoaringBitmap)> = BTreeMap::new();
    for kept in topologies.kept(topology) {
        let beside =
            (0..leaves.len()).find(|&leaf| leaves[leaf].contains(os[kept.beside as usize]));
        if let Some(leaf) = beside {
            let core = cores
                .entry(kept.core)
                .or_insert((leaf, RoaringBitmap::new()));
            core.1.insert(kept.os);
        }
    }
    for (leaf, core) in cores.into_values() {
        root.keep(leaf, core);
    }
    builder.tree
}

impl Part {
    /// The smallest box around some leaves; the node for none.
    fn around(&mut self, leaves: &[usize]) -> &mut Self {
        let holds = |part: &Self| {
            let (first, end) = part.leaves;
            !leaves.is_empty() && leaves.iter().all(|leaf| (first..end).contains(leaf))
        };
        match self.parts.iter().position(holds) {
            Some(at) => self.parts[at].around(leaves),
            None => self,
        }
    }

    /// Puts a device into the smallest box around the leaves near it.
    fn take(&mut self, near: &[usize], device: Near) {
        self.around(near).devices.push(device);
    }

    /// Puts a core that jobs do not get into the smallest box around a leaf.
    fn keep(&mut self, beside: usize, core: RoaringBitmap) {
        self.around(&[beside]).kept.push(core);
    }
}

fn holds(outer: &[(u32, u32)], inner: &[(u32, u32)]) -> bool {
    let within =
        |&(first, end): &(u32, u32)| outer.iter().any(|&(from, to)| from <= first && end <= to);
    !inner.is_empty() && inner.iter().all(within)
}

impl Builder<'_> {
    fn part(&mut self, mut label: String, ranges: &[(u32, u32)], levels: &[ObjKind]) -> Part {
        let from = self.tree.leaves.len();
        let mut levels = levels;
        let topologies = &self.plan.world().topologies;
        while let Some((&kind, deeper)) = levels.split_first() {
            levels = deeper;
            // Objects with the same PUs, as memory behind memory, share a box.
            let mut inside: Vec<(String, Ranges)> = Vec::new();
            for (number, object) in topologies.objects(self.topology, kind).enumerate() {
                let own = topologies.ranges(object).to_vec();
                if !holds(ranges, &own) {
                    continue;
                }
                match inside.iter_mut().find(|known| known.1 == own) {
                    Some(known) => known.0 += &format!(",{number}"),
                    None => inside.push((format!("{} {number}", kind.word()), own)),
                }
            }
            match inside.as_slice() {
                [] => {}
                [(name, own)] if holds(own, ranges) && !label.is_empty() => {
                    label = format!("{label} · {name}");
                }
                _ => {
                    let parts: Vec<Part> = inside
                        .iter()
                        .map(|(name, own)| self.part(name.clone(), own, levels))
                        .collect();
                    let outside = |core: &Ranges| !inside.iter().any(|(_, own)| holds(own, core));
                    let own = self.leaves(ranges, &outside);
                    return Part {
                        label,
                        leaves: (from, self.tree.leaves.len()),
                        parts,
                        own,
                        ..Part::default()
                    };
                }
            }
        }
        let own = self.leaves(ranges, &|_| true);
        Part {
            label,
            leaves: (from, self.tree.leaves.len()),
            own,
            ..Part::default()
        }
    }

    /// Numbers the leaves inside these ranges that are wanted.
    fn leaves(&mut self, ranges: &[(u32, u32)], wanted: &dyn Fn(&Ranges) -> bool) -> Vec<usize> {
        let os = self.plan.world().topologies.pus_os(self.topology);
        let mut own = Vec::new();
        for core in self
            .cores
            .iter()
            .filter(|core| holds(ranges, core) && wanted(core))
        {
            let pus = core.iter().flat_map(|&(first, end)| first..end);
            own.push(self.tree.leaves.len());
            self.tree
                .leaves
                .push(pus.map(|pu| os[pu as usize]).collect());
        }
        own
    }
}
