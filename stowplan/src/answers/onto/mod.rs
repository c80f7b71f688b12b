//! A plan on other nodes: the same shapes on the hosts that were granted.

// Which host stands for which node.
mod pairing;
// Why hosts do not hold a plan.
mod misfit;
// What other hardware would change.
mod change;

pub use misfit::{Misfit, ShapeCount};

use crate::answers::hosts::host_list;
use crate::answers::verify::verify;
use crate::job::granted::Granted;
use pairing::{Pairing, pair};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use stowplan_engine::count::counted;
use stowplan_engine::error::note::Facts;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::plan::{Carried, Plan};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::{Names, NodeId, NodeRange, push_joined};
use stowplan_engine::table::patterns::PatternId;
use stowplan_engine::table::states::StateId;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// A plan on the hosts that were granted.
#[derive(Clone, Debug)]
pub struct Onto {
    /// The plan.
    pub plan: Plan,
    /// What is to be said of it.
    pub notes: Vec<Remark>,
}

/// Carries a plan onto hosts, in order: node i is host i. If the plan has nodes of several topologies, and those of the hosts are
/// known, the nodes of each topology take, in order, the hosts that have it. Nodes without processes are left out if there are too few hosts.
///
/// # Errors
/// A [`Misfit`]: too few hosts, with counts for each topology; a host that has fewer slots or cpus than the plan uses there.
///
/// Cost: the nodes and the placed runs; if the topology of a host differs, also that of placing the job again.
pub fn onto(plan: &Plan, granted: &Granted) -> Result<Onto, Misfit> {
    let pairing = pair(plan, granted)?;
    enough_slots(plan, granted, &pairing)?;
    cpus_exist(plan, granted, &pairing)?;
    let names = taken(&granted.world.names, &pairing.hosts);
    let carried = plan.clone().onto(pairing.carried, names)?;
    if pairing.carried == Carried::WithProcesses {
        verify(&carried).map_err(|_| Misfit::Idle {
            nodes: plan.world().names.len(),
            hosts: granted.world.names.len(),
        })?;
    }
    let mut notes = Vec::new();
    notes.extend(assumed(plan, granted, &pairing));
    notes.extend(change::differs(plan, &carried, granted, &pairing));
    notes.extend(left(granted, &pairing));
    Ok(Onto {
        plan: carried,
        notes,
    })
}

/// The names of some hosts, in this order.
fn taken(hosts: &Names, order: &[u32]) -> Names {
    let ranges: Vec<_> = hosts.ranges().collect();
    let mut stretches: Vec<NodeRange> = Vec::new();
    for &host in order {
        let one = NodeRange::until(host, host + 1);
        push_joined(&mut stretches, one);
    }
    let mut names = Names::default();
    for stretch in stretches {
        let from = ranges.partition_point(|(nodes, _)| nodes.end() <= stretch.first);
        for (nodes, range) in &ranges[from..] {
            let Some(part) = nodes.overlap(stretch) else {
                break;
            };
            let mut range = range.clone();
            range.first += u64::from(part.first - nodes.first);
            range.count = part.count;
            // The pool of the hosts holds as many.
            let _ = names.add(&range);
        }
    }
    names
}

/// Folded names of some hosts, ascending.
fn listed(names: &Names, hosts: &[u32]) -> String {
    let mut stretches: Vec<NodeRange> = Vec::new();
    for &host in hosts {
        push_joined(&mut stretches, NodeRange::until(host, host + 1));
    }
    let each = stretches.iter().map(|&nodes| host_list(names, nodes));
    each.collect::<Vec<_>>().join(",")
}

/// A topology in a few words: its cores and hardware threads.
fn size(topologies: &Topologies, topology: TopologyId) -> String {
    let pus = counted(topologies.count(topology, ObjKind::Hwthread), "hwthread");
    match topologies.count(topology, ObjKind::Core) {
        0 => pus.to_string(),
        cores => format!("{}, {pus}", counted(cores, "core")),
    }
}

