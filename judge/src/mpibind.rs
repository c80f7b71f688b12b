//! `--map-by mpibind`, dealt again by the text of `docs/gpus.md`: what the processes of one node get.

use super::bits::{Bits, Mask, Ranges};
use super::fault::{Promise, Seen};
use super::hardware::{Hardware, joined, meet};
use std::ops::Range;
use stowplan_engine::policy::{Mpibind, ObjKind, Wanted};
use stowplan_engine::table::patterns::ShareRun;
use stowplan_engine::table::topologies::ObjectId;

/// What each process of a stretch of neighbours gets; all get the same.
#[derive(Clone, Debug)]
pub(super) struct Dealt {
    /// The first process after them.
    pub(super) end: u32,
    pub(super) cpus: Mask,
    pub(super) threads: u32,
    /// Logical numbers, ascending.
    pub(super) gpus: Vec<u32>,
}

impl Dealt {
    /// The first difference of a process in GPUs, then threads: the promise, what the process has, what it should have.
    pub(super) fn differs(&self, share: Option<&ShareRun>) -> Option<(Promise, Seen, Seen)> {
        let gpus = share.map_or(&[][..], |share| &share.gpus);
        if gpus != self.gpus {
            let promised = Seen::Gpus(self.gpus.clone());
            return Some((Promise::GpuAsked, Seen::Gpus(gpus.to_vec()), promised));
        }
        let threads = share.map_or(0, |share| share.threads);
        let number = |threads: u32| Seen::Number(u64::from(threads));
        (threads != self.threads).then(|| (Promise::Threads, number(threads), number(self.threads)))
    }
}

/// A number of processes, and the things that each of them gets.
type Each<T> = (u32, Vec<T>);

/// A node when the app starts on it.
struct Node<'t> {
    hardware: Hardware<'t>,
    free: &'t Bits,
    options: Mpibind,
}

/// Processes dealt one after the other.
#[derive(Default)]
struct Deals {
    dealt: Vec<Dealt>,
}

impl Deals {
    /// Adds the processes of one domain. Cpus and GPUs come as separate lists.
    fn add(&mut self, cpus: &[Each<u32>], gpus: &[Each<u32>], threads: u32) {
        let mut gpus = gpus.iter();
        let mut at: Option<(u32, &Vec<u32>)> = None;
        for (count, pus) in cpus {
            let mut pus = pus.clone();
            pus.sort_unstable();
            let mask = joined(pus.into_iter().map(|pu| (pu, pu + 1)));
            let mut left = *count;
            while left > 0 {
                let next = at
                    .take()
                    .or_else(|| gpus.next().map(|(count, own)| (*count, own)));
                let Some((many, own)) = next.filter(|(many, _)| *many > 0) else {
                    return;
                };
                let both = left.min(many);
                let end = self.dealt.last().map_or(0, |last| last.end) + both;
                self.dealt.push(Dealt {
                    end,
                    cpus: mask.clone(),
                    threads,
                    gpus: own.clone(),
                });
                left -= both;
                at = Some((many - both, own)).filter(|(many, _)| *many > 0);
            }
        }
    }
}

/// What the processes of a node get. Cost: its objects, cpus and processes.
pub(super) fn deal(
    hardware: Hardware<'_>,
    free: &Bits,
    options: Mpibind,
    procs: u32,
) -> Vec<Dealt> {
    let node = Node {
        hardware,
        free,
        options,
    };
    let domains = node.domains();
    let mut deals = Deals::default();
    if domains.is_empty() {
        return deals.dealt;
    }
    if options.greedy == Wanted::Yes && (procs as usize) < domains.len() {
        for (_, own) in dealt(&domains, procs) {
            let pus: Vec<u32> = own.iter().flat_map(|&domain| node.pus(domain)).collect();
            let mut gpus: Vec<u32> = own
                .iter()
                .flat_map(|&domain| node.gpus_in(domain))
                .collect();
            gpus.sort_unstable();
            let threads = options.threads.map_or(number(pus.len()), u32::from);
            deals.add(&[(1, pus)], &[(1, gpus)], threads);
        }
        return deals.dealt;
    }
    for (&domain, count) in domains.iter().zip(node.counts(&domains, procs)) {
        if count > 0 {
            let (cpus, threads) = node.inside(domain, count);
            deals.add(&cpus, &dealt(&node.gpus_in(domain), count), threads);
        }
    }
    deals.dealt
}

