//! The layers of a machine as LLVM and Intel count them: package, caches, core, thread, over the cpus of a mask.

use super::machine::{Cpu, Machine};
use super::refused::Refused;
use super::runtime::{Family, Runtime};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::table::topologies::Vendor;

/// A kind of layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Layer {
    Package,
    Numa,
    L3,
    L2,
    L1,
    Core,
    Thread,
}

impl Layer {
    /// The layers that are never merged with each other.
    const fn is_main(self) -> bool {
        matches!(self, Self::Package | Self::Core | Self::Thread)
    }

    /// Its number among caches: L1, L2, L3.
    const fn cache(self) -> Option<usize> {
        match self {
            Self::L1 => Some(0),
            Self::L2 => Some(1),
            Self::L3 => Some(2),
            Self::Package | Self::Numa | Self::Core | Self::Thread => None,
        }
    }
}

const OUTER_FIRST: [Layer; 7] = [
    Layer::Package,
    Layer::Numa,
    Layer::L3,
    Layer::L2,
    Layer::L1,
    Layer::Core,
    Layer::Thread,
];

/// What a cache of a machine is to a runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CacheIs {
    /// The runtime finds none.
    Nothing,
    /// Another name for cores or packages.
    Named(Layer),
    /// Something in between.
    Between,
    /// The topology does not say whether the runtime finds it.
    Unsaid,
}

/// The cpus of a mask, and the layers above them.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// The layers that are there, outermost first.
    pub(super) kinds: Vec<Layer>,
    /// OS numbers, in id order.
    pub(super) cpus: Vec<u32>,
    /// For each cpu the number of its object within the parent, at each layer. Shape `[cpus][kinds]`.
    pub(super) numbers: Vec<Vec<u32>>,
    /// The layer that a name stands for, if there is one.
    names: BTreeMap<Layer, Layer>,
    caches: [CacheIs; 3],
}

fn object(cpu: &Cpu, layer: Layer) -> u32 {
    match layer {
        Layer::Package => cpu.package,
        Layer::Numa => cpu.numa,
        Layer::L1 | Layer::L2 | Layer::L3 => {
            let own = layer.cache().and_then(|level| cpu.caches[level]);
            own.unwrap_or(u32::MAX)
        }
        Layer::Core => cpu.core,
        Layer::Thread => cpu.os,
    }
}

/// Whether each object of `outer` has exactly one object of `inner`.
fn one_each<'c>(cpus: impl Iterator<Item = &'c Cpu>, outer: Layer, inner: Layer) -> bool {
    let mut child = BTreeMap::new();
    let mut each = cpus.map(|cpu| (object(cpu, outer), object(cpu, inner)));
    each.all(|(outer, inner)| *child.entry(outer).or_insert(inner) == inner)
}

/// What a cache level is to the runtime, which looks at the cpu on which it starts: where kinds of cores differ in what shares a
/// cache, the first one's decides.
fn cache_is(machine: &Machine, first: Option<&Cpu>, level: usize) -> CacheIs {
    match machine.vendor {
        Vendor::Amd | Vendor::Other => return CacheIs::Nothing,
        Vendor::Unsaid => return CacheIs::Unsaid,
        Vendor::Intel => {}
    }
    let layer = [Layer::L1, Layer::L2, Layer::L3][level];
    let first = first.filter(|cpu| cpu.caches[level].is_some());
    let Some(first) = first else {
        // The inner caches of Intel's cores are their own where nobody says otherwise.
        return if level < 2 {
            CacheIs::Named(Layer::Core)
        } else {
            CacheIs::Unsaid
        };
    };
    let same = |other: Layer| {
        let both = |cpu: &Cpu| {
            (
                object(cpu, layer) == object(first, layer),
                object(cpu, other) == object(first, other),
            )
        };
        machine
            .cpus
            .iter()
            .map(both)
            .all(|(cache, other)| cache == other)
    };
    if same(Layer::Core) {
        CacheIs::Named(Layer::Core)
    } else if same(Layer::Package) {
        CacheIs::Named(Layer::Package)
    } else {
        CacheIs::Between
    }
}

impl Layers {
    pub(super) fn new(machine: &Machine, mask: &RoaringBitmap, runtime: Runtime) -> Self {
        let mut cpus = machine.within(mask);
        let caches = [0, 1, 2].map(|level| cache_is(machine, cpus.first(), level));
        let mut names: BTreeMap<Layer, Layer> = BTreeMap::new();
        let mut kinds: Vec<Layer> = Vec::new();
        for layer in OUTER_FIRST {
            let is_there = match (layer, layer.cache()) {
                (_, Some(level)) => match caches[level] {
                    CacheIs::Between => runtime.since_llvm(23),
                    CacheIs::Named(other) => {
                        names.insert(layer, other);
                        false
                    }
                    CacheIs::Nothing | CacheIs::Unsaid => false,
                },
                (Layer::Numa, None) if runtime.family() != Family::Intel => false,
                (Layer::Numa, None) if one_each(cpus.iter(), Layer::Package, Layer::Numa) => {
                    names.insert(layer, Layer::Package);
                    false
                }
                (_, None) => true,
            };
            if is_there {
                kinds.push(layer);
            }
        }
        merge(&cpus, &mut kinds, &mut names);
        cpus.sort_by_key(|cpu| {
            let above = kinds.iter().filter(|&&kind| kind != Layer::Thread);
            above.map(|&kind| object(cpu, kind)).collect::<Vec<u32>>()
        });
        Self {
            numbers: numbers(&cpus, &kinds),
            cpus: cpus.iter().map(|cpu| cpu.os).collect(),
            kinds,
            names,
            caches,
        }
    }

