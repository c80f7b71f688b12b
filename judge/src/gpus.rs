//! Checks which GPUs each process is given: they are near it, as many as the words ask for, evenly dealt, and none is lost.
//! Judged from the places and the words alone, once for each kind of node.

use super::bits::Bits;
use super::fault::{Faults, Promise, Seen, Where};
use super::hardware::{Hardware, meet, number};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{OnNode, Plan};
use stowplan_engine::policy::{DeviceMap, Devices, DevicesEach, GpuShare, MapBy, ObjKind};
use stowplan_engine::table::apps::Policy;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::patterns::Place;
use stowplan_engine::table::topologies::TopologyId;

/// At most this many processes of a node are checked one by one. If there are more, the rest is not judged.
const PATIENCE: u64 = 1 << 22;

/// Judges the GPUs that a plan gives.
pub(super) fn given(plan: &Plan, faults: &mut Faults) {
    if !plan.tells_gpus() {
        return;
    }
    let given = plan.given_gpus();
    let mut known = HashSet::new();
    for first in firsts(plan, &given) {
        if faults.full() {
            return;
        }
        let node = NodeId::from_row(first as usize);
        let here: Vec<OnNode<'_>> = plan.on_node(node).collect();
        if here.is_empty() {
            continue;
        }
        let world = plan.world();
        let topology = world.states.get(world.before.state(node)).topology;
        let apps: Vec<_> = here
            .iter()
            .map(|on| (on.app, on.run.pattern, on.run.procs, on.run.kind))
            .collect();
        if known.insert((topology, given.kind_of(node), apps)) {
            let mut judge = Judge::new(plan, &given, node, topology);
            if let Err(fault) = judge.node(&here) {
                let at = Where {
                    node: Some(world.names.name(node)),
                    ..fault.at
                };
                faults.add(fault.promise, at, fault.found, fault.promised);
            }
        }
    }
}

/// The first nodes of stretches on which nothing changes.
fn firsts(plan: &Plan, given: &GivenGpus) -> BTreeSet<u32> {
    let pool = plan.world().before.nodes();
    let mut firsts: BTreeSet<u32> = BTreeSet::new();
    for app in plan.apps() {
        for run in app.runs() {
            firsts.extend([run.nodes.first, run.nodes.end()]);
        }
    }
    firsts.extend(plan.world().before.iter().map(|(nodes, _)| nodes.first));
    for (nodes, _) in given.nodes() {
        firsts.extend([nodes.first, nodes.end()]);
    }
    firsts.split_off(&pool);
    firsts
}

/// A broken promise of a node.
struct Broken {
    promise: Promise,
    at: Where,
    found: Seen,
    promised: Seen,
}

/// Processes with equal words and the same GPUs near them.
#[derive(Default)]
struct Group {
    /// In the order of local ranks: the GPUs given, and how many neighbouring processes got them.
    got: Vec<(Vec<u32>, u32)>,
    /// How many processes.
    size: u64,
}

struct Judge<'p> {
    plan: &'p Plan,
    given: &'p GivenGpus,
    node: NodeId,
    hardware: Hardware<'p>,
    /// The visible number of each GPU, by logical number.
    visible: Vec<u32>,
    /// GPUs near a place, by visible number, in logical order.
    near: HashMap<(Place, Option<ObjKind>, Option<DeviceMap>), Vec<u32>>,
    groups: BTreeMap<(u32, Vec<u32>), Group>,
    steps: u64,
}

impl<'p> Judge<'p> {
    fn new(plan: &'p Plan, given: &'p GivenGpus, node: NodeId, topology: TopologyId) -> Self {
        let topologies = &plan.world().topologies;
        let gpus = topologies.gpus(topology).iter();
        Self {
            plan,
            given,
            node,
            hardware: Hardware::new(topologies, topology),
            visible: gpus.map(|gpu| gpu.visible).collect(),
            near: HashMap::new(),
            groups: BTreeMap::new(),
            steps: 0,
        }
    }

