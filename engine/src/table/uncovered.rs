//! What of a node lies outside the objects of a kind: the reason why processes that are mapped or bound to them find no cpus.

use super::topologies::{ObjectId, Topologies, TopologyId};
use crate::policy::ObjKind;
use bitvec::slice::BitSlice;

/// What of a node is not served by the objects of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uncovered {
    /// The kind.
    pub kind: ObjKind,
    /// Objects of the kind.
    pub objects: u32,
    /// Objects of the kind without cpus that may be used.
    pub without_cpus: u32,
    /// Objects of the kind that count: NUMA nodes behind other memory are left out (`semantics` 1.1).
    pub counted: u32,
    /// Cores, or hwthreads where there are no cores.
    pub cores: u32,
    /// Those that lie in none of the objects that count.
    pub outside: u32,
}

impl Uncovered {
    /// Looks at a node. `allowed`: its PUs that may be used.
    ///
    /// Cost: the objects of the kind, and the cores.
    #[must_use]
    pub fn new(
        topologies: &Topologies,
        topology: TopologyId,
        allowed: &BitSlice<u64>,
        kind: ObjKind,
    ) -> Self {
        let all: Vec<ObjectId> = topologies.objects(topology, kind).collect();
        let counted: Vec<ObjectId> = if kind == ObjKind::Numa {
            topologies.domains(topology).to_vec()
        } else {
            all.clone()
        };
        let some = |ranges: &[(u32, u32)]| {
            ranges
                .iter()
                .any(|&(first, end)| allowed[first as usize..end as usize].any())
        };
        let mut covered = bitvec::vec::BitVec::<u64>::repeat(false, allowed.len());
        for &object in &counted {
            for &(first, end) in topologies.ranges(object) {
                covered[first as usize..end as usize].fill(true);
            }
        }
        let (mut cores, mut outside) = (0, 0);
        let mut core = |ranges: &[(u32, u32)]| {
            if some(ranges) {
                cores += 1;
                let inside = ranges
                    .iter()
                    .any(|&(first, end)| covered[first as usize..end as usize].any());
                outside += u32::from(!inside);
            }
        };
        if topologies.count(topology, ObjKind::Core) == 0 {
            let pus = u32::try_from(allowed.len()).unwrap_or(u32::MAX);
            (0..pus).for_each(|pu| core(&[(pu, pu + 1)]));
        } else {
            let objects = topologies.objects(topology, ObjKind::Core);
            objects.for_each(|object| core(topologies.ranges(object)));
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let empty = all
            .iter()
            .filter(|&&object| !some(topologies.ranges(object)));
        Self {
            kind,
            objects: count(all.len()),
            without_cpus: count(empty.count()),
            counted: count(counted.len()),
            cores,
            outside,
        }
    }

    /// The reason in words, if the objects leave something out: `2 of its 4 numa have no cpus that may be used`.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let word = self.kind.word();
        let mut reasons = Vec::new();
        if self.without_cpus > 0 {
            reasons.push(format!(
                "{} of its {} {word} have no cpus that may be used",
                self.without_cpus, self.objects
            ));
        }
        if self.outside > 0 {
            let counts = if self.counted < self.objects - self.without_cpus {
                " that counts: memory behind memory does not"
            } else {
                ""
            };
            reasons.push(format!(
                "{} of its {} cores lie in no {word}{counts}",
                self.outside, self.cores
            ));
        }
        (!reasons.is_empty()).then(|| reasons.join(", "))
    }

    /// How many objects with cpus do not count, as they lie behind others.
    #[must_use]
    pub const fn left_out(&self) -> u32 {
        (self.objects - self.without_cpus).saturating_sub(self.counted)
    }
}