/// Checks that no host has fewer slots, as said, than the plan uses there.
fn enough_slots(plan: &Plan, granted: &Granted, pairing: &Pairing) -> Result<(), Misfit> {
    if granted.slots.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut ranks = vec![0_u32; plan.world().names.len() as usize];
    for run in plan.apps().iter().flat_map(|app| app.runs()) {
        for own in &mut ranks[run.nodes.first as usize..run.nodes.end() as usize] {
            *own += run.procs;
        }
    }
    let world = plan.world();
    for (&node, &host) in pairing.nodes.iter().zip(&pairing.hosts) {
        let ranks = ranks[node as usize];
        // A node that was oversubscribed on purpose needs no more slots than it had.
        let needs = ranks.min(world.states.get(world.before.state(id(node))).slots);
        if let Some(slots) = granted.slots[host as usize].filter(|&slots| slots < needs) {
            return Err(Misfit::Slots {
                host: granted.world.names.name(id(host)),
                slots,
                ranks,
            });
        }
    }
    Ok(())
}

/// Checks that every cpu that the plan binds to is there.
fn cpus_exist(plan: &Plan, granted: &Granted, pairing: &Pairing) -> Result<(), Misfit> {
    let mut host_of = vec![None; plan.world().names.len() as usize];
    for (&node, &host) in pairing.nodes.iter().zip(&pairing.hosts) {
        host_of[node as usize] = Some(host);
    }
    let mut lacks: HashMap<(PatternId, u32, StateId), RoaringBitmap> = HashMap::new();
    for run in plan.apps().iter().flat_map(|app| app.runs()) {
        for node in run.nodes.first..run.nodes.end() {
            let Some(host) = host_of[node as usize] else {
                continue;
            };
            let state = granted.world.before.state(id(host));
            let topology = granted.world.states.get(state).topology;
            // Of several topologies, a host of which nothing is known is taken to have that of its node.
            if pairing.topologies > 1 && granted.assumed == Some(topology) {
                continue;
            }
            let lack = lacks
                .entry((run.pattern, run.procs, state))
                .or_insert_with(|| {
                    let mut used = RoaringBitmap::new();
                    let places = plan.patterns().get(run.pattern).runs(run.procs);
                    for cpus in places.filter_map(|place| place.place.cpus) {
                        used |= plan.world().cpusets.get(cpus);
                    }
                    used - allowed(granted, state)
                });
            if !lack.is_empty() {
                return Err(Misfit::Cpus {
                    node: plan.world().names.name(id(node)),
                    host: granted.world.names.name(id(host)),
                    cpus: stowplan_engine::table::cpusets::list_form(lack),
                });
            }
        }
    }
    Ok(())
}

/// The cpus that a host may use, by OS number.
fn allowed(granted: &Granted, state: StateId) -> RoaringBitmap {
    let world = &granted.world;
    let state = world.states.get(state);
    let os = world.topologies.pus_os(state.topology);
    let bits = world.pusets.get(state.allowed);
    bits.iter_ones().map(|pu| os[pu]).collect()
}

fn id(node: u32) -> NodeId {
    NodeId::from_row(node as usize)
}

/// Says that nodes of several topologies were paired with hosts of which nothing is known.
fn assumed(plan: &Plan, granted: &Granted, pairing: &Pairing) -> Option<Remark> {
    let assumed = granted.assumed?;
    if pairing.topologies < 2 {
        return None;
    }
    let world = &granted.world;
    let unknown = |&host: &u32| world.states.get(world.before.state(id(host))).topology == assumed;
    let mut hosts: Vec<u32> = pairing.hosts.iter().copied().filter(unknown).collect();
    hosts.sort_unstable();
    (!hosts.is_empty()).then(|| Remark {
        class: "topology-assumed".to_owned(),
        facts: Facts {
            nodes: listed(&world.names, &hosts),
            count: hosts.len() as u64,
            ..Facts::default()
        },
        text: format!(
            "the plan has nodes of {} topologies, and none is known of {}: they are taken in order, as {}; --topo says what they are",
            pairing.topologies,
            listed(&world.names, &hosts),
            listed(&plan.world().names, &pairing.nodes),
        ),
    })
}

/// Says which hosts stand for no node.
fn left(granted: &Granted, pairing: &Pairing) -> Option<Remark> {
    let all = granted.world.names.len();
    let mut used = vec![false; all as usize];
    pairing
        .hosts
        .iter()
        .for_each(|&host| used[host as usize] = true);
    let left: Vec<u32> = (0..all).filter(|&host| !used[host as usize]).collect();
    (!left.is_empty()).then(|| Remark {
        class: "nodes-idle".to_owned(),
        facts: Facts {
            nodes: listed(&granted.world.names, &left),
            count: left.len() as u64,
            ..Facts::default()
        },
        text: format!(
            "{} of {} take the place of no node of the plan: {}",
            left.len(),
            counted(all, "granted host"),
            listed(&granted.world.names, &left)
        ),
    })
}
