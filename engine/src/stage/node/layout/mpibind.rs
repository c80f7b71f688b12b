//! One node under `--map-by mpibind`: processes dealt over memory, then over the objects inside. `docs/gpus.md` has the rule.

use super::End;
use super::builder::LayoutBuilder;
use crate::policy::{BindTo, MapBy, Mpibind, ObjKind, Wanted};
use crate::stage::node::bind::Mask;
use crate::stage::node::bits::{self, Bits, There};
use crate::stage::node::units::{narrow, shared};
use crate::stage::node::window::Window;
use crate::table::topologies::{ObjectId, Topologies, TopologyId};

/// Ranges of logical PUs.
type PuRanges<'t> = &'t [(u32, u32)];

/// A node with the cpus that are free when an app starts.
struct MpibindNode<'t> {
    topologies: &'t Topologies,
    topology: TopologyId,
    /// Free PUs.
    free: Bits,
    options: Mpibind,
}

/// Deals things to receivers in contiguous blocks, as even as possible, larger blocks first. Returns block `at`.
fn block(things: u32, receivers: u32, at: u32) -> (u32, u32) {
    let (each, more) = (things / receivers, things % receivers);
    let first = at * each + at.min(more);
    (first, first + each + u32::from(at < more))
}

/// Lays the processes of a node. Cost: the objects and cpus of the node.
pub(super) fn lay(builder: &mut LayoutBuilder<'_>, procs: u32) -> End {
    let binder = builder.node.binder;
    let MapBy::Mpibind(options) = binder.policy.map else {
        return End::Full;
    };
    let node = MpibindNode {
        topologies: binder.topologies,
        topology: binder.hardware.topology,
        free: builder.cpus.free.clone(),
        options,
    };
    let domains = node.domains();
    if domains.is_empty() || procs == 0 {
        return End::Full;
    }
    let bound = binder.policy.bind != BindTo::Nothing;
    let mut got = DealtSoFar {
        builder,
        left: node.free.clone(),
        bound,
    };
    if options.greedy == Wanted::Yes && procs < narrow(domains.len()) {
        node.greedy(&domains, procs, &mut got);
    } else {
        for (domain, count) in node.counts(&domains, procs).into_iter().enumerate() {
            if count > 0 {
                node.inside(domains[domain], count, &mut got);
            }
        }
    }
    let DealtSoFar {
        builder,
        left,
        bound,
    } = got;
    if bound {
        builder.cpus.units = builder.node.binder.free_units(left.words());
        builder.cpus.free = left;
    }
    End::Wanted
}

/// What processes got so far.
struct DealtSoFar<'r, 'g> {
    builder: &'r mut LayoutBuilder<'g>,
    /// PUs that no process got.
    left: Bits,
    bound: bool,
}

impl DealtSoFar<'_, '_> {
    /// Gives the same PUs to `count` processes.
    fn cpus(&mut self, count: u32, pus: &[u32]) {
        let mut mask = Bits::none(self.left.len());
        for &pu in pus {
            mask.put(pu, There::Yes);
            let taken = count > 1 || !bits::has(self.left.words(), pu);
            self.builder.cpus.shared |= taken && self.bound;
            self.left.put(pu, There::No);
        }
        let mask = Some(Mask::Some(Box::new(Window::of(&mask)))).filter(|_| self.bound);
        self.builder.push(count, None, mask);
    }
}

