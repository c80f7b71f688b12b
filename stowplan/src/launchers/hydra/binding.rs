//! What each local rank of a node is bound to. Source: `lines/hydra/spec.md` 6.

use super::objects::{Kind, Pus, all_objects, kind, lies_in, objects};
use super::refusal::fails;
use super::version::Version;
use crate::launchers::line::named::leading_number;
use crate::launchers::line::{Hardware, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::table::topologies::TopologyId;

/// What the ranks of a node are bound to, by local rank.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Bound {
    /// To nothing.
    Free,
    /// Local rank i has set i, round by round.
    Round(Vec<RoaringBitmap>),
    /// Local rank i has set i; later ones are unbound. `None`: that one is unbound.
    List(Vec<Option<RoaringBitmap>>),
}

impl Bound {
    /// The cpus of a local rank; `None`: unbound.
    pub(crate) fn of(&self, local: u32) -> Option<&RoaringBitmap> {
        let local = local as usize;
        match self {
            Self::Free => None,
            Self::Round(sets) => sets.get(local % sets.len().max(1)),
            Self::List(sets) => sets.get(local)?.as_ref(),
        }
    }
    /// From which local rank on all get the same in turn, and how many take turns; 1 and 1 for one that binds nobody.
    pub(crate) fn turns(&self) -> usize {
        match self {
            Self::Free => 1,
            Self::Round(sets) => sets.len().max(1),
            Self::List(sets) => sets.len() + 1,
        }
    }
}

/// A node of which the binding is asked.
pub(crate) struct Node<'a> {
    pub(crate) hardware: &'a dyn Hardware,
    pub(crate) topology: TopologyId,
    pub(super) version: Version,
    /// Ranks of the node.
    pub(crate) ranks: u32,
}

