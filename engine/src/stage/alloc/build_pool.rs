//! Builds the pool: which nodes the job has, in which order, with which slots. Source: `semantics` 1.2 to 1.7.

use super::first_states::{Counts, first_states};
use super::hostfile::{NodeSlots, SaidNodes, from_files, too_many};
use super::named::by_number;
use super::nodes::ListOrder;
use super::pool::Pool;
use super::slots::SlotsSaid;
use crate::error::{MapError, PlaceError};
use crate::id::{Column, Id as _};
use crate::stage::resolve::Resolved;
use crate::table::full_names::SharedLabels;
use crate::table::intervals::add_up;
use crate::table::machine::{Candidates, Machine};
use crate::table::names::{NameRange, Names, NodeId, NodeRange, Nodes, cut_around, moved_to_front};
use crate::text::host_types::{HostEntry, HostListId, HostfileWhat, Hosts};
use std::sync::Arc;

/// Builds the pool of a job: every node in its first state.
///
/// # Errors
/// `bad-hostfile`, `not-in-session`, `bad-topology`, `bad-cpu-list`, `job-too-large`.
pub(crate) fn build_pool(resolved: &Resolved, machine: &mut Machine) -> Result<Pool, MapError> {
    let hosts = &resolved.hosts;
    let shared = SharedLabels::of(said_names(hosts, machine));
    let apart = shared.as_ref().map(|shared| &shared.labels);
    // The sessions decide which nodes there are: `-H` selects among them.
    let from_hosts = machine.candidates.is_none();
    let mut named = if !hosts.hostfiles.is_empty() {
        from_files(hosts, apart)?
    } else if from_hosts && !hosts.lists.is_empty() {
        // A list that several apps give adds its nodes once, and its slots once for each of these apps.
        let mut said: Column<HostListId, u64> = hosts.lists.ids().map(|_| 0).collect();
        for &list in hosts.list.values().iter().flatten() {
            said[list] += 1;
        }
        from_entries(
            said.iter()
                .map(|(list, &times)| (&*hosts.lists[list], times)),
            apart,
        )?
    } else if from_hosts && !hosts.lsf_pool.is_empty() {
        from_entries(std::iter::once((&*hosts.lsf_pool, 1)), apart)?
    } else {
        nobody(machine, apart)?
    };
    if !machine.order.is_empty() {
        named = in_order(&machine.order, &named)?;
    }
    let local = local_first(machine, &mut named);
    if let Some(candidates) = &machine.candidates {
        within_sessions(resolved, candidates, &named.names)?;
    }
    let mut pool = Pool::new(machine, named.names, local);
    pool.alike = shared.map(|shared| shared.first);
    if !machine.order.is_empty() {
        pool.nodes.lists = ListOrder::Pool;
    }
    let counts = match hosts.hostfiles.is_empty() {
        true => Counts::Claims,
        false => Counts::Totals,
    };
    first_states(&mut pool, machine, named.slots, counts)?;
    Ok(pool)
}