    /// The layer that is there under this name.
    pub(super) fn find(&self, name: Layer) -> Option<Layer> {
        let mut name = name;
        // A name may stand for a layer that is itself another's name.
        for _ in OUTER_FIRST {
            match self.names.get(&name) {
                Some(&other) => name = other,
                None => break,
            }
        }
        self.kinds.contains(&name).then_some(name)
    }

    /// The layer of a cache's name.
    ///
    /// # Errors
    /// `not-modelled` if the topology does not say whether the runtime finds that cache.
    pub(super) fn find_cache(&self, name: Layer, word: &str) -> Result<Option<Layer>, Refused> {
        let is = name.cache().map(|level| self.caches[level]);
        if is == Some(CacheIs::Unsaid) {
            return Err(Refused::unknown(
                word,
                "which caches the runtime finds depends on whose cpus these are, and the topology does not say it (hwloc's CPUVendor)",
            ));
        }
        Ok(self.find(name))
    }

    /// The layer of the last-level cache.
    pub(super) fn find_last_cache(&self, word: &str) -> Result<Layer, Refused> {
        for name in [Layer::L3, Layer::L2, Layer::L1] {
            if let Some(layer) = self.find_cache(name, word)? {
                return Ok(layer);
            }
        }
        Ok(Layer::Package)
    }

    /// The objects of a layer with their cpus, in id order.
    pub(super) fn objects(&self, layer: Layer) -> Vec<RoaringBitmap> {
        let depth = self.kinds.iter().position(|&kind| kind == layer);
        let depth = depth.map_or(self.kinds.len(), |at| at + 1);
        let mut objects: Vec<RoaringBitmap> = Vec::new();
        let mut before: Option<&[u32]> = None;
        for (&os, numbers) in self.cpus.iter().zip(&self.numbers) {
            let own = &numbers[..depth];
            if before != Some(own) {
                objects.push(RoaringBitmap::new());
            }
            before = Some(own);
            if let Some(object) = objects.last_mut() {
                object.insert(os);
            }
        }
        objects
    }

    /// For each cpu the object of a layer that has it, in id order.
    pub(super) fn groups(&self, layer: Layer) -> Vec<RoaringBitmap> {
        let objects = self.objects(layer);
        let repeated = objects.iter().flat_map(|object| {
            std::iter::repeat_n(object.clone(), usize::try_from(object.len()).unwrap_or(0))
        });
        repeated.collect()
    }

    /// The most objects of a layer that any parent has. `span`: how many layers further up count as parents as well.
    pub(super) fn most(&self, at: usize) -> u32 {
        let most = self.numbers.iter().map(|own| own[at] + 1).max();
        most.unwrap_or(0)
    }

    /// The most hardware threads of a core.
    pub(super) fn most_threads(&self) -> u32 {
        self.kinds
            .len()
            .checked_sub(1)
            .map_or(1, |at| self.most(at))
    }

    /// Whether each object of each layer has as many children as its neighbours.
    pub(super) fn is_even(&self) -> bool {
        (0..self.kinds.len()).all(|at| {
            let mut counts: BTreeMap<&[u32], BTreeSet<u32>> = BTreeMap::new();
            for own in &self.numbers {
                counts.entry(&own[..at]).or_default().insert(own[at]);
            }
            let mut counts = counts.values().map(BTreeSet::len);
            let first = counts.next();
            counts.all(|count| Some(count) == first)
        })
    }
}

/// Takes out the layers of which each parent has one, or which have one child each: they are another name for that neighbour.
fn merge(cpus: &[Cpu], kinds: &mut Vec<Layer>, names: &mut BTreeMap<Layer, Layer>) {
    let (mut outer, mut inner) = (0, 1);
    while inner < kinds.len() {
        let (above, below) = (kinds[outer], kinds[inner]);
        let main = above.is_main() && below.is_main();
        if main || !one_each(cpus.iter(), above, below) {
            outer = inner;
            inner += 1;
            continue;
        }
        // Packages, cores and threads stay; of two others the outer one.
        let (gone, stays) = match above.is_main() || !below.is_main() {
            true => (inner, above),
            false => (outer, below),
        };
        names.insert(kinds[gone], stays);
        kinds.remove(gone);
    }
}

/// The number of each cpu's object within its parent, at each layer.
fn numbers(cpus: &[Cpu], kinds: &[Layer]) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(cpus.len());
    for (at, cpu) in cpus.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| (&cpus[at], &all[at]));
        let mut own = Vec::with_capacity(kinds.len());
        let mut same = true;
        for (depth, &kind) in kinds.iter().enumerate() {
            let number = match before {
                Some((last, numbers)) if same => {
                    let again = object(last, kind) == object(cpu, kind);
                    same = again;
                    numbers[depth] + u32::from(!again)
                }
                Some(_) | None => 0,
            };
            own.push(number);
        }
        all.push(own);
    }
    all
}
