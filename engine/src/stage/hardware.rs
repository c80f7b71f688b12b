//! One topology as the inner loops see it: its cpus ("units": cores, or PUs) and which of them lie inside an object.

use crate::policy::{CpuMode, ObjKind};
use crate::table::topologies::{ObjectId, Topologies, TopologyId};
use smallvec::SmallVec;

/// Stretches of logical numbers, as (first, end).
pub(crate) type Stretches = SmallVec<[(u32, u32); 2]>;

/// The cpus of a topology in one mode.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// PUs of each unit. Shape `[units]`; ascending, nearly always one stretch each.
    pus: Vec<Stretches>,
    /// The unit of each PU, or none for a PU outside every core. Shape `[PUs]`.
    of_pu: Vec<Option<u32>>,
    /// Units are single stretches in ascending order: then those inside a stretch are found by search.
    tidy: bool,
    /// PUs of every unit, where units follow each other without gaps from PU 0: then they are found by division.
    even: Option<u32>,
}

impl Units {
    fn new(pus: Vec<Stretches>, pu_count: u32) -> Self {
        let mut of_pu = vec![None; pu_count as usize];
        for (unit, stretches) in (0..).zip(&pus) {
            for pu in stretches.iter().flat_map(|&(first, end)| first..end) {
                of_pu[pu as usize] = Some(unit);
            }
        }
        let tidy = pus.iter().all(|unit| unit.len() == 1)
            && pus.windows(2).all(|two| two[0][0].1 <= two[1][0].0);
        let even = pus.first().filter(|_| tidy).map(|first| first[0].1);
        let even = even.filter(|&width| {
            (0..)
                .zip(&pus)
                .all(|(unit, own)| own[0] == (unit * width, (unit + 1) * width))
        });
        Self {
            pus,
            of_pu,
            tidy,
            even,
        }
    }

    /// How many.
    pub(crate) const fn len(&self) -> usize {
        self.pus.len()
    }
    /// The PUs of a unit.
    pub(crate) fn pus(&self, unit: u32) -> &[(u32, u32)] {
        &self.pus[unit as usize]
    }
    /// Whether units are the PUs themselves, in order.
    pub(crate) const fn are_pus(&self) -> bool {
        matches!(self.even, Some(1))
    }
    /// The unit of a PU.
    pub(crate) fn of_pu(&self, pu: u32) -> Option<u32> {
        self.of_pu[pu as usize]
    }
    /// The units wholly inside these PUs, as stretches of unit numbers.
    pub(crate) fn inside(&self, pus: &[(u32, u32)]) -> Stretches {
        let mut found = Stretches::new();
        if let Some(width) = self.even {
            let last = narrow(self.pus.len());
            for &(first, end) in pus {
                let (from, to) = (first.div_ceil(width), (end / width).min(last));
                if from < to {
                    found.push((from, to));
                }
            }
            return found;
        }
        if self.tidy {
            for &(first, end) in pus {
                let from = self.pus.partition_point(|unit| unit[0].0 < first);
                let to = self.pus.partition_point(|unit| unit[0].1 <= end);
                if from < to {
                    found.push((narrow(from), narrow(to)));
                }
            }
            return found;
        }
        let within = |&(first, end): &(u32, u32)| pus.iter().any(|&(a, b)| a <= first && end <= b);
        for (unit, stretches) in (0..).zip(&self.pus) {
            if !stretches.is_empty() && stretches.iter().all(within) {
                match found.last_mut() {
                    Some(last) if last.1 == unit => last.1 += 1,
                    _ => found.push((unit, unit + 1)),
                }
            }
        }
        found
    }
}

/// One topology.
#[derive(Clone, Debug)]
pub(crate) struct Hardware {
    pub(crate) topology: TopologyId,
    /// PUs.
    pub(crate) pus: u32,
    /// Whether there are cores; else hwthreads are the cpus (seed 003).
    cores: Option<Units>,
    threads: Units,
}

impl Hardware {
    pub(crate) fn new(topologies: &Topologies, topology: TopologyId) -> Self {
        let pus = narrow(topologies.pus_os(topology).len());
        let cores: Vec<Stretches> = topologies
            .objects(topology, ObjKind::Core)
            .map(|core| Stretches::from_slice(topologies.ranges(core)))
            .collect();
        let threads = (0..pus)
            .map(|pu| Stretches::from_slice(&[(pu, pu + 1)]))
            .collect();
        Self {
            topology,
            pus,
            cores: (!cores.is_empty()).then(|| Units::new(cores, pus)),
            threads: Units::new(threads, pus),
        }
    }

    /// The cpus in force: PUs where there are no cores.
    pub(crate) fn units(&self, mode: CpuMode) -> &Units {
        match mode {
            CpuMode::Core => self.cores.as_ref().unwrap_or(&self.threads),
            CpuMode::Hwthread => &self.threads,
        }
    }
    /// The mode in force: a topology without cores is always in hwthread mode.
    pub(crate) fn mode(&self, asked: CpuMode) -> CpuMode {
        if self.cores.is_some() {
            asked
        } else {
            CpuMode::Hwthread
        }
    }
    /// What a kind means here: `core` is hwthread where there are no cores.
    pub(crate) fn kind(&self, asked: ObjKind) -> ObjKind {
        if asked == ObjKind::Core && self.cores.is_none() {
            ObjKind::Hwthread
        } else {
            asked
        }
    }
}

/// The objects of a kind that can be mapping or binding targets, in logical order.
pub(crate) fn targets(
    topologies: &Topologies,
    topology: TopologyId,
    kind: ObjKind,
) -> Vec<ObjectId> {
    if kind == ObjKind::Numa {
        topologies.domains(topology).to_vec()
    } else {
        topologies.objects(topology, kind).collect()
    }
}

/// The stretches that two ascending lists share.
pub(crate) fn shared(a: &[(u32, u32)], b: &[(u32, u32)]) -> Stretches {
    let mut found = Stretches::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (first, end) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if first < end {
            found.push((first, end));
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    found
}

pub(crate) fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("limit.rs keeps PUs and objects below 2^32")
}
