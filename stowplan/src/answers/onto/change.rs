//! What other hardware would change: the job of the plan placed again on the hosts as they are.

use super::pairing::Pairing;
use super::{id, listed, size};
use crate::answers::diff::{diff, is_same};
use crate::job::granted::Granted;
use stowplan_engine::count::{Rank, counted};
use stowplan_engine::error::note::Facts;
use stowplan_engine::map_again::{Again, map_again_on};
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::plan::{Plan, World};
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::states::{NodeState, StateRuns, States};
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_engine::table::vendor::Vendor;

/// Says which hosts have another topology than the nodes that they stand for, and what placing the job on them would change.
///
/// Cost: the nodes; if a topology differs, that of placing the job again and of comparing the plans.
pub(super) fn differs(
    plan: &Plan,
    carried: &Plan,
    granted: &Granted,
    pairing: &Pairing,
) -> Option<Remark> {
    let (own, theirs) = (plan.world(), &granted.world);
    let topology =
        |world: &World, node: u32| world.states.get(world.before.state(id(node))).topology;
    let draft = |world: &World, node: u32| TopologyDraft {
        vendor: Vendor::Unsaid,
        nics: Vec::new(),
        kept: Vec::new(),
        ..world.topologies.draft(topology(world, node))
    };
    let mut known = std::collections::HashMap::new();
    let mut hosts = Vec::new();
    for (&node, &host) in pairing.nodes.iter().zip(&pairing.hosts) {
        let pair = (topology(own, node), topology(theirs, host));
        let assumed = granted.assumed == Some(pair.1);
        let differs = !assumed
            && *known
                .entry(pair)
                .or_insert_with(|| draft(own, node) != draft(theirs, host));
        if differs {
            hosts.push((host, node));
        }
    }
    let &(host, node) = hosts.first()?;
    let mut all: Vec<u32> = hosts.iter().map(|&(host, _)| host).collect();
    all.sort_unstable();
    let again = match pairing.topologies > 1 && granted.assumed.is_some() {
        true => Ok(Again::Elsewhere),
        false => map_again_on(carried, &world(carried, granted, pairing)),
    };
    let what = match again {
        Ok(Again::Plan(there) | Again::Supposed(Some(there))) => moves(carried, &there),
        Ok(Again::Supposed(None)) => "placed anew there, the job would be refused".to_owned(),
        Ok(Again::Elsewhere | Again::Incoherent) => {
            "what placing it anew there would change is not known".to_owned()
        }
        Err(error) => format!("placed anew there, the job would be refused ({error})"),
    };
    let (here, there) = (
        size(&own.topologies, topology(own, node)),
        size(&theirs.topologies, topology(theirs, host)),
    );
    let sizes = match here == there {
        true => format!("{here} in both, numbered or joined in other ways"),
        false => format!("{there} there, {here} in the plan"),
    };
    Some(Remark {
        class: "topology-differs".to_owned(),
        facts: Facts {
            nodes: listed(&theirs.names, &all),
            count: all.len() as u64,
            ..Facts::default()
        },
        text: format!(
            "{} of other hardware than the plan: {sizes}; the plan's cpus are kept, and {what}",
            match all.len() {
                1 => format!("{} is", listed(&theirs.names, &all)),
                _ => format!("{} are", listed(&theirs.names, &all)),
            }
        ),
    })
}

/// The nodes of the plan with the hardware of their hosts.
fn world(carried: &Plan, granted: &Granted, pairing: &Pairing) -> World {
    let (own, theirs) = (carried.world(), &granted.world);
    let (mut states, mut before) = (States::default(), StateRuns::default());
    for (node, &host) in (0..).zip(&pairing.hosts) {
        let state = own.states.get(own.before.state(id(node)));
        let hardware = theirs.states.get(theirs.before.state(id(host)));
        let both = NodeState {
            topology: hardware.topology,
            allowed: hardware.allowed,
            free: hardware.free,
            ..*state
        };
        before.push(1, states.intern(both));
    }
    World {
        names: own.names.clone(),
        topologies: theirs.topologies.clone(),
        cpusets: theirs.cpusets.clone(),
        pusets: theirs.pusets.clone(),
        states: states.into(),
        after: before.clone(),
        before,
        local: own.local,
    }
}

/// Which ranks would have other places, and where the first would be.
fn moves(carried: &Plan, there: &Plan) -> String {
    if is_same(carried, there) {
        return "placed anew there, no rank would move".to_owned();
    }
    let changed = diff(carried, there);
    let ranks = carried.ranks();
    let moved = ranks.saturating_sub(changed.same);
    let place = |plan: &Plan, rank: u32| {
        let place = plan.place(Rank(rank))?;
        let name = plan.world().names.name(place.node);
        let cpus = place.cpus.map(|id| list_form(plan.world().cpusets.get(id)));
        Some((name, cpus.unwrap_or_else(|| "unbound".to_owned())))
    };
    let first = (0..ranks).find(|&rank| place(carried, rank) != place(there, rank));
    let first = first.and_then(|rank| {
        let (name, cpus) = place(carried, rank)?;
        Some(match place(there, rank) {
            Some((other, there)) if other == name => {
                format!(" (rank {rank} of {name}: cpus {cpus}, there {there})")
            }
            Some((other, there)) => {
                format!(" (rank {rank}: {name} cpus {cpus}, there {other} cpus {there})")
            }
            None => format!(" (rank {rank} would not be)"),
        })
    });
    format!(
        "placed anew there, {} of {} would have another place{}",
        moved,
        counted(ranks, "rank"),
        first.unwrap_or_default()
    )
}
