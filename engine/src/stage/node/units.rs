//! One topology as the inner loops see it: its cpus ("units": cores or PUs), and which of them lie inside an object.

use super::bits::{self, Bits, There, has_all};
use crate::id::Id as _;
use crate::policy::{CpuMode, ObjKind};
use crate::table::device_order::DeviceGroup;
use crate::table::topologies::{ObjectId, Topologies, TopologyId};
use smallvec::SmallVec;

/// Stretches of logical numbers, as (first, end).
pub(crate) type Stretches = SmallVec<[(u32, u32); 2]>;

/// The cpus of a topology in one mode.
#[derive(Clone, Debug)]
pub struct Units {
    count: u32,
    cut: Cut,
}

/// How PUs are cut into units.
#[derive(Clone, Debug)]
enum Cut {
    /// Each unit has this many PUs; units follow each other without gaps from PU 0 and are found by division.
    Even(u32),
    /// In any other way.
    Listed(Box<ListedUnits>),
}

/// Units that differ, or do not follow each other without gaps.
#[derive(Clone, Debug)]
struct ListedUnits {
    /// The PUs of each unit, ascending, nearly always one stretch. Shape `[units]`.
    pus: Vec<Stretches>,
    /// The unit of each PU; `None` for a PU outside every core. Shape `[PUs]`.
    of_pu: Vec<Option<u32>>,
    /// Whether units are single stretches in ascending order. A search then finds the units inside a stretch.
    tidy: bool,
}

impl Units {
    /// Each PU is a unit.
    const fn of_pus(count: u32) -> Self {
        Self {
            count,
            cut: Cut::Even(1),
        }
    }

    /// Each core of a topology is a unit.
    fn of_cores(topologies: &Topologies, cores: &Targets<'_>, pus: u32) -> Self {
        let ranges = |at: u32| topologies.ranges(cores.get(at));
        let count = cores.len();
        let width = ranges(0).first().map_or(0, |first| first.1);
        let even = (0..count).all(|at| ranges(at) == [(at * width, (at + 1) * width)]);
        if even && width > 0 {
            let cut = Cut::Even(width);
            return Self { count, cut };
        }
        let own: Vec<Stretches> = (0..count)
            .map(|at| Stretches::from_slice(ranges(at)))
            .collect();
        let mut of_pu = vec![None; pus as usize];
        for (unit, stretches) in (0..).zip(&own) {
            for pu in stretches.iter().flat_map(|&(first, end)| first..end) {
                of_pu[pu as usize] = Some(unit);
            }
        }
        let tidy = own.iter().all(|unit| unit.len() == 1)
            && own.windows(2).all(|two| two[0][0].1 <= two[1][0].0);
        let listed = ListedUnits {
            pus: own,
            of_pu,
            tidy,
        };
        let cut = Cut::Listed(Box::new(listed));
        Self { count, cut }
    }

    /// How many units there are.
    pub(crate) const fn len(&self) -> u32 {
        self.count
    }
    /// Removes the PUs of a unit from a set.
    #[inline]
    pub(crate) fn take(&self, unit: u32, from: &mut Bits) {
        match &self.cut {
            Cut::Even(1) => from.put(unit, There::No),
            Cut::Even(width) => from.fill((unit * width, (unit + 1) * width), There::No),
            Cut::Listed(listed) => {
                for &pus in &listed.pus[unit as usize] {
                    from.fill(pus, There::No);
                }
            }
        }
    }
    /// The PUs of a unit.
    #[inline]
    pub(crate) fn pus(&self, unit: u32) -> Stretches {
        match &self.cut {
            Cut::Even(width) => Stretches::from_slice(&[(unit * width, (unit + 1) * width)]),
            Cut::Listed(listed) => listed.pus[unit as usize].clone(),
        }
    }
    /// How many PUs each unit has, if units follow each other without gaps from PU 0.
    pub(crate) const fn width(&self) -> Option<u32> {
        match &self.cut {
            Cut::Even(width) => Some(*width),
            Cut::Listed(_) => None,
        }
    }
    /// The unit of a PU.
    pub fn of_pu(&self, pu: u32) -> Option<u32> {
        match &self.cut {
            Cut::Even(width) => Some(pu / width).filter(|&unit| unit < self.count),
            Cut::Listed(listed) => listed.of_pu[pu as usize],
        }
    }
    /// The units wholly inside a stretch of PUs, for even units.
    #[inline]
    fn even(&self, width: u32, (first, end): (u32, u32)) -> (u32, u32) {
        if width == 1 {
            (first, end.min(self.count))
        } else {
            (first.div_ceil(width), (end / width).min(self.count))
        }
    }
    /// How many units of a set lie wholly inside these PUs.
    #[inline]
    pub fn count_inside(&self, set: &[u64], pus: &[(u32, u32)]) -> u32 {
        match &self.cut {
            Cut::Even(width) => {
                let count = |&stretch| bits::count(set, self.even(*width, stretch));
                pus.iter().map(count).sum()
            }
            Cut::Listed(listed) => bits::count_of(set, &listed.inside(pus)),
        }
    }
    /// The first unit of a set that lies wholly inside these PUs, from unit `from` on.
    #[inline]
    pub fn first_inside(&self, set: &[u64], pus: &[(u32, u32)], from: u32) -> Option<u32> {
        let ahead = |(first, end): (u32, u32)| bits::first(set, (first.max(from), end));
        match &self.cut {
            Cut::Even(width) => pus
                .iter()
                .find_map(|&stretch| ahead(self.even(*width, stretch))),
            Cut::Listed(listed) => listed.inside(pus).into_iter().find_map(ahead),
        }
    }
    /// The units wholly inside these PUs, as stretches of unit numbers.
    #[inline]
    pub fn inside(&self, pus: &[(u32, u32)]) -> Stretches {
        match &self.cut {
            Cut::Even(width) => {
                let units = |&stretch| self.even(*width, stretch);
                pus.iter().map(units).filter(|(a, b)| a < b).collect()
            }
            Cut::Listed(listed) => listed.inside(pus),
        }
    }
    /// Updates the units that have PUs among `pus`: a unit is in `units` if all its PUs are in `set`. Cost: these PUs.
    pub(crate) fn look_again(&self, units: &mut Bits, set: &[u64], pus: &[(u32, u32)]) {
        let mut look = |unit: u32| {
            let own = self.pus(unit);
            let free = !own.is_empty() && own.iter().all(|&pus| has_all(set, pus));
            units.put(unit, if free { There::Yes } else { There::No });
        };
        for &(first, end) in pus {
            match &self.cut {
                Cut::Even(width) => {
                    (first / width..end.div_ceil(*width).min(self.count)).for_each(&mut look);
                }
                Cut::Listed(listed) => {
                    let mut last = None;
                    for unit in listed.of_pu[first as usize..end as usize].iter().flatten() {
                        if last != Some(unit) {
                            look(*unit);
                            last = Some(unit);
                        }
                    }
                }
            }
        }
    }
    /// The units whose PUs are all in a set.
    pub fn within(&self, set: &[u64], pus: u32) -> Bits {
        match &self.cut {
            Cut::Even(1) if self.count == pus => Bits::of(set, pus),
            Cut::Even(_) | Cut::Listed(_) => {
                let mut found = Bits::none(self.count);
                for unit in 0..self.count {
                    let own = self.pus(unit);
                    if !own.is_empty() && own.iter().all(|&pus| has_all(set, pus)) {
                        found.put(unit, There::Yes);
                    }
                }
                found
            }
        }
    }
}

