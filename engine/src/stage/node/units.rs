//! One topology as the inner loops see it: its cpus ("units": cores, or PUs), objects of other kinds, and which of them are where.

pub(crate) use super::bits::narrow;
use super::bits::{self, Bits};
use crate::policy::{CpuMode, ObjKind};
use crate::table::topologies::{ObjectId, Topologies, TopologyId};
use std::borrow::Cow;
use std::ops::Range;

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

/// How many objects of a kind begin before a PU, and how many end at or before it.
#[derive(Clone, Copy, Debug)]
struct Passed {
    begun: u32,
    ended: u32,
}

/// Objects of one kind, and how many were passed at each PU.
#[derive(Clone, Debug)]
struct Objects {
    ids: Vec<ObjectId>,
    /// Where each object is one stretch and behind the one before it, as nearly always. Shape `[PUs + 1]`; empty where they
    /// lie anyhow.
    passed: Vec<Passed>,
}

impl Objects {
    fn new(topologies: &Topologies, ids: Vec<ObjectId>, pus: u32) -> Self {
        Self {
            passed: passed(topologies, &ids, pus),
            ids,
        }
    }
}

fn passed(topologies: &Topologies, objects: &[ObjectId], pus: u32) -> Vec<Passed> {
    let between = |count| Passed {
        begun: count,
        ended: count,
    };
    let mut passed = Vec::with_capacity(pus as usize + 1);
    passed.push(between(0));
    for (at, &object) in (0..).zip(objects) {
        let (first, end) = match *topologies.ranges(object) {
            [(first, end)] if first as usize + 1 >= passed.len() => (first as usize, end as usize),
            _ => return Vec::new(),
        };
        passed.resize(first + 1, between(at));
        let inside = Passed {
            begun: at + 1,
            ended: at,
        };
        passed.resize(end, inside);
        passed.push(between(at + 1));
    }
    passed.resize(pus as usize + 1, between(narrow(objects.len())));
    passed
}

/// Objects of one kind, found by their PUs.
#[derive(Clone, Debug)]
pub(crate) struct Located<'t> {
    topologies: &'t Topologies,
    objects: Cow<'t, Objects>,
}

