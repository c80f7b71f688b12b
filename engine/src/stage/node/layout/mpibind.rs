//! One node under `--map-by mpibind`: processes dealt over memory, then over what is inside. `docs/gpus.md` tells the rule.

use super::End;
use super::sweep::LayoutBuilder;
use crate::policy::{BindTo, MapBy, Mpibind, ObjKind, Wanted};
use crate::stage::node::bind::Mask;
use crate::stage::node::bits::{self, Bits, Window, lie_in, narrow, shared};
use crate::table::topologies::{ObjectId, Topologies, TopologyId};
use std::ops::Range;

/// A node with the cpus that an app finds.
struct MpibindNode<'t> {
    topologies: &'t Topologies,
    topology: TopologyId,
    /// Free PUs.
    free: Bits,
    options: Mpibind,
}

/// Block `at` of things dealt to receivers as contiguous blocks, as even as can be, the larger ones first.
fn block(things: u32, receivers: u32, at: u32) -> Range<u32> {
    let (each, more) = (things / receivers, things % receivers);
    let first = at * each + at.min(more);
    first..first + each + u32::from(at < more)
}

/// Things dealt to receivers: how many receivers get which. Fewer things than receivers serve a block of them each.
fn dealt<T>(things: &[T], receivers: u32) -> impl Iterator<Item = (u32, &[T])> {
    let count = narrow(things.len());
    let blocks = count.min(receivers).max(1);
    (0..blocks).map(move |at| {
        let own = block(count, blocks, at);
        let receivers = block(receivers, blocks, at);
        (
            receivers.end - receivers.start,
            &things[own.start as usize..own.end as usize],
        )
    })
}

/// Lays the processes of a node. Cost: the objects and cpus of the node.
pub(super) fn lay(builder: &mut LayoutBuilder<'_>, procs: u32) -> Result<(), End> {
    let binder = &builder.node.view.binder;
    let MapBy::Mpibind(options) = binder.policy.map else {
        return Err(End::Full);
    };
    let node = MpibindNode {
        topologies: binder.topologies,
        topology: binder.hardware.topology,
        free: builder.cpus.free.clone(),
        options,
    };
    let domains = node.domains();
    if domains.is_empty() || procs == 0 {
        return Err(End::Full);
    }
    if options.greedy == Wanted::Yes && procs < narrow(domains.len()) {
        for (_, own) in dealt(&domains, procs) {
            node.lay_whole(own, builder);
        }
    } else {
        for (&domain, count) in domains.iter().zip(node.counts(&domains, procs)) {
            if count > 0 {
                node.lay_inside(domain, count, builder);
            }
        }
    }
    builder.cpus.units = binder.units.within(builder.cpus.free.words());
    Ok(())
}

/// `count` processes that share these PUs, and consume them where they are bound.
fn push(builder: &mut LayoutBuilder<'_>, count: u32, pus: &[u32]) {
    let binder = &builder.node.view.binder;
    if binder.policy.bind == BindTo::Nothing {
        builder.push(count, None, None);
        return;
    }
    let mut mask = Bits::none(binder.hardware.pus);
    for &pu in pus {
        let was_free = bits::has(builder.cpus.free.words(), pu);
        builder.cpus.shared |= count > 1 || !was_free;
        builder.cpus.free.remove(&[(pu, pu + 1)]);
        mask.add(&[(pu, pu + 1)]);
    }
    let mask = Window::of(&mask);
    builder.push(count, None, Some(Mask::Some(Box::new(mask))));
}

