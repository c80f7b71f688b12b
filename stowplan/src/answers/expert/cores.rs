//! Cores that two ranks share, cores that serve nobody, and masks that meet more objects than they need.

use super::kinds::Kind;
use super::{Asked, Fact};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::{MapBy, ObjKind};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::origins::{Origin, Rule};
use stowplan_engine::table::topologies::{ObjectId, TopologyId};

/// Kinds of objects that a mask had better not cross, from the largest down.
const DOMAINS: [ObjKind; 3] = [ObjKind::Package, ObjKind::Numa, ObjKind::L3];

/// The facts about cores of one kind of node.
pub(super) fn facts(plan: &Plan, kind: &Kind, asked: Asked) -> Vec<Fact> {
    let node = Node::of(plan, kind);
    let mut facts = crossing(plan, kind, &node);
    facts.extend(shared(plan, kind, &node));
    facts.extend(idle(plan, kind, &node, asked));
    facts
}

/// The cpus of a node that may be used, by OS number.
pub(super) struct Node {
    pub(super) allowed: RoaringBitmap,
    /// Its cores that may be used.
    cores: Vec<RoaringBitmap>,
}

impl Node {
    pub(super) fn of(plan: &Plan, kind: &Kind) -> Self {
        let world = plan.world();
        let state = world.states.get(kind.state);
        let os = world.topologies.pus_os(state.topology);
        let bits = world.pusets.get(state.allowed);
        let allowed: RoaringBitmap = bits.iter_ones().map(|pu| os[pu]).collect();
        let cores = world.topologies.objects(state.topology, ObjKind::Core);
        let cores = cores.map(|core| cpus_of(plan, core) & &allowed);
        Self {
            cores: cores.filter(|core| !core.is_empty()).collect(),
            allowed,
        }
    }
}

/// The objects of a kind; of NUMA nodes those that count (`semantics` 1.1).
pub(super) fn objects(plan: &Plan, topology: TopologyId, of: ObjKind) -> Vec<ObjectId> {
    let topologies = &plan.world().topologies;
    if of == ObjKind::Numa {
        return topologies.domains(topology).to_vec();
    }
    topologies.objects(topology, of).collect()
}

/// The cpus of an object, by OS number.
pub(super) fn cpus_of(plan: &Plan, object: ObjectId) -> RoaringBitmap {
    let world = plan.world();
    world.cpusets.get(world.topologies.cpuset(object)).clone()
}

/// Whether sets have a cpu in common. Cost: the smaller set; `is_disjoint` may walk the larger one cpu by cpu.
pub(super) fn meet(one: &RoaringBitmap, other: &RoaringBitmap) -> bool {
    let (few, many) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    few.iter().any(|cpu| many.contains(cpu))
}

fn mask(plan: &Plan, cpus: CpusetId) -> &RoaringBitmap {
    plan.world().cpusets.get(cpus)
}

/// Masks that meet more than one object of a kind, though one would hold them.
fn crossing(plan: &Plan, kind: &Kind, node: &Node) -> Vec<Fact> {
    let world = plan.world();
    let topology = world.states.get(kind.state).topology;
    let domains: Vec<(ObjKind, Vec<RoaringBitmap>)> = DOMAINS
        .into_iter()
        .map(|of| {
            let sets = objects(plan, topology, of)
                .into_iter()
                .map(|object| cpus_of(plan, object) & &node.allowed);
            (of, sets.collect())
        })
        .collect();
    let crosses = |cpus: &RoaringBitmap| {
        let met = domains.iter().filter(|(_, sets)| {
            let met = sets.iter().filter(|set| meet(set, cpus)).count();
            met > 1 && sets.iter().any(|set| set.len() >= cpus.len())
        });
        met.map(|(of, _)| *of).collect::<Vec<ObjKind>>()
    };
    let mut known: HashMap<CpusetId, Vec<ObjKind>> = HashMap::new();
    let mut facts: BTreeMap<AppId, Fact> = BTreeMap::new();
    for (row, local, run) in kind.runs() {
        let Some(cpus) = run.place.cpus else {
            continue;
        };
        let met = known
            .entry(cpus)
            .or_insert_with(|| crosses(mask(plan, cpus)));
        if met.is_empty() {
            continue;
        }
        let app = kind.guests[row].app;
        let fact = facts.entry(app).or_insert_with(|| {
            let words: Vec<String> = met
                .iter()
                .map(|of| format!("crosses {}", of.word()))
                .collect();
            let first = list_form(mask(plan, cpus));
            Fact {
                class: "crosses",
                app: Some(app),
                count: 0,
                procs: Vec::new(),
                ranks: 0,
                what: format!(
                    "the mask {}, and would fit into one, as cpus {first}",
                    words.join(", ")
                ),
            }
        });
        fact.count += u64::from(run.count);
        fact.hold(row, local, run.count);
    }
    facts.into_values().collect()
}