impl Node<'_> {
    /// What the ranks are bound to, by the words `-bind-to` and `-map-by`.
    ///
    /// # Errors
    /// `launch-fails`, `not-modelled`.
    pub(crate) fn bound(&self, bind: &str, map: Option<&str>) -> Result<Bound, LineRefused> {
        if bind.is_empty() || bind == "none" {
            return Ok(Bound::Free);
        }
        if let Some(list) = bind.strip_prefix("user:") {
            return self.by_user(list);
        }
        if bind == "rr" {
            return self.by_turns();
        }
        let target = self.objects(bind)?;
        let mapped = match map {
            Some(map) => self.objects(map)?,
            None => target.clone(),
        };
        self.fits(&mapped, bind, map)?;
        self.sets(&target, &mapped).map(Bound::Round)
    }

    /// The OS numbers of the PUs.
    fn os(&self) -> &[u32] {
        self.hardware.topologies().pus_os(self.topology)
    }

    /// The objects of `OBJ[:b]`, with b.
    fn objects(&self, text: &str) -> Result<(Vec<Pus>, u64), LineRefused> {
        let (name, count) = match text.split_once(':') {
            Some((name, count)) => (name, leading_number(count)),
            None => (text, 1),
        };
        let found = match kind(name, self.version) {
            None => return Err(fails(&format!("{text}: {name} is no object that it knows"))),
            Some(Kind::Device) => {
                return Err(LineRefused::new(
                    "not-modelled",
                    format!("{text}: which objects the device {name} is near is not known"),
                ));
            }
            Some(Kind::Never) => Vec::new(),
            Some(Kind::Of(kind)) => objects(self.hardware, self.topology, kind),
        };
        if found.is_empty() {
            return Err(fails(&format!(
                "{text}: hardware object not found: the node has no {name}"
            )));
        }
        let count = u64::try_from(count).unwrap_or(0);
        if count == 0 {
            return Err(fails(&format!("{text}: a mapping of no object")));
        }
        Ok((found, count))
    }

    /// Whether a mapping fits on the node. A binding alone maps by itself.
    fn fits(
        &self,
        (mapped, m): &(Vec<Pus>, u64),
        bind: &str,
        map: Option<&str>,
    ) -> Result<(), LineRefused> {
        let all = self.os().len() as u64;
        let each = all / mapped.len() as u64;
        let wanted = each.saturating_mul(*m);
        if wanted <= all {
            return Ok(());
        }
        let (word, text) = map.map_or(("-bind-to", bind), |map| ("-map-by", map));
        let refused = fails(&format!(
            "{word} {text}: mapping larger than the system: {wanted} cpus for each, the node has {all}"
        ));
        let name = text.split(':').next().unwrap_or(text);
        let largest = all / each;
        let help = format!("the largest that fits is {word} {name}:{largest}");
        Err(refused.help([help]))
    }

    /// The rule: domains of mapping objects, in which bind objects are taken one after another.
    fn sets(
        &self,
        (targets, b): &(Vec<Pus>, u64),
        (mapped, m): &(Vec<Pus>, u64),
    ) -> Result<Vec<RoaringBitmap>, LineRefused> {
        let all = self.os().len() as u64;
        let size = |objects: &[Pus], count: u64| (all / objects.len() as u64).saturating_mul(count);
        let (pm, pb) = (size(mapped, *m), size(targets, *b));
        if pm == 0 || pb == 0 {
            return Err(fails("a mapping of no cpu"));
        }
        let domains = mapped.len() as u64 / gcd(mapped.len() as u64, *m);
        let sets = if pb < pm {
            let times = pb / gcd(pb, pm);
            times * pm * domains / pb
        } else {
            domains
        };
        let wanted = sets.min(u64::from(self.ranks.max(1)));
        let b = usize::try_from(*b).unwrap_or(usize::MAX);
        let m = usize::try_from(*m).unwrap_or(usize::MAX);
        // Whether sets are made of objects near their domain.
        let near = pb < pm && b > 1;
        let mut objects = Vec::new();
        if near {
            objects = all_objects(self.hardware, self.topology);
        }
        let first_of = first_of(targets, self.os().len());
        let domain = |at: u64| Domain::new(mapped, at, m, &objects);
        let mut rounds: Vec<Domain> = (0..domains.min(wanted)).map(domain).collect();
        let mut found = Vec::new();
        let mut last = 0;
        'all: loop {
            for domain in &mut rounds {
                if found.len() as u64 >= wanted {
                    break 'all;
                }
                let pu = domain.pus[domain.cursor];
                let first = first_of[pu as usize].unwrap_or(last);
                last = first;
                let chosen = if near {
                    domain.inside(targets, first, b)
                } else {
                    wrapped(targets.len(), first, b)
                };
                found.push(self.union(chosen.iter().map(|&at| &targets[at])));
                if pb < pm {
                    let step = usize::try_from(pb).unwrap_or(usize::MAX);
                    domain.cursor = (domain.cursor + step) % domain.pus.len();
                }
            }
        }
        Ok(found)
    }

    fn union<'o>(&self, chosen: impl Iterator<Item = &'o Pus>) -> RoaringBitmap {
        let os = self.os();
        chosen.flatten().map(|&pu| os[pu as usize]).collect()
    }

    /// `user:` lists: local rank i has entry i.
    fn by_user(&self, list: &str) -> Result<Bound, LineRefused> {
        let os: RoaringBitmap = self.os().iter().copied().collect();
        let most = usize::try_from(self.ranks).unwrap_or(usize::MAX);
        let mut sets: Vec<Option<RoaringBitmap>> = Vec::new();
        for entry in list.split(',') {
            if sets.len() >= most {
                break;
            }
            let (cpus, times) = self.entry(entry)?;
            let disallowed = self.hardware.topologies().disallowed(self.topology);
            let known = cpus
                .iter()
                .all(|cpu| os.contains(cpu) || disallowed.contains(&cpu));
            let set = &cpus & &os;
            let set = match (known && !set.is_empty(), self.version.fails_without_cpus()) {
                (true, _) => Some(set),
                (false, false) => None,
                (false, true) => {
                    return Err(fails(&format!(
                        "user:{list}: the node lacks cpus of {entry}"
                    )));
                }
            };
            let times = times.min(most - sets.len());
            sets.extend(std::iter::repeat_n(set, times));
        }
        Ok(Bound::List(sets))
    }

    /// `0-3+16x2`: cpus, and how many ranks have them.
    fn entry(&self, entry: &str) -> Result<(RoaringBitmap, usize), LineRefused> {
        let broken = || fails(&format!("user: {entry:?} is no list of cpus"));
        if !self.version.has_ranges() {
            let mut cpus = RoaringBitmap::new();
            for part in entry.split('+') {
                cpus.insert(u32::try_from(leading_number(part)).map_err(|_| broken())?);
            }
            return Ok((cpus, 1));
        }
        let (list, times) = match entry.split_once('x') {
            Some((list, times)) => (list, usize::try_from(leading_number(times)).unwrap_or(0)),
            None => (entry, 1),
        };
        let mut cpus = RoaringBitmap::new();
        for part in list.split('+') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<u32>().map_err(|_| broken());
            let (first, last) = (number(first)?, number(last)?);
            if last - first.min(last) > 1 << 20 {
                return Err(broken());
            }
            cpus.insert_range(first..=last);
        }
        Ok((cpus, times.max(1)))
    }

    /// `rr`: local rank i has OS cpu i mod the number of PUs.
    fn by_turns(&self) -> Result<Bound, LineRefused> {
        let os: RoaringBitmap = self.os().iter().copied().collect();
        let pus = u32::try_from(os.len()).unwrap_or(u32::MAX);
        let mut sets = Vec::new();
        for cpu in 0..pus.min(self.ranks) {
            let there = os.contains(cpu);
            if !there && self.version.fails_without_cpus() {
                let refused = fails(&format!("rr: the node has no cpu {cpu}"));
                return Err(refused.help(["-bind-to hwthread"]));
            }
            sets.push(there.then(|| RoaringBitmap::from([cpu])));
        }
        if sets.iter().all(Option::is_some) {
            return Ok(Bound::Round(sets.into_iter().flatten().collect()));
        }
        let ranks = usize::try_from(self.ranks).unwrap_or(usize::MAX);
        let all = sets.iter().cycle().take(ranks).cloned();
        Ok(Bound::List(all.collect()))
    }
}

