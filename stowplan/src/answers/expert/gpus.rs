//! GPUs that serve nobody while another serves two, and GPUs that are far from the cpus of their process.

use super::Fact;
use super::cores::{Node, cpus_of, first_node, meet};
use super::kinds::Kind;
use crate::answers::gpus::list;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;

/// Processes of a node whose GPUs are looked at, at most.
const PROCS_MAX: u32 = 4096;

/// A GPU of a node.
struct Gpu {
    /// The number that programs see.
    visible: u32,
    /// The cpus near it that may be used, by OS number.
    near: RoaringBitmap,
    /// The processes that were given it: the row of the app's run, and the number within it.
    users: Vec<(usize, u32)>,
}

/// The facts about the GPUs of one kind of node.
pub(super) fn facts(plan: &Plan, kind: &Kind, given: &GivenGpus) -> Vec<Fact> {
    let procs = kind.guests.iter().map(|guest| guest.run.procs);
    if procs.fold(0, u32::saturating_add) > PROCS_MAX {
        return Vec::new();
    }
    let (world, node) = (plan.world(), Node::of(plan, kind));
    let topology = world.states.get(kind.state).topology;
    let objects = world.topologies.objects(topology, ObjKind::Gpu);
    let gpus = world.topologies.gpus(topology).iter().zip(objects);
    let mut gpus: BTreeMap<u32, Gpu> = gpus
        .map(|(gpu, object)| {
            let own = Gpu {
                visible: gpu.visible,
                near: cpus_of(plan, object) & &node.allowed,
                users: Vec::new(),
            };
            (gpu.visible, own)
        })
        .collect();
    if gpus.is_empty() {
        return Vec::new();
    }
    let mut far: BTreeMap<AppId, Fact> = BTreeMap::new();
    for (row, local, run) in kind.runs() {
        let guest = &kind.guests[row];
        let cpus = run.place.cpus.map(|cpus| world.cpusets.get(cpus));
        for local in local..local + run.count {
            for visible in given.of(first_node(kind), guest.run.own_before + local) {
                let Some(gpu) = gpus.get_mut(visible) else {
                    continue;
                };
                gpu.users.push((row, local));
                if !meet(&gpu.near, cpus.unwrap_or(&node.allowed)) {
                    let fact = far
                        .entry(guest.app)
                        .or_insert_with(|| is_far(guest.app, gpu));
                    if fact.procs.last() != Some(&(row, local)) {
                        fact.count += 1;
                        fact.hold(row, local, 1);
                    }
                }
            }
        }
    }
    let mut facts: Vec<Fact> = far.into_values().collect();
    facts.extend(unequal(&gpus));
    facts
}

fn is_far(app: AppId, gpu: &Gpu) -> Fact {
    let near = match gpu.near.is_empty() {
        true => "no cpu that may be used".to_owned(),
        false => format!(
            "cpus {}",
            stowplan_engine::table::cpusets::list_form(&gpu.near)
        ),
    };
    Fact {
        class: "gpu-far",
        app: Some(app),
        count: 0,
        procs: Vec::new(),
        ranks: 0,
        what: format!(
            "its GPU is near none of its cpus, first GPU {}, which is near {near}",
            gpu.visible
        ),
    }
}

/// GPUs that serve nobody while others serve two.
fn unequal(gpus: &BTreeMap<u32, Gpu>) -> Vec<Fact> {
    let numbers = |some: &dyn Fn(&Gpu) -> bool| {
        let some = gpus.values().filter(|gpu| some(gpu));
        some.map(|gpu| gpu.visible).collect::<Vec<u32>>()
    };
    let (idle, shared) = (
        numbers(&|gpu| gpu.users.is_empty()),
        numbers(&|gpu| gpu.users.len() > 1),
    );
    let Some(first) = shared.first().filter(|_| !idle.is_empty()) else {
        return Vec::new();
    };
    let word = |numbers: &[u32]| if numbers.len() == 1 { "GPU" } else { "GPUs" };
    let verb = if idle.len() == 1 { "serves" } else { "serve" };
    let nobody = format!("{} {} {verb} nobody", word(&idle), list(&idle));
    let fact = |class, count: usize, what| Fact {
        class,
        app: None,
        count: count as u64,
        procs: Vec::new(),
        ranks: 0,
        what,
    };
    let serves = format!("GPU {first} serves {} ranks", gpus[first].users.len());
    let mut both = fact(
        "gpu-shared",
        shared.len(),
        format!(
            "they share {} {}, while {nobody}",
            word(&shared),
            list(&shared)
        ),
    );
    for gpu in shared.iter().map(|visible| &gpus[visible]) {
        gpu.users
            .iter()
            .for_each(|&(row, local)| both.hold(row, local, 1));
    }
    vec![
        fact("gpus-idle", idle.len(), format!("{nobody}, while {serves}")),
        both,
    ]
}