/// Two ranks on different hardware threads of one core, while cores serve nobody.
fn shared(plan: &Plan, kind: &Kind, node: &Node) -> Option<Fact> {
    let mut core_of: HashMap<u32, usize> = HashMap::new();
    for (at, core) in node
        .cores
        .iter()
        .enumerate()
        .filter(|(_, core)| core.len() > 1)
    {
        core_of.extend(core.iter().map(|pu| (pu, at)));
    }
    if core_of.is_empty() {
        return None;
    }
    let free = node.unused(plan, kind)?.len();
    if free == 0 {
        return None;
    }
    // The parts of cores that masks take, where they do not take the whole core.
    let mut parts: HashMap<CpusetId, Vec<(usize, RoaringBitmap)>> = HashMap::new();
    let mut of_cores: BTreeMap<usize, Vec<RoaringBitmap>> = BTreeMap::new();
    for (_, _, run) in kind.runs() {
        let Some(cpus) = run.place.cpus.filter(|cpus| !parts.contains_key(cpus)) else {
            continue;
        };
        let own = mask(plan, cpus);
        let mut cores: Vec<usize> = own
            .iter()
            .filter_map(|pu| core_of.get(&pu).copied())
            .collect();
        cores.dedup();
        let partial = cores
            .into_iter()
            .map(|core| (core, own & &node.cores[core]));
        let partial: Vec<_> = partial
            .filter(|(core, part)| part.len() < node.cores[*core].len())
            .collect();
        for (core, part) in &partial {
            of_cores.entry(*core).or_default().push(part.clone());
        }
        parts.insert(cpus, partial);
    }
    let twice = |core: &usize| {
        let own = &of_cores[core];
        own.iter()
            .enumerate()
            .any(|(at, one)| own[..at].iter().any(|other| one.is_disjoint(other)))
    };
    let first = *of_cores.keys().find(|core| twice(core))?;
    let number = node.cores[first].min().unwrap_or(0);
    let what = format!(
        "they have hardware threads of one core, first that of cpu {number}, while {free} of {} cores serve nobody",
        node.cores.len()
    );
    Some(sharing(kind, what, |cpus| {
        parts[&cpus].iter().any(|(core, _)| twice(core))
    }))
}

/// The fact about the processes of which these share a core.
fn sharing(kind: &Kind, what: String, shares: impl Fn(CpusetId) -> bool) -> Fact {
    let mut fact = Fact {
        class: "cores-shared",
        app: None,
        count: 0,
        procs: Vec::new(),
        ranks: 0,
        what,
    };
    let mut apps: Vec<AppId> = Vec::new();
    for (row, local, run) in kind.runs() {
        if run.place.cpus.is_some_and(&shares) {
            fact.hold(row, local, run.count);
            apps.push(kind.guests[row].app);
        }
    }
    fact.count = fact.ranks;
    apps.dedup();
    fact.app = match apps[..] {
        [app] => Some(app),
        _ => None,
    };
    fact
}

/// More than half the cores of a node serve nobody, and no app there asked for that.
fn idle(plan: &Plan, kind: &Kind, node: &Node, asked: Asked) -> Option<Fact> {
    let unused = node.unused(plan, kind)?.len();
    // Words about threads have a note of this name, on the cores of each mask.
    if !plan.thread_words().is_empty() {
        return None;
    }
    let mut apps = kind.guests.iter().map(|guest| guest.app);
    let excused = asked == Asked::Excuses && apps.any(|app| asks_for_cpus(plan, app));
    (2 * unused > node.cores.len() && !excused).then(|| Fact {
        class: "cores-idle",
        app: None,
        count: unused as u64,
        procs: Vec::new(),
        ranks: 0,
        what: format!("{unused} of {} cores serve nobody", node.cores.len()),
    })
}

impl Node {
    /// The cores that serve nobody; `None`: a process is unbound, and may use all of them.
    fn unused(&self, plan: &Plan, kind: &Kind) -> Option<Vec<usize>> {
        let mut seen: Vec<CpusetId> = Vec::new();
        for (_, _, run) in kind.runs() {
            let cpus = run.place.cpus?;
            if seen.last() != Some(&cpus) {
                seen.push(cpus);
            }
        }
        seen.sort_unstable();
        seen.dedup();
        let mut used = RoaringBitmap::new();
        seen.into_iter().for_each(|cpus| used |= mask(plan, cpus));
        let unused = self.cores.iter().enumerate();
        let unused = unused.filter(|(_, core)| !meet(core, &used));
        Some(unused.map(|(at, _)| at).collect())
    }
}

/// Whether an app said how many cpus its processes get, or which.
fn asks_for_cpus(plan: &Plan, app: AppId) -> bool {
    let table = plan.resolved_apps();
    let (Some(policy), Some(origins)) = (table.policy(app), table.origins[app]) else {
        return true;
    };
    let by_map = match policy.map {
        MapBy::Ppr { .. }
        | MapBy::Rankfile
        | MapBy::PeList
        | MapBy::Lsf
        | MapBy::Mpibind(_)
        | MapBy::Given => true,
        MapBy::Slot
        | MapBy::Node
        | MapBy::Object(_)
        | MapBy::Seq
        | MapBy::Dist
        | MapBy::Device(_) => false,
    };
    let bound = match origins.bind {
        Origin::App | Origin::Job | Origin::Default(Rule::BindParameter) => true,
        Origin::Parent | Origin::Default(_) => false,
    };
    by_map || bound || policy.pe > 1
}

/// The first node of a kind.
pub(super) fn first_node(kind: &Kind) -> NodeId {
    NodeId::from_row(kind.stretches[0].nodes.first as usize)
}