    fn node(&mut self, here: &[OnNode<'_>]) -> Result<(), Broken> {
        for on in here {
            let policies = &self.plan.resolved_apps().policies;
            let Some(policy) = self
                .plan
                .app(on.app)
                .policy()
                .and_then(|id| policies.get(id))
            else {
                continue;
            };
            if !self.app(on, policy)? {
                return Ok(());
            }
        }
        for ((words, near), group) in std::mem::take(&mut self.groups) {
            self.group(words, &near, &group)?;
        }
        Ok(())
    }

    /// Checks the processes of one app. `false`: there are too many.
    fn app(&mut self, on: &OnNode<'_>, policy: &Policy) -> Result<bool, Broken> {
        let pattern = self.plan.patterns().get(on.run.pattern);
        let mut local = 0;
        for run in pattern.runs(on.run.procs) {
            let end = local + run.count;
            while local < end {
                let own = on.run.own_before + local;
                let turns = self.given.turns(self.node, own);
                let count = turns.map_or(end - local, |turns| turns.count.min(end - local));
                // Processes that take turns are checked one by one while they may differ.
                let looked = match (turns, policy.map, policy.gpus) {
                    (Some(turns), _, _) if turns.len() > 1 => count,
                    (_, _, Some(GpuShare::PerRank(_))) => count,
                    (_, MapBy::Mpibind(_) | MapBy::Given, _) => count,
                    _ => 1,
                };
                for ahead in 0..looked {
                    self.steps += 1;
                    if self.steps > PATIENCE {
                        return Ok(false);
                    }
                    let got = turns.map_or(&[][..], |turns| turns.set(ahead));
                    let stands_for = if looked == 1 { count } else { 1 };
                    let share = pattern.share(local + ahead).map(|share| &share.gpus[..]);
                    self.process(on, policy, run.place, share, got, stands_for)
                        .map_err(|broken| self.at(broken, on, local + ahead))?;
                }
                local += count;
            }
        }
        Ok(true)
    }

    fn at(&self, broken: Broken, on: &OnNode<'_>, local: u32) -> Broken {
        Broken {
            at: Where {
                app: Some(number(on.app.row())),
                local: Some(local),
                ..Where::default()
            },
            ..broken
        }
    }

    /// Checks one process, or neighbours that are alike.
    fn process(
        &mut self,
        on: &OnNode<'_>,
        policy: &Policy,
        place: Place,
        share: Option<&[u32]>,
        got: &[u32],
        count: u32,
    ) -> Result<(), Broken> {
        let by_gpu = policy.map.object_kind() == Some(ObjKind::Gpu);
        let words = match policy.gpus {
            Some(GpuShare::None) => return exactly(got, &[], Promise::GpuAsked),
            _ if by_gpu => {
                return exactly(got, &self.mapped(policy, place), Promise::GpuAsked);
            }
            _ if matches!(policy.map, MapBy::Mpibind(_)) => {
                return self.by_share(place, share.unwrap_or_default(), got);
            }
            _ if policy.map == MapBy::Given => {
                let numbers = share.unwrap_or_default().iter();
                let mut own: Vec<u32> = numbers
                    .filter_map(|&gpu| self.visible.get(gpu as usize).copied())
                    .collect();
                own.sort_unstable();
                return exactly(got, &own, Promise::GpuAsked);
            }
            None if let Some(own) = self.named(policy) => {
                return exactly(got, &[own], Promise::GpuAsked);
            }
            Some(GpuShare::Share) => 1,
            Some(GpuShare::PerRank(each)) => 1 + u32::from(each),
            Some(GpuShare::Split) | None => 0,
        };
        let near = self.near(place, on.run.kind, policy.map.devices());
        if let Some(&far) = got.iter().find(|gpu| !near.contains(gpu)) {
            return Err(broken(Promise::GpuNear, &[far], near));
        }
        let key = (words, near);
        let group = self.groups.entry(key).or_default();
        group.got.push((got.to_vec(), count));
        group.size += u64::from(count);
        Ok(())
    }

    /// The GPU that a map names, by visible number; `None`: it names none.
    fn named(&self, policy: &Policy) -> Option<u32> {
        let Devices::Named(name) = policy.map.devices()?.of else {
            return None;
        };
        let hardware = self.hardware;
        let mut gpus = hardware.tables().gpus(hardware.topology).iter();
        let named = gpus.find(|gpu| gpu.name == name.text());
        named.map(|gpu| gpu.visible)
    }

    /// The GPUs of a process that is mapped to one of them or to several, by visible number.
    fn mapped(&self, policy: &Policy, place: Place) -> Vec<u32> {
        let Some(first) = place.object else {
            return Vec::new();
        };
        let options = policy.map.devices().unwrap_or_default();
        if options.each == DevicesEach::ONE {
            return self
                .visible
                .get(first as usize)
                .copied()
                .into_iter()
                .collect();
        }
        let all = self.hardware.targets(ObjKind::Gpu);
        let groups = super::devices::groups(self.hardware, options, all);
        let number = |gpu| self.hardware.logical(gpu);
        let own = groups
            .into_iter()
            .find(|(_, gpus)| number(gpus[0]) == first);
        let own = own.map_or_else(Vec::new, |(_, gpus)| gpus);
        let mut visible: Vec<u32> = own
            .into_iter()
            .filter_map(|gpu| self.visible.get(number(gpu) as usize).copied())
            .collect();
        visible.sort_unstable();
        visible
    }

    /// Checks a process of mpibind: it is given the GPUs of its share, and they belong to domains in which it has cpus.
    fn by_share(&self, place: Place, share: &[u32], got: &[u32]) -> Result<(), Broken> {
        let numbers = share
            .iter()
            .filter_map(|&gpu| self.visible.get(gpu as usize));
        let mut own: Vec<u32> = numbers.copied().collect();
        own.sort_unstable();
        exactly(got, &own, Promise::GpuAsked)?;
        if own.len() < share.len() {
            return Err(broken(Promise::GpuNear, share, own));
        }
        let Some(mask) = self.mask(place) else {
            return Ok(());
        };
        let domains = self
            .hardware
            .tables()
            .objects(self.hardware.topology, ObjKind::Numa);
        let mine: Vec<_> = domains
            .map(|domain| self.hardware.ranges(domain))
            .filter(|ranges| !mask.within(ranges).is_empty())
            .collect();
        for &gpu in share {
            let Some(object) = self.hardware.object(ObjKind::Gpu, gpu) else {
                continue;
            };
            let locality = self.hardware.ranges(object);
            if !mine.iter().any(|domain| !meet(domain, locality).is_empty()) {
                let visible = self.visible.get(gpu as usize).copied();
                return Err(broken(Promise::GpuNear, visible.as_slice(), Vec::new()));
            }
        }
        Ok(())
    }

    fn mask(&self, place: Place) -> Option<Bits> {
        let set = self.plan.world().cpusets.get(place.cpus?);
        self.hardware.logical_bits(set)
    }

    /// The GPUs near a place: those that share a cpu with its cpus; if unbound, with its object; without one, with the node.
    fn near(
        &mut self,
        place: Place,
        kind: Option<ObjKind>,
        devices: Option<DeviceMap>,
    ) -> Vec<u32> {
        let key = (place, kind, devices);
        if let Some(known) = self.near.get(&key) {
            return known.clone();
        }
        let hardware = self.hardware;
        let several = devices.filter(|options| options.each != DevicesEach::ONE);
        let object = match (several, kind.zip(place.object)) {
            (Some(options), Some((kind, first))) if kind == super::devices::kind(options.of) => {
                let groups = super::devices::groups(hardware, options, hardware.targets(kind));
                let mut groups = groups.into_iter();
                let own = groups.find(|(_, devices)| hardware.logical(devices[0]) == first);
                own.map(|(near, _)| near)
            }
            (None, Some((kind, at))) => hardware.object(kind, at),
            (Some(_), Some(_)) | (_, None) => None,
        };
        let own = match (self.mask(place), object) {
            (Some(mask), _) => mask,
            (None, Some(object)) => {
                let mut bits = Bits::empty(hardware.pus as usize);
                bits.add(hardware.ranges(object));
                bits
            }
            (None, None) => {
                let mut bits = Bits::empty(hardware.pus as usize);
                bits.add(&hardware.machine());
                bits
            }
        };
        let mut near = Vec::new();
        for (logical, &visible) in (0..).zip(&self.visible) {
            let gpu = hardware.object(ObjKind::Gpu, logical);
            if gpu.is_some_and(|gpu| !own.within(hardware.ranges(gpu)).is_empty()) {
                near.push(visible);
            }
        }
        self.near.insert(key, near.clone());
        near
    }

    /// Checks the processes of one group by the words that deal GPUs to them.
    fn group(&self, words: u32, near: &[u32], group: &Group) -> Result<(), Broken> {
        if near.is_empty() {
            return Ok(());
        }
        match words {
            0 => split(near, group),
            1 => {
                let mut all = near.to_vec();
                all.sort_unstable();
                let mut each = group.got.iter();
                each.try_for_each(|(got, _)| exactly(got, &all, Promise::GpuAsked))
            }
            more => per_rank(u64::from(more - 1), near, group),
        }
    }
}

/// `split`: each process has the GPUs that the words deal to it, and every GPU is given.
fn split(near: &[u32], group: &Group) -> Result<(), Broken> {
    let mut of_gpu: HashMap<u32, u64> = HashMap::new();
    for (got, count) in &group.got {
        for &gpu in got {
            *of_gpu.entry(gpu).or_default() += u64::from(*count);
        }
    }
    if let Some(lost) = near.iter().find(|gpu| !of_gpu.contains_key(gpu)) {
        return Err(broken(Promise::GpuLost, &[], vec![*lost]));
    }
    let (gpus, size) = (near.len() as u64, group.size);
    // Blocks, the larger ones first: of GPUs to processes, or of processes to GPUs.
    let block = |things: u64, receivers: u64, at: u64| {
        things / receivers + u64::from(at < things % receivers)
    };
    let mut next = near.iter();
    if gpus >= size {
        for (at, (got, count)) in (0..).zip(&group.got) {
            let some = usize::try_from(block(gpus, size, at)).unwrap_or(usize::MAX);
            let mut own: Vec<u32> = next.by_ref().take(some).copied().collect();
            own.sort_unstable();
            if *count != 1 {
                return Err(broken(Promise::GpuEven, got, own));
            }
            exactly(got, &own, Promise::GpuEven)?;
        }
        return Ok(());
    }
    let mut at = 0;
    let mut left = 0;
    let mut own = near[0];
    for (got, count) in &group.got {
        let mut count = u64::from(*count);
        while count > 0 {
            if left == 0 {
                left = block(size, gpus, at);
                own = next.next().copied().unwrap_or(own);
                at += 1;
            }
            exactly(got, &[own], Promise::GpuEven)?;
            let some = left.min(count);
            left -= some;
            count -= some;
        }
    }
    Ok(())
}

/// `--gpus-per-rank K`: the j-th process gets GPUs jK … jK+K−1. After the last GPU comes the first again.
fn per_rank(each: u64, near: &[u32], group: &Group) -> Result<(), Broken> {
    let count = near.len() as u64;
    for (at, (got, _)) in (0_u64..).zip(&group.got) {
        let own = (at * each..at * each + each.min(count))
            .map(|gpu| usize::try_from(gpu % count).unwrap_or(0));
        let mut own: Vec<u32> = own.map(|gpu| near[gpu]).collect();
        own.sort_unstable();
        exactly(got, &own, Promise::GpuAsked)?;
    }
    Ok(())
}

fn exactly(got: &[u32], promised: &[u32], promise: Promise) -> Result<(), Broken> {
    if got == promised {
        return Ok(());
    }
    Err(broken(promise, got, promised.to_vec()))
}

fn broken(promise: Promise, found: &[u32], promised: Vec<u32>) -> Broken {
    Broken {
        promise,
        at: Where::default(),
        found: Seen::Gpus(found.to_vec()),
        promised: Seen::Gpus(promised),
    }
}
