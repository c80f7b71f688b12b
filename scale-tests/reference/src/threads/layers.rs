//! Section 4: the machine of LLVM and Intel: packages, cores and threads of the mask, and what is between them.

use super::{Asked, Cpu, Maker, Rules, Set};
use std::collections::BTreeMap;

/// What a layer is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Package,
    Numa,
    L3,
    L2,
    L1,
    Core,
    Thread,
}

/// A cpu of the mask: its number, and that of its object in each layer.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) os: u32,
    /// Shape `[layers]`: numbers over the machine.
    pub(super) objects: Vec<u32>,
    /// Shape `[layers]`: numbers in the object of the layer above.
    pub(super) within: Vec<u32>,
}

/// The layers of a mask, from the package down to the thread.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) kinds: Vec<Kind>,
    /// In id order.
    pub(super) cpus: Vec<Seen>,
    /// What a cache or NUMA node is another name for.
    names: BTreeMap<Kind, Kind>,
}

fn object(cpu: &Cpu, kind: Kind) -> u32 {
    match kind {
        Kind::Package => cpu.package,
        Kind::Numa => cpu.numa,
        Kind::L3 => cpu.caches[2],
        Kind::L2 => cpu.caches[1],
        Kind::L1 => cpu.caches[0],
        Kind::Core => cpu.core,
        Kind::Thread => cpu.os,
    }
}

/// The sets of cpus of equal objects, as they follow one another.
fn parts(cpus: &[&Cpu], kind: Kind) -> Vec<Vec<u32>> {
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for cpu in cpus {
        parts.entry(object(cpu, kind)).or_default().push(cpu.os);
    }
    let mut parts: Vec<Vec<u32>> = parts.into_values().collect();
    parts.sort();
    parts
}

/// A layer that its neighbour has alone is another name for it.
fn joined(cpus: &[&Cpu], kinds: &mut Vec<Kind>, names: &mut BTreeMap<Kind, Kind>) {
    let mut at = 1;
    while at + 2 < kinds.len() {
        let count = |kind: Kind| parts(cpus, kind).len();
        let own = count(kinds[at]);
        let into = if own == count(kinds[at - 1]) {
            Some(kinds[at - 1])
        } else if own == count(kinds[at + 1]) {
            Some(kinds[at + 1])
        } else {
            None
        };
        match into {
            Some(other) => {
                names.insert(kinds[at], other);
                kinds.remove(at);
            }
            None => at += 1,
        }
    }
}

impl Layers {
    pub(super) fn of(asked: &Asked<'_>, mask: &Set) -> Self {
        let own = asked
            .hardware
            .cpus
            .iter()
            .filter(|cpu| mask.contains(&cpu.os));
        let cpus: Vec<&Cpu> = own.collect();
        let mut kinds = vec![Kind::Package];
        let mut names = BTreeMap::new();
        let mut between = Vec::new();
        if asked.rules == Rules::Intel {
            between.push(Kind::Numa);
        }
        if asked.hardware.maker == Maker::Intel {
            between.extend([Kind::L3, Kind::L2, Kind::L1]);
        }
        for kind in between {
            let as_of = |other: Kind| {
                // The cpu on which the runtime starts decides what a cache is: it looks at that one alone.
                cpus.first().is_some_and(|first| {
                    let mut all = asked.hardware.cpus.iter();
                    all.all(|cpu| {
                        let together = object(cpu, kind) == object(first, kind);
                        together == (object(cpu, other) == object(first, other))
                    })
                })
            };
            let nodes = parts(&cpus, kind).len();
            if kind == Kind::Numa && nodes == parts(&cpus, Kind::Package).len() {
                names.insert(kind, Kind::Package);
            } else if kind != Kind::Numa && as_of(Kind::Core) {
                names.insert(kind, Kind::Core);
            } else if kind != Kind::Numa && as_of(Kind::Package) {
                names.insert(kind, Kind::Package);
            } else if kind == Kind::Numa || asked.rules.since(23) {
                kinds.push(kind);
            }
        }
        kinds.extend([Kind::Core, Kind::Thread]);
        joined(&cpus, &mut kinds, &mut names);
        let mut seen: Vec<Seen> = Vec::new();
        for cpu in &cpus {
            let objects: Vec<u32> = kinds.iter().map(|&kind| object(cpu, kind)).collect();
            let within = vec![0; kinds.len()];
            seen.push(Seen {
                os: cpu.os,
                objects,
                within,
            });
        }
        let mut layers = Self {
            kinds,
            cpus: seen,
            names,
        };
        layers.number();
        layers
    }

    /// Numbers the objects of each layer within those above.
    fn number(&mut self) {
        for layer in 0..self.kinds.len() {
            let mut known: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
            for at in 0..self.cpus.len() {
                let above = if layer == 0 {
                    Vec::new()
                } else {
                    vec![self.cpus[at].objects[layer - 1]]
                };
                let own = self.cpus[at].objects[layer];
                let children = known.entry(above).or_default();
                if !children.contains(&own) {
                    children.push(own);
                }
                let number = children.iter().position(|&child| child == own).unwrap_or(0);
                self.cpus[at].within[layer] = u32::try_from(number).unwrap_or(0);
            }
        }
    }

    /// The row of a layer, by its name or by one that it has besides; `None`: there is none.
    pub(super) fn find(&self, kind: Kind) -> Option<usize> {
        let mut kind = kind;
        for _ in 0..8 {
            if let Some(row) = self.kinds.iter().position(|&own| own == kind) {
                return Some(row);
            }
            kind = *self.names.get(&kind)?;
        }
        None
    }

    pub(super) fn core(&self) -> usize {
        self.kinds.len() - 2
    }

    pub(super) fn thread(&self) -> usize {
        self.kinds.len() - 1
    }

    /// The objects of a layer in id order.
    pub(super) fn objects(&self, layer: usize) -> Vec<Set> {
        let mut found: Vec<(u32, Set)> = Vec::new();
        for cpu in &self.cpus {
            match found.iter_mut().find(|(own, _)| *own == cpu.objects[layer]) {
                Some((_, set)) => {
                    set.insert(cpu.os);
                }
                None => found.push((cpu.objects[layer], Set::from([cpu.os]))),
            }
        }
        found.into_iter().map(|(_, set)| set).collect()
    }
}