/// The names of all nodes that the job says: those of which the pool is made, and those that choose in it.
fn said_names<'h>(hosts: &'h Hosts, machine: &'h Machine) -> impl Iterator<Item = &'h NameRange> {
    let lists = hosts.lists.values().iter().flatten();
    let entries = lists
        .chain(&hosts.lsf_pool)
        .filter_map(|entry| match entry {
            HostEntry::Names(range, _) => Some(range),
            HostEntry::Nth(_) | HostEntry::Empty(_) => None,
        });
    let files = hosts.hostfiles.values().iter();
    let lines = files.flat_map(|file| &file.lines);
    let lines = lines.filter_map(|line| match &line.what {
        HostfileWhat::Name(range) | HostfileWhat::Ranked(range) => Some(range),
        HostfileWhat::Exclude(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => None,
    });
    let candidates = machine.candidates.iter();
    entries
        .chain(lines)
        .chain(candidates.flat_map(|candidates| &candidates.nodes))
}

/// Without hosts: the nodes of the sessions, or else the one local node. The slots are inferred.
fn nobody(machine: &Machine, apart: Option<&Arc<Names>>) -> Result<SaidNodes, MapError> {
    let local = machine
        .local
        .clone()
        .unwrap_or_else(|| "localhost".to_owned());
    let plain = vec![NameRange {
        prefix: local,
        first: 0,
        count: 1,
        width: 0,
        suffix: String::new(),
    }];
    let ranges = machine
        .candidates
        .as_ref()
        .map_or(&plain, |candidates| &candidates.nodes);
    let mut names = Names::apart(apart);
    let mut slots = Vec::new();
    let inferred = NodeSlots {
        said: SlotsSaid::ALL,
        max: None,
    };
    for range in ranges {
        let nodes = names.add(range).map_err(too_many)?;
        slots.extend(nodes.into_iter().map(|nodes| (nodes, inferred)));
    }
    Ok(SaidNodes { names, slots })
}

/// The pool made of `-H` lists, each with the number of times it is given. The counts of a node add up.
fn from_entries<'h>(
    lists: impl Iterator<Item = (&'h [HostEntry], u64)>,
    apart: Option<&Arc<Names>>,
) -> Result<SaidNodes, MapError> {
    let mut names = Names::apart(apart);
    let mut said = Vec::new();
    for (list, times) in lists {
        said.reserve(list.len());
        for entry in list {
            let HostEntry::Names(range, slots) = entry else {
                continue;
            };
            let said_here = SlotsSaid::from(*slots).times(times);
            let nodes = match by_number(&names, range) {
                Some(node) => Nodes::from_slice(&[NodeRange::one(node.number())]),
                None => names.add(range).map_err(too_many)?,
            };
            said.extend(nodes.into_iter().map(|nodes| (nodes, said_here)));
        }
    }
    let slots = add_up(said)
        .into_iter()
        .map(|(nodes, said)| (nodes, NodeSlots { said, max: None }));
    Ok(SaidNodes {
        names,
        slots: slots.collect(),
    })
}

/// The same nodes in the order of these names; those that are not named come last.
///
/// Cost: the names, and the stretches of slots.
fn in_order(order: &[NameRange], named: &SaidNodes) -> Result<SaidNodes, MapError> {
    let mut before: Vec<NodeRange> = Vec::with_capacity(order.len());
    for range in order {
        before.extend(named.names.find(range).0);
    }
    let mut names = Names::default();
    let mut add = |nodes: NodeRange| -> Result<(), MapError> {
        for node in nodes.first..nodes.end() {
            let node = NodeId::from_row(node as usize);
            names.add_of(&named.names, node).map_err(too_many)?;
        }
        Ok(())
    };
    before.iter().try_for_each(|nodes| add(*nodes))?;
    add(NodeRange::until(0, named.names.len()))?;
    let mut slots = Vec::with_capacity(named.slots.len());
    for &(nodes, said) in &named.slots {
        for node in nodes.first..nodes.end() {
            let name = named.names.name(NodeId::from_row(node as usize));
            let moved = names.find_name(&name).map_or(node, |node| node.number());
            slots.push((NodeRange::one(moved), said));
        }
    }
    slots.sort_by_key(|(nodes, _)| nodes.first);
    Ok(SaidNodes { names, slots })
}

/// Moves the local node to the front of the pool, if the pool has it.
fn local_first(machine: &Machine, named: &mut SaidNodes) -> Option<NodeId> {
    let local = named.names.find_name(machine.local.as_deref()?)?;
    let at = local.number();
    if at > 0 {
        named.names.move_to_front(local);
        let cut = named.slots.iter().flat_map(|&(nodes, said)| {
            cut_around(nodes, at).map(move |part| (moved_to_front(part, at), said))
        });
        named.slots = cut.collect();
        named.slots.sort_by_key(|(nodes, _)| nodes.first);
    }
    Some(NodeId::from_row(0))
}

/// Checks that files and `-H` name only nodes of the sessions.
pub(crate) fn within_sessions(
    resolved: &Resolved,
    candidates: &Candidates,
    names: &Names,
) -> Result<(), MapError> {
    let mut allowed = Names::apart(names.shared_labels());
    for range in &candidates.nodes {
        allowed.add(range).map_err(too_many)?;
    }
    let hosts = &resolved.hosts;
    let lists = hosts.lists.values().iter().flat_map(|list| list.iter());
    let asked = lists
        .chain(&hosts.lsf_pool)
        .filter_map(|entry| match entry {
            HostEntry::Names(range, _) if by_number(names, range).is_none() => Some(range),
            HostEntry::Names(..) | HostEntry::Nth(_) | HostEntry::Empty(_) => None,
        });
    let outside = names
        .ranges()
        .find_map(|(_, range)| allowed.find(&range).1)
        .or_else(|| asked.into_iter().find_map(|range| allowed.find(range).1));
    match outside {
        Some(host) => Err(PlaceError::NotInSession {
            host,
            sessions: candidates.sessions.clone(),
        }
        .into()),
        None => Ok(()),
    }
}