fn number(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Which things a receiver gets. Blocks are as even as possible, the larger ones first.
fn block(things: u32, receivers: u32, at: u32) -> Range<u32> {
    let (each, larger) = (things / receivers, things % receivers);
    let start = |at: u32| at * each + at.min(larger);
    start(at)..start(at + 1)
}

/// Deals things to receivers. If there are fewer things than receivers, each thing serves a block of receivers.
fn dealt<T: Copy>(things: &[T], receivers: u32) -> Vec<Each<T>> {
    let count = number(things.len());
    if count == 0 {
        return vec![(receivers, Vec::new())];
    }
    if count >= receivers {
        let own = |at| {
            let block = block(count, receivers, at);
            (1, things[block.start as usize..block.end as usize].to_vec())
        };
        return (0..receivers).map(own).collect();
    }
    let served = |at: u32| {
        let block = block(receivers, count, at);
        (block.end - block.start, vec![things[at as usize]])
    };
    (0..count).map(served).collect()
}

impl Node<'_> {
    fn objects(&self, kind: ObjKind) -> impl Iterator<Item = ObjectId> + '_ {
        let tables = self.hardware.tables();
        tables.objects(self.hardware.topology, kind)
    }
    fn free_of(&self, object: ObjectId) -> u64 {
        self.free.count(self.hardware.ranges(object))
    }
    /// Free PUs of an object, in logical order.
    fn pus(&self, object: ObjectId) -> Vec<u32> {
        let part = self.free.part(self.hardware.ranges(object));
        part.iter().flat_map(|&(first, end)| first..end).collect()
    }

    /// NUMA nodes with free cpus. One that shares a cpu with an earlier one is left out.
    fn domains(&self) -> Vec<ObjectId> {
        let mut domains: Vec<ObjectId> = Vec::new();
        let mut taken = Bits::empty(self.hardware.pus as usize);
        for object in self.objects(ObjKind::Numa) {
            let ranges = self.hardware.ranges(object);
            if self.free_of(object) > 0 && taken.count(ranges) == 0 {
                taken.add(ranges);
                domains.push(object);
            }
        }
        domains
    }

    /// For each GPU: its number, how many free cpus are near it, and how many of them are in a domain.
    fn gpus_near(&self, domain: ObjectId) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        let own = self.hardware.ranges(domain);
        (0..).zip(self.objects(ObjKind::Gpu)).map(move |(at, gpu)| {
            let here: Ranges = meet(self.hardware.ranges(gpu), own);
            (at, self.free_of(gpu), self.free.count(&here))
        })
    }
    fn gpus_in(&self, domain: ObjectId) -> Vec<u32> {
        let inside = self
            .gpus_near(domain)
            .filter(|&(_, all, here)| here > 0 && here == all);
        inside.map(|(at, ..)| at).collect()
    }

    /// How many processes each domain gets: in proportion to the GPUs near it, or to its free cpus if no GPUs count. Largest
    /// remainders first.
    fn counts(&self, domains: &[ObjectId], procs: u32) -> Vec<u32> {
        let gpus = |&domain: &ObjectId| {
            let near = self.gpus_near(domain).filter(|&(.., here)| here > 0);
            near.count() as u64
        };
        let mut weights: Vec<u64> = domains.iter().map(gpus).collect();
        if self.options.gpu == Wanted::No || weights.iter().all(|&weight| weight == 0) {
            weights = domains.iter().map(|&domain| self.free_of(domain)).collect();
        }
        let sum: u64 = weights.iter().sum();
        let quota = |at: usize| u64::from(procs) * weights[at];
        let mut by_rest: Vec<usize> = (0..domains.len()).collect();
        by_rest.sort_by_key(|&at| (sum - quota(at) % sum, at));
        let whole: u64 = (0..domains.len()).map(|at| quota(at) / sum).sum();
        let more = usize::try_from(u64::from(procs) - whole).unwrap_or(usize::MAX);
        let lucky = &by_rest[..more.min(by_rest.len())];
        let count = |at: usize| quota(at) / sum + u64::from(lucky.contains(&at));
        let counts = (0..domains.len()).map(count);
        counts
            .map(|count| u32::try_from(count).unwrap_or(procs))
            .collect()
    }

    /// Objects of a kind that have free cpus and lie in a domain.
    fn inside_of(&self, domain: ObjectId, kind: ObjKind) -> Vec<ObjectId> {
        let own = self.hardware.ranges(domain);
        let lies = |&object: &ObjectId| {
            let ranges = self.hardware.ranges(object);
            meet(ranges, own).as_slice() == ranges && self.free_of(object) > 0
        };
        self.objects(kind).filter(lies).collect()
    }

    /// The cpus of the processes of a domain, and their threads.
    fn inside(&self, domain: ObjectId, procs: u32) -> (Vec<Each<u32>>, u32) {
        let core = self.hardware.kind(ObjKind::Core);
        let widest = self.objects(core).map(|core| self.free_of(core)).max();
        let widest = widest.unwrap_or(1).max(1);
        let mut cores = self.inside_of(domain, core);
        if cores.is_empty() {
            cores = self.inside_of(domain, ObjKind::Hwthread);
        }
        let count = cores.len() as u64;
        let places = match self.options.smt.map(u64::from) {
            Some(smt) if smt >= widest => cores.iter().map(|&core| self.free_of(core)).sum(),
            Some(smt) => count * smt.max(1),
            None => count,
        };
        let room = (places / u64::from(procs)).max(1);
        let threads = self.options.threads.map_or(room, u64::from);
        let wanted = u64::from(procs) * threads;
        let (objects, each) = match self.options.smt {
            Some(smt) => (cores, u64::from(smt)),
            None => self.level(domain, cores, wanted).unwrap_or_else(|cores| {
                let each = wanted.div_ceil(count.max(1)).clamp(1, widest);
                (cores, each)
            }),
        };
        let os = self.hardware.tables().pus_os(self.hardware.topology);
        let chosen = |object: &ObjectId| {
            let mut pus = self.pus(*object);
            pus.sort_by_key(|&pu| os[pu as usize]);
            pus.truncate(usize::try_from(each).unwrap_or(usize::MAX));
            pus
        };
        let parts: Vec<Vec<u32>> = objects.iter().map(chosen).collect();
        let all = number(parts.len());
        let cpus = if all >= procs {
            let own = |at| {
                let block = block(all, procs, at);
                (1, parts[block.start as usize..block.end as usize].concat())
            };
            (0..procs).map(own).collect()
        } else {
            let shared = (0..all).zip(&parts).flat_map(|(at, part)| {
                let sharers = block(procs, all, at);
                dealt(part, sharers.end - sharers.start)
            });
            shared.collect()
        };
        (cpus, u32::try_from(threads).unwrap_or(u32::MAX))
    }

    /// The widest level with at least `wanted` objects, one hwthread of each. If there is none, gives the cores back.
    fn level(
        &self,
        domain: ObjectId,
        cores: Vec<ObjectId>,
        wanted: u64,
    ) -> Result<(Vec<ObjectId>, u64), Vec<ObjectId>> {
        if wanted <= 1 {
            return Ok((vec![domain], 1));
        }
        let kinds = [
            ObjKind::Package,
            ObjKind::Die,
            ObjKind::L3,
            ObjKind::L2,
            ObjKind::L1,
        ];
        let mut levels = kinds.into_iter().map(|kind| self.inside_of(domain, kind));
        let found = levels.find(|level| level.len() as u64 >= wanted);
        found.map(|level| (level, 1)).ok_or(cores)
    }
}