impl<'t> Located<'t> {
    /// How many.
    pub(crate) fn len(&self) -> u32 {
        narrow(self.objects.ids.len())
    }
    /// None at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.ids.is_empty()
    }
    /// One of them.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> ObjectId {
        self.objects.ids[at as usize]
    }
    /// The PUs of one of them.
    #[inline]
    pub(crate) fn pus(&self, at: u32) -> &'t [(u32, u32)] {
        self.topologies.ranges(self.get(at))
    }

    /// Numbers among which all are that share a PU with these.
    #[inline]
    pub(crate) fn meeting(&self, pus: &[(u32, u32)]) -> Range<u32> {
        let (Some(first), Some(last)) = (pus.first(), pus.last()) else {
            return 0..0;
        };
        if self.objects.passed.is_empty() {
            return 0..self.len();
        }
        self.objects.passed[first.0 as usize].ended..self.objects.passed[last.1 as usize].begun
    }
    /// The one that has a PU.
    pub(crate) fn of_pu(&self, pu: u32) -> Option<u32> {
        let has = |&at: &u32| self.pus(at).iter().any(|&(a, b)| a <= pu && pu < b);
        self.meeting(&[(pu, pu + 1)]).find(has)
    }
    /// Those that lie in these PUs, as stretches of their numbers.
    #[inline]
    pub(crate) fn inside(&self, pus: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
        let (stretches, looked_at) = if self.objects.passed.is_empty() {
            (&[][..], self.len())
        } else {
            (pus, 0)
        };
        let found = stretches
            .iter()
            .map(|&stretch| self.inside_stretch(stretch));
        let each = (0..looked_at).filter(|&at| bits::lie_in(self.pus(at), pus));
        found
            .filter(|(from, to)| from < to)
            .chain(each.map(|at| (at, at + 1)))
    }
    /// Those that lie in a stretch of PUs, where each is one stretch itself and behind the one before it.
    #[inline]
    fn inside_stretch(&self, (first, end): (u32, u32)) -> (u32, u32) {
        let (first, end) = (
            self.objects.passed[first as usize],
            self.objects.passed[end as usize],
        );
        (first.begun, end.ended)
    }
    /// How many of a set of them lie in these PUs.
    #[inline]
    pub(crate) fn count_inside(&self, set: &[u64], pus: &[(u32, u32)]) -> u32 {
        if self.objects.passed.is_empty() {
            return bits::count_of(set, self.inside(pus));
        }
        let stretches = pus.iter().map(|&stretch| self.inside_stretch(stretch));
        bits::count_of(set, stretches)
    }
    /// The first of a set of them that lies in these PUs.
    #[inline]
    pub(crate) fn first_inside(&self, set: &[u64], pus: &[(u32, u32)]) -> Option<u32> {
        if self.objects.passed.is_empty() {
            return bits::first_of(set, self.inside(pus));
        }
        let stretches = pus.iter().map(|&stretch| self.inside_stretch(stretch));
        bits::first_of(set, stretches)
    }
    /// Whether one of them has PUs, all of them in a set.
    #[inline]
    pub(crate) fn lies_in(&self, at: u32, set: &[u64]) -> bool {
        let own = self.pus(at);
        !own.is_empty() && bits::has_all(set, own)
    }
    /// Those all of whose PUs are in a set.
    pub(crate) fn within(&self, set: &[u64]) -> Bits {
        if self.objects.passed.len() == self.len() as usize + 1 {
            // As many as PUs: they are the PUs.
            return Bits::of(set, self.len());
        }
        let mut found = Bits::none(self.len());
        for at in (0..self.len()).filter(|&at| self.lies_in(at, set)) {
            found.add(&[(at, at + 1)]);
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
    /// Where there are cores; else hwthreads are the cpus (`semantics` 3.3).
    cores: Option<Objects>,
}

impl Hardware {
    pub(crate) fn new(topologies: &Topologies, topology: TopologyId) -> Self {
        let pus = narrow(topologies.pus_os(topology).len());
        let cores = targets(topologies, topology, ObjKind::Core);
        Self {
            topology,
            pus,
            cores: (!cores.is_empty()).then(|| Objects::new(topologies, cores, pus)),
        }
    }

    /// The objects of a kind. Cost: these and the PUs; of cores nothing.
    pub(crate) fn located<'t>(&'t self, topologies: &'t Topologies, kind: ObjKind) -> Located<'t> {
        let objects = match &self.cores {
            Some(cores) if kind == ObjKind::Core => Cow::Borrowed(cores),
            _ => {
                let ids = targets(topologies, self.topology, kind);
                Cow::Owned(Objects::new(topologies, ids, self.pus))
            }
        };
        Located {
            topologies,
            objects,
        }
    }
    /// The cpus in force: PUs where there are no cores.
    pub(crate) fn units<'t>(&'t self, topologies: &'t Topologies, mode: CpuMode) -> Located<'t> {
        match self.mode(mode) {
            CpuMode::Core => self.located(topologies, ObjKind::Core),
            CpuMode::Hwthread => self.located(topologies, ObjKind::Hwthread),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::cpusets::Cpusets;
    use crate::table::topologies::{DraftObject, TopologyDraft};

    const PUS: u32 = 6;

    /// Which of three cores each PU belongs to, every way there is; 3 is none.
    fn owners(way: u32) -> Vec<u32> {
        (0..PUS).map(|pu| way / 4_u32.pow(pu) % 4).collect()
    }

    fn cores(owners: &[u32]) -> (Topologies, TopologyId) {
        let object = |kind, pus: Vec<u32>| DraftObject {
            kind,
            os: None,
            pus: pus.into_iter().map(|pu| pu..pu + 1).collect(),
        };
        let of = |core| (0..PUS).filter(move |&pu| owners[pu as usize] == core);
        let mut objects = vec![object(ObjKind::Machine, (0..PUS).collect())];
        let used = (0..3).filter(|core| owners.contains(core));
        objects.extend(used.map(|core| object(ObjKind::Core, of(core).collect())));
        for object in &mut objects {
            // Neighbours are one range.
            object.pus.dedup_by(|next, last| {
                let joined = last.end == next.start;
                last.end = if joined { next.end } else { last.end };
                joined
            });
        }
        let draft = TopologyDraft {
            pus_os: (0..PUS).collect(),
            objects,
            ..TopologyDraft::default()
        };
        let mut topologies = Topologies::default();
        let added = topologies.add(draft, &mut Cpusets::default());
        (topologies, added.expect("cores of any PUs are sound"))
    }

    #[test]
    fn units_are_found_however_they_are_cut() {
        let stretches = (0..PUS).flat_map(|first| (first + 1..=PUS).map(move |end| (first, end)));
        let stretches: Vec<(u32, u32)> = stretches.collect();
        // Every core has PUs.
        let sound = |owners: &Vec<u32>| {
            let used = |core| owners.contains(&core);
            used(0) && (used(1) || !used(2))
        };
        for owners in (0..4_u32.pow(PUS)).map(owners).filter(sound) {
            let (topologies, id) = cores(&owners);
            let hardware = Hardware::new(&topologies, id);
            let units = hardware.units(&topologies, CpuMode::Core);
            let of = &owners;
            let own = |unit: u32| (0..PUS).filter(move |&pu| of[pu as usize] == unit);
            let count = owners
                .iter()
                .filter(|&&unit| unit < 3)
                .max()
                .map_or(0, |last| last + 1);
            let mut all = Bits::none(count);
            all.add(&[(0, count)]);
            for pu in 0..PUS {
                let owner = Some(owners[pu as usize]).filter(|&unit| unit < 3);
                assert_eq!(units.of_pu(pu), owner, "{owners:?}");
            }
            for &(first, end) in &stretches {
                // Without the PU before the last, too.
                let gap = [(first, end.saturating_sub(2).max(first)), (end - 1, end)];
                let gap = if gap[0].0 < gap[0].1 {
                    &gap[..]
                } else {
                    &gap[1..]
                };
                for pus in [&[(first, end)][..], gap] {
                    let has = |pu: &u32| pus.iter().any(|&(a, b)| a <= *pu && *pu < b);
                    let whole = |&unit: &u32| own(unit).all(|pu| has(&pu));
                    let wanted: Vec<u32> = (0..count).filter(whole).collect();
                    let found: Vec<(u32, u32)> = units.inside(pus).collect();
                    assert!(found.iter().all(|(a, b)| a < b), "{owners:?} {pus:?}");
                    let listed: Vec<u32> = found.iter().flat_map(|&(a, b)| a..b).collect();
                    assert_eq!(listed, wanted, "{owners:?} {pus:?}");
                    assert_eq!(units.count_inside(all.words(), pus), narrow(wanted.len()));
                    let first = units.first_inside(all.words(), pus);
                    assert_eq!(first, wanted.first().copied(), "{owners:?} {pus:?}");
                    let meets = |unit: u32| own(unit).any(|pu| has(&pu));
                    let meeting = units.meeting(pus);
                    let missed = (0..count).find(|unit| meets(*unit) && !meeting.contains(unit));
                    assert_eq!(missed, None, "{owners:?} {pus:?}");
                    let mut set = Bits::none(PUS);
                    set.add(pus);
                    let within = units.within(set.words());
                    let within: Vec<u32> = bits::ones(within.words(), &[(0, count)]).collect();
                    assert_eq!(within, wanted, "{owners:?} {pus:?}");
                }
            }
        }
    }
}