impl ListedUnits {
    fn inside(&self, pus: &[(u32, u32)]) -> Stretches {
        let mut found = Stretches::new();
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

/// The cpus of one topology.
#[derive(Clone, Debug)]
pub struct Hardware {
    pub(crate) topology: TopologyId,
    /// How many PUs there are.
    pub(crate) pus: u32,
    /// `None` if there are no cores: then hwthreads are the cpus (`semantics` 3.3).
    cores: Option<Units>,
    threads: Units,
}

impl Hardware {
    /// Works out the units of a topology. Cost: its cores and PUs.
    pub fn new(topologies: &Topologies, topology: TopologyId) -> Self {
        let pus = narrow(topologies.pus_os(topology).len());
        let cores = Targets::new(topologies, topology, ObjKind::Core);
        Self {
            topology,
            pus,
            cores: (!cores.is_empty()).then(|| Units::of_cores(topologies, &cores, pus)),
            threads: Units::of_pus(pus),
        }
    }

    /// The cpus in force: PUs if there are no cores.
    pub fn units(&self, mode: CpuMode) -> &Units {
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
    /// The kind that is meant on this topology: `core` means hwthread if there are no cores.
    pub(crate) fn kind(&self, asked: ObjKind) -> ObjKind {
        if asked == ObjKind::Core && self.cores.is_none() {
            ObjKind::Hwthread
        } else {
            asked
        }
    }
}

/// The objects of a kind that can be mapping or binding targets, in order.
#[derive(Clone, Debug)]
pub(crate) enum Targets<'t> {
    /// All objects of a kind, in consecutive rows.
    Kind { first: u32, count: u32 },
    /// NUMA domains.
    Domains(&'t [ObjectId]),
    /// NUMA domains, nearest first.
    Near(Vec<ObjectId>),
    /// The devices of each process.
    Devices(Vec<DeviceGroup>),
}

impl<'t> Targets<'t> {
    /// No objects.
    pub(crate) const NONE: Self = Self::Domains(&[]);

    /// The objects of a kind, in logical order.
    pub(crate) fn new(topologies: &'t Topologies, topology: TopologyId, kind: ObjKind) -> Self {
        if kind == ObjKind::Numa {
            return Self::Domains(topologies.domains(topology));
        }
        let mut objects = topologies.objects(topology, kind);
        Self::Kind {
            count: narrow(objects.len()),
            first: objects.next().map_or(0, |first| narrow(first.row())),
        }
    }
    /// How many objects there are.
    pub(crate) fn len(&self) -> u32 {
        match self {
            Self::Kind { count, .. } => *count,
            Self::Domains(objects) => narrow(objects.len()),
            Self::Near(objects) => narrow(objects.len()),
            Self::Devices(groups) => narrow(groups.len()),
        }
    }
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The object at an index.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> ObjectId {
        match self {
            Self::Kind { first, count } => {
                debug_assert!(at < *count, "a target is below their number");
                ObjectId::from_row((first + at) as usize)
            }
            Self::Domains(objects) => objects[at as usize],
            Self::Near(objects) => objects[at as usize],
            Self::Devices(groups) => groups[at as usize].around,
        }
    }
    /// All objects, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ObjectId> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// The stretches that are in both of two ascending lists.
#[inline]
pub fn shared(a: &[(u32, u32)], b: &[(u32, u32)]) -> Stretches {
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