impl<'t> MpibindNode<'t> {
    fn ranges(&self, object: ObjectId) -> PuRanges<'t> {
        self.topologies.ranges(object)
    }

    fn free_in(&self, ranges: PuRanges<'_>) -> u32 {
        bits::count_of(self.free.words(), ranges)
    }

    /// The free PUs of some ranges, in logical order.
    fn pus(&self, ranges: PuRanges<'_>) -> Vec<u32> {
        bits::ones(self.free.words(), ranges).collect()
    }

    /// The first free PUs by OS number, at most `count`.
    fn first_by_os(&self, ranges: PuRanges<'_>, count: u32) -> Vec<u32> {
        let os = self.topologies.pus_os(self.topology);
        let mut pus = self.pus(ranges);
        pus.sort_by_key(|&pu| os[pu as usize]);
        pus.truncate(count as usize);
        pus
    }

    /// NUMA nodes that have free cpus and share no cpu with an earlier one.
    fn domains(&self) -> Vec<ObjectId> {
        let mut taken = Bits::none(self.free.len());
        let mut domains = Vec::new();
        for object in self.topologies.objects(self.topology, ObjKind::Numa) {
            let ranges = self.ranges(object);
            if self.free_in(ranges) == 0 || bits::count_of(taken.words(), ranges) > 0 {
                continue;
            }
            for &stretch in ranges {
                taken.fill(stretch, There::Yes);
            }
            domains.push(object);
        }
        domains
    }

    /// The GPUs with free cpus in a domain: logical number, free cpus in the domain, free cpus in all.
    fn gpus_near(&self, domain: ObjectId) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let inside = self.ranges(domain);
        let gpus = self.topologies.objects(self.topology, ObjKind::Gpu);
        (0..).zip(gpus).filter_map(move |(logical, gpu)| {
            let locality = self.ranges(gpu);
            let near = shared(locality, inside);
            let (all, here) = (self.free_in(locality), self.free_in(&near));
            (here > 0).then_some((logical, here, all))
        })
    }

    /// GPUs whose free cpus are all in a domain.
    fn gpus_in(&self, domain: ObjectId) -> Vec<u32> {
        let within = self.gpus_near(domain).filter(|&(_, here, all)| here == all);
        within.map(|(logical, ..)| logical).collect()
    }

    /// With fewer processes than domains, each process gets everything in its block of domains.
    fn greedy(&self, domains: &[ObjectId], procs: u32, got: &mut DealtSoFar<'_, '_>) {
        for at in 0..procs {
            let (first, end) = block(narrow(domains.len()), procs, at);
            let own = &domains[first as usize..end as usize];
            let mut pus: Vec<u32> = Vec::new();
            let mut gpus: Vec<u32> = Vec::new();
            for &domain in own {
                pus.extend(self.pus(self.ranges(domain)));
                gpus.extend(self.gpus_in(domain));
            }
            gpus.sort_unstable();
            got.cpus(1, &pus);
            let threads = self.options.threads.map_or(narrow(pus.len()), u32::from);
            got.builder.share(1, threads, &gpus);
        }
    }

    /// How many processes each domain gets: by the GPUs near it, or else by its free cpus. The largest remainders get one more.
    fn counts(&self, domains: &[ObjectId], procs: u32) -> Vec<u32> {
        let by_gpus = |domain: &ObjectId| self.gpus_near(*domain).count() as u64;
        let by_cpus = |domain: &ObjectId| u64::from(self.free_in(self.ranges(*domain)));
        let mut weights: Vec<u64> = match self.options.gpu {
            Wanted::Yes => domains.iter().map(by_gpus).collect(),
            Wanted::No => Vec::new(),
        };
        if weights.iter().sum::<u64>() == 0 {
            weights = domains.iter().map(by_cpus).collect();
        }
        let total = weights.iter().sum::<u64>().max(1);
        let share = |weight: u64| u64::from(procs) * weight;
        let whole = |weight: &u64| u32::try_from(share(*weight) / total).unwrap_or(procs);
        let mut counts: Vec<u32> = weights.iter().map(whole).collect();
        let dealt: u32 = counts.iter().sum();
        let mut order: Vec<usize> = (0..domains.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(share(weights[at]) % total));
        for &at in order.iter().take((procs - dealt) as usize) {
            counts[at] += 1;
        }
        counts
    }

    /// The objects of a kind that have a free cpu and lie wholly inside some ranges.
    fn objects_inside(&self, kind: ObjKind, inside: PuRanges<'_>) -> Vec<ObjectId> {
        let within = |ranges: PuRanges<'_>| {
            let in_one =
                |&(first, end): &(u32, u32)| inside.iter().any(|&(a, b)| a <= first && end <= b);
            ranges.iter().all(in_one)
        };
        let counts = |&object: &ObjectId| {
            let ranges = self.ranges(object);
            within(ranges) && self.free_in(ranges) > 0
        };
        let objects = self.topologies.objects(self.topology, kind);
        objects.filter(counts).collect()
    }

    fn core_kind(&self) -> ObjKind {
        match self.topologies.count(self.topology, ObjKind::Core) {
            0 => ObjKind::Hwthread,
            _ => ObjKind::Core,
        }
    }

    /// How many free hwthreads the core with the most of them has.
    fn widest(&self) -> u32 {
        let cores = self.topologies.objects(self.topology, self.core_kind());
        let free = cores.map(|core| self.free_in(self.ranges(core)));
        free.max().unwrap_or(1).max(1)
    }

    /// Deals threads, cpus and GPUs to the processes of one domain.
    fn inside(&self, domain: ObjectId, procs: u32, got: &mut DealtSoFar<'_, '_>) {
        let within = self.ranges(domain);
        let mut cores = self.objects_inside(self.core_kind(), within);
        if cores.is_empty() {
            cores = self.objects_inside(ObjKind::Hwthread, within);
        }
        let (widest, smt) = (self.widest(), self.options.smt.map(u32::from));
        let places = match smt {
            Some(smt) if smt >= widest => cores
                .iter()
                .map(|&core| self.free_in(self.ranges(core)))
                .sum(),
            Some(smt) if smt > 1 => narrow(cores.len()) * smt,
            Some(_) | None => narrow(cores.len()),
        };
        let threads = self
            .options
            .threads
            .map_or((places / procs).max(1), u32::from);
        let wanted = u64::from(procs) * u64::from(threads);
        let (objects, each) = self.level(domain, cores, wanted, widest);
        let chosen = |object: ObjectId| self.first_by_os(self.ranges(object), each);
        let count = narrow(objects.len());
        if count >= procs {
            for at in 0..procs {
                let (first, end) = block(count, procs, at);
                let own = objects[first as usize..end as usize].iter();
                let pus: Vec<u32> = own.flat_map(|&object| chosen(object)).collect();
                got.cpus(1, &pus);
            }
        } else {
            for (at, &object) in (0..).zip(&objects) {
                let (first, end) = block(procs, count, at);
                deal_threads(&chosen(object), end - first, got);
            }
        }
        self.deal_gpus(&self.gpus_in(domain), procs, threads, got);
    }

    /// The objects from which cpus are taken, and how many hwthreads of each.
    fn level(
        &self,
        domain: ObjectId,
        cores: Vec<ObjectId>,
        wanted: u64,
        widest: u32,
    ) -> (Vec<ObjectId>, u32) {
        if let Some(smt) = self.options.smt {
            return (cores, u32::from(smt));
        }
        if wanted <= 1 {
            return (vec![domain], 1);
        }
        let kinds = [
            ObjKind::Package,
            ObjKind::Die,
            ObjKind::L3,
            ObjKind::L2,
            ObjKind::L1,
        ];
        for kind in kinds {
            let objects = self.objects_inside(kind, self.ranges(domain));
            if objects.len() as u64 >= wanted {
                return (objects, 1);
            }
        }
        let each = wanted.div_ceil((cores.len() as u64).max(1)).max(1);
        let each = u32::try_from(each).unwrap_or(widest).min(widest);
        (cores, each)
    }

    fn deal_gpus(&self, gpus: &[u32], procs: u32, threads: u32, got: &mut DealtSoFar<'_, '_>) {
        let count = narrow(gpus.len());
        if count == 0 {
            got.builder.share(procs, threads, &[]);
        } else if count >= procs {
            for at in 0..procs {
                let (first, end) = block(count, procs, at);
                let own = &gpus[first as usize..end as usize];
                got.builder.share(1, threads, own);
            }
        } else {
            for (at, gpu) in (0..).zip(gpus) {
                let (first, end) = block(procs, count, at);
                got.builder
                    .share(end - first, threads, std::slice::from_ref(gpu));
            }
        }
    }
}

/// Deals the chosen hwthreads of one object to the processes that share it.
fn deal_threads(chosen: &[u32], procs: u32, got: &mut DealtSoFar<'_, '_>) {
    let count = narrow(chosen.len());
    if count >= procs {
        for at in 0..procs {
            let (first, end) = block(count, procs, at);
            got.cpus(1, &chosen[first as usize..end as usize]);
        }
    } else {
        for (at, pu) in (0..).zip(chosen) {
            let (first, end) = block(procs, count, at);
            got.cpus(end - first, std::slice::from_ref(pu));
        }
    }
}