/// A domain: the PUs of its mapping objects, and the PU that comes next.
struct Domain {
    pus: Pus,
    cursor: usize,
    /// The smallest object around it.
    around: Pus,
}

impl Domain {
    /// Domain `at` of `m` mapping objects. `objects`: those of the node, the smallest first, if it matters what is around.
    fn new(mapped: &[Pus], at: u64, m: usize, objects: &[Pus]) -> Self {
        let first = usize::try_from(at).unwrap_or(0).saturating_mul(m) % mapped.len();
        let chosen = wrapped(mapped.len(), first, m);
        let start = mapped[first][0];
        let mut pus: Pus = chosen
            .iter()
            .flat_map(|&at| mapped[at].iter().copied())
            .collect();
        pus.sort_unstable();
        pus.dedup();
        let cursor = pus.binary_search(&start).unwrap_or(0);
        let around = objects.iter().find(|own| lies_in(&pus, own)).cloned();
        Self {
            around: around.unwrap_or_default(),
            pus,
            cursor,
        }
    }

    /// The first object, and the next ones, wrapping, that lie inside the object around the domain.
    fn inside(&self, targets: &[Pus], first: usize, count: usize) -> Vec<usize> {
        let mut chosen = vec![first];
        let others: Vec<usize> = (1..=targets.len())
            .map(|step| (first + step) % targets.len())
            .filter(|&at| lies_in(&targets[at], &self.around))
            .take(count)
            .collect();
        if others.is_empty() {
            return chosen;
        }
        chosen.extend(others.iter().copied().cycle().take(count - 1));
        chosen
    }
}

/// The first object that holds each PU.
fn first_of(objects: &[Pus], pus: usize) -> Vec<Option<usize>> {
    let mut first = vec![None; pus];
    for (at, own) in objects.iter().enumerate().rev() {
        for &pu in own {
            first[pu as usize] = Some(at);
        }
    }
    first
}

/// `count` places from `first` on, wrapping; each once.
fn wrapped(places: usize, first: usize, count: usize) -> Vec<usize> {
    (0..count.min(places))
        .map(|step| (first + step) % places)
        .collect()
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
