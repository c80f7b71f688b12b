//! Which host stands for which node of a plan.

use super::misfit::{Misfit, ShapeCount};
use super::{id, listed, size};
use crate::job::granted::{Granted, Topologies};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use stowplan_engine::plan::{Carried, Plan};
use stowplan_engine::table::topologies::{TopologyDraft, TopologyId};
use stowplan_engine::table::vendor::Vendor;

/// The host of each node.
pub(super) struct Pairing {
    pub(super) carried: Carried,
    /// The nodes that are carried, ascending.
    pub(super) nodes: Vec<u32>,
    /// The host of each. Shape `[nodes]`.
    pub(super) hosts: Vec<u32>,
    /// Distinct topologies of these nodes.
    pub(super) topologies: usize,
}

/// What a host is to a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Host {
    /// It has this topology of the plan.
    Known(TopologyId),
    /// Nothing is known of it.
    Unknown,
    /// It has a topology that no node of the plan has.
    Other,
}

/// A topology without what no placement depends on.
fn placing(draft: TopologyDraft) -> TopologyDraft {
    TopologyDraft {
        vendor: Vendor::Unsaid,
        nics: Vec::new(),
        kept: Vec::new(),
        ..draft
    }
}

/// What each host is.
fn hosts(plan: &Plan, granted: &Granted) -> Vec<Host> {
    let (own, theirs) = (&plan.world().topologies, &granted.world.topologies);
    let drafts: Vec<_> = own.ids().map(|id| (id, placing(own.draft(id)))).collect();
    let mut known: HashMap<TopologyId, Host> = HashMap::new();
    let mut hosts = Vec::with_capacity(granted.world.names.len() as usize);
    for (nodes, state) in granted.world.before.iter() {
        let topology = granted.world.states.get(state).topology;
        let host = *known.entry(topology).or_insert_with(|| {
            if granted.assumed == Some(topology) {
                return Host::Unknown;
            }
            let draft = placing(theirs.draft(topology));
            let same = drafts.iter().find(|(_, own)| *own == draft);
            same.map_or(Host::Other, |(id, _)| Host::Known(*id))
        });
        hosts.extend(std::iter::repeat_n(host, nodes.count as usize));
    }
    hosts
}

/// The topology of each node that is carried.
fn nodes(plan: &Plan, carried: Carried) -> Vec<(u32, TopologyId)> {
    let world = plan.world();
    let all = [crate::answers::hosts::all(&world.names)];
    let placed = plan.nodes_with_processes();
    let ranges = match carried {
        Carried::All => &all[..],
        Carried::WithProcesses => &placed[..],
    };
    let mut nodes = Vec::new();
    for (part, state) in ranges.iter().flat_map(|&nodes| world.before.within(nodes)) {
        let topology = world.states.get(state).topology;
        nodes.extend((part.first..part.end()).map(|node| (node, topology)));
    }
    nodes
}

/// Finds a host for each node: for all nodes if there are enough hosts, else for those that have processes.
pub(super) fn pair(plan: &Plan, granted: &Granted) -> Result<Pairing, Misfit> {
    let hosts = hosts(plan, granted);
    for carried in [Carried::All, Carried::WithProcesses] {
        let nodes = nodes(plan, carried);
        let kinds: BTreeSet<TopologyId> = nodes.iter().map(|&(_, topology)| topology).collect();
        let found = match kinds.len() {
            0 | 1 => of_one(&nodes, &hosts, granted.given),
            _ => of_several(&nodes, &hosts, granted.given),
        };
        if let Some(hosts) = found {
            return Ok(Pairing {
                carried,
                nodes: nodes.iter().map(|&(node, _)| node).collect(),
                hosts,
                topologies: kinds.len(),
            });
        }
    }
    Err(misfit(plan, granted, &hosts))
}

/// Hosts for nodes of one topology: those that have it, or of which nothing else is known. If no host has it, or the topology of
/// this machine alone is known, any.
fn of_one(nodes: &[(u32, TopologyId)], hosts: &[Host], given: Topologies) -> Option<Vec<u32>> {
    let numbered = || (0..).zip(hosts);
    let fits = |&(_, host): &(u32, &Host)| match (host, nodes.first()) {
        (Host::Known(own), Some((_, topology))) => own == topology,
        (Host::Known(_) | Host::Other, _) => false,
        (Host::Unknown, _) => true,
    };
    let like: Vec<u32> = numbered().filter(fits).map(|(host, _)| host).collect();
    if like.len() >= nodes.len() {
        return Some(like[..nodes.len()].to_vec());
    }
    let any = like.is_empty() || given == Topologies::Probed;
    (any && hosts.len() >= nodes.len()).then(|| (0..).take(nodes.len()).collect())
}

/// Hosts for nodes of several topologies: each takes the next host that has its own; what is left takes, in order, the hosts of
/// which nothing is known.
fn of_several(nodes: &[(u32, TopologyId)], hosts: &[Host], given: Topologies) -> Option<Vec<u32>> {
    let mut known: BTreeMap<TopologyId, VecDeque<u32>> = BTreeMap::new();
    let mut unknown = VecDeque::new();
    for (number, host) in (0..).zip(hosts) {
        match host {
            Host::Known(topology) => known.entry(*topology).or_default().push_back(number),
            Host::Unknown => unknown.push_back(number),
            // What is read of this machine may lack what a file says.
            Host::Other if given == Topologies::Probed => unknown.push_back(number),
            Host::Other => {}
        }
    }
    let own = nodes
        .iter()
        .map(|(_, topology)| known.get_mut(topology)?.pop_front());
    let own: Vec<Option<u32>> = own.collect();
    own.into_iter()
        .map(|host| host.or_else(|| unknown.pop_front()))
        .collect()
}

/// The counts of each topology.
fn misfit(plan: &Plan, granted: &Granted, hosts: &[Host]) -> Misfit {
    let nodes = nodes(plan, Carried::WithProcesses);
    let kinds: BTreeSet<TopologyId> = nodes.iter().map(|&(_, topology)| topology).collect();
    let world = plan.world();
    let all = |wanted: &dyn Fn(Host) -> bool| -> Vec<u32> {
        let some = (0..).zip(hosts).filter(|&(_, &host)| wanted(host));
        some.map(|(number, _)| number).collect()
    };
    let shapes = kinds.iter().map(|&topology| {
        let own = nodes.iter().filter(|(_, other)| *other == topology);
        let own: Vec<u32> = own.map(|&(node, _)| node).collect();
        ShapeCount {
            nodes: listed(&world.names, &own),
            size: size(&world.topologies, topology),
            needs: own.len(),
            has: all(&|host| host == Host::Known(topology)).len(),
        }
    });
    let others = all(&|host| host == Host::Other);
    Misfit::Hosts {
        needs: nodes.len(),
        has: hosts.len(),
        shapes: shapes.collect(),
        unknown: all(&|host| host == Host::Unknown).len(),
        others: others.len(),
        first_other: others
            .first()
            .map(|&host| granted.world.names.name(id(host))),
    }
}