impl<'t> MpibindNode<'t> {
    fn ranges(&self, object: ObjectId) -> &'t [(u32, u32)] {
        self.topologies.ranges(object)
    }

    fn free_in(&self, object: ObjectId) -> u32 {
        bits::count_of(self.free.words(), self.ranges(object))
    }

    /// The objects of a kind that have a free cpu.
    fn objects(&self, kind: ObjKind) -> impl Iterator<Item = ObjectId> {
        let objects = self.topologies.objects(self.topology, kind);
        objects.filter(|&object| self.free_in(object) > 0)
    }

    /// Those that lie in a domain.
    fn objects_in(&self, kind: ObjKind, domain: ObjectId) -> Vec<ObjectId> {
        let inside = self.ranges(domain);
        let objects = self.objects(kind);
        objects
            .filter(|&object| lie_in(self.ranges(object), inside))
            .collect()
    }

    /// NUMA nodes with free cpus, none that shares a cpu with an earlier one.
    fn domains(&self) -> Vec<ObjectId> {
        let mut taken = Bits::none(self.free.len());
        let mut domains = Vec::new();
        for object in self.objects(ObjKind::Numa) {
            let ranges = self.ranges(object);
            if bits::first_of(taken.words(), ranges).is_none() {
                taken.add(ranges);
                domains.push(object);
            }
        }
        domains
    }

    /// Logical numbers of the GPUs that share a free cpu with a domain, and whether all of their free cpus are in it.
    fn gpus_near(&self, domain: ObjectId) -> impl Iterator<Item = (u32, bool)> {
        let gpus = self.topologies.objects(self.topology, ObjKind::Gpu);
        (0..).zip(gpus).filter_map(move |(logical, gpu)| {
            let near = shared(self.ranges(gpu), self.ranges(domain));
            let here = bits::count_of(self.free.words(), &near);
            (here > 0).then(|| (logical, here == self.free_in(gpu)))
        })
    }

    /// GPUs all of whose free cpus are in a domain.
    fn gpus_in(&self, domain: ObjectId) -> impl Iterator<Item = u32> {
        let within = self.gpus_near(domain).filter(|&(_, within)| within);
        within.map(|(logical, _)| logical)
    }

    /// A process that gets all that is in some domains.
    fn lay_whole(&self, domains: &[ObjectId], builder: &mut LayoutBuilder<'_>) {
        let ranges = domains.iter().map(|&domain| self.ranges(domain));
        let free = ranges.flat_map(|ranges| bits::ones(self.free.words(), ranges));
        let pus: Vec<u32> = free.collect();
        let gpus = domains.iter().flat_map(|&domain| self.gpus_in(domain));
        let mut gpus: Vec<u32> = gpus.collect();
        gpus.sort_unstable();
        push(builder, 1, &pus);
        let threads = self.options.threads.map_or(narrow(pus.len()), u32::from);
        builder.share(1, threads, &gpus);
    }

    /// Processes of each domain: by the GPUs near it, else by its free cpus; the largest remainders get one more.
    fn counts(&self, domains: &[ObjectId], procs: u32) -> Vec<u32> {
        let by_gpus = |&domain: &ObjectId| self.gpus_near(domain).count() as u64;
        let by_cpus = |&domain: &ObjectId| u64::from(self.free_in(domain));
        let mut weights: Vec<u64> = domains.iter().map(by_gpus).collect();
        if self.options.gpu == Wanted::No || weights.iter().all(|&weight| weight == 0) {
            weights = domains.iter().map(by_cpus).collect();
        }
        let total: u64 = weights.iter().sum();
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

    /// The processes of one domain: threads, cpus and GPUs.
    fn lay_inside(&self, domain: ObjectId, procs: u32, builder: &mut LayoutBuilder<'_>) {
        // Where there are no cores, hwthreads are.
        let core = match self.topologies.count(self.topology, ObjKind::Core) {
            0 => ObjKind::Hwthread,
            _ => ObjKind::Core,
        };
        let mut cores = self.objects_in(core, domain);
        if cores.is_empty() {
            cores = self.objects_in(ObjKind::Hwthread, domain);
        }
        let free = |core| self.free_in(core);
        let widest = self.objects(core).map(free).max().unwrap_or(1);
        let places = match self.options.smt.map(u32::from) {
            Some(smt) if smt >= widest => cores.iter().copied().map(free).sum(),
            Some(smt) if smt > 1 => narrow(cores.len()) * smt,
            Some(_) | None => narrow(cores.len()),
        };
        let threads = self.options.threads.map(u32::from);
        let threads = threads.unwrap_or((places / procs).max(1));
        let wanted = u64::from(procs) * u64::from(threads);
        let (objects, each) = self.level(domain, cores, wanted, widest);
        let os = self.topologies.pus_os(self.topology);
        let chosen = |&object: &ObjectId| {
            let mut pus: Vec<u32> = bits::ones(self.free.words(), self.ranges(object)).collect();
            pus.sort_by_key(|&pu| os[pu as usize]);
            pus.truncate(each as usize);
            pus
        };
        for (procs, own) in dealt(&objects, procs) {
            let pus: Vec<u32> = own.iter().flat_map(chosen).collect();
            for (procs, pus) in dealt(&pus, procs) {
                push(builder, procs, pus);
            }
        }
        let gpus: Vec<u32> = self.gpus_in(domain).collect();
        for (procs, gpus) in dealt(&gpus, procs) {
            builder.share(procs, threads, gpus);
        }
    }

    /// The objects that cpus are taken of, and how many hwthreads of each: the widest of which the domain has as many as wanted;
    /// else its cores.
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
        let kinds = [
            ObjKind::Package,
            ObjKind::Die,
            ObjKind::L3,
            ObjKind::L2,
            ObjKind::L1,
        ];
        let inside = kinds.into_iter().map(|kind| self.objects_in(kind, domain));
        let mut levels = std::iter::once(vec![domain]).chain(inside);
        if let Some(objects) = levels.find(|objects| objects.len() as u64 >= wanted) {
            return (objects, 1);
        }
        let each = wanted.div_ceil(cores.len() as u64);
        let each = u32::try_from(each).map_or(widest, |each| each.min(widest));
        (cores, each)
    }
}
