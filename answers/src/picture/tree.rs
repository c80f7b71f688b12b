//! A node as boxes in boxes: packages, numa nodes, L3 caches, cores.

use roaring::RoaringBitmap;
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
    for gpu in topologies.gpus(topology) {
        let near = gpu.pus.iter().cloned().flatten();
        let near: RoaringBitmap = near.map(|pu| os[pu as usize]).collect();
        let near: Vec<usize> = (0..leaves.len())
            .filter(|&leaf| !leaves[leaf].is_disjoint(&near))
            .collect();
        if !near.is_empty() {
            root.take_gpu(&near, &format!(" · gpu {}", gpu.visible));
        }
    }
    builder.tree
}

impl Part {
    /// Names a GPU in the smallest box around the leaves near it.
    fn take_gpu(&mut self, near: &[usize], name: &str) {
        let around = |part: &&mut Self| {
            near.iter()
                .all(|leaf| (part.leaves.0..part.leaves.1).contains(leaf))
        };
        match self.parts.iter_mut().find(around) {
            Some(inner) => inner.take_gpu(near, name),
            None => self.label += name,
        }
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
            let inside: Vec<(usize, Ranges)> = topologies
                .objects(self.topology, kind)
                .map(|object| topologies.ranges(object).to_vec())
                .enumerate()
                .filter(|(_, own)| holds(ranges, own))
                .collect();
            let name = |number: usize| format!("{} {number}", kind.word());
            match inside.as_slice() {
                [] => {}
                [(number, own)] if holds(own, ranges) && !label.is_empty() => {
                    label = format!("{label} · {}", name(*number));
                }
                _ => {
                    let parts: Vec<Part> = inside
                        .iter()
                        .map(|(number, own)| self.part(name(*number), own, levels))
                        .collect();
                    let outside = |core: &Ranges| !inside.iter().any(|(_, own)| holds(own, core));
                    let own = self.leaves(ranges, &outside);
                    return Part {
                        label,
                        leaves: (from, self.tree.leaves.len()),
                        parts,
                        own,
                    };
                }
            }
        }
        let own = self.leaves(ranges, &|_| true);
        Part {
            label,
            leaves: (from, self.tree.leaves.len()),
            parts: Vec::new(),
            own,
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
