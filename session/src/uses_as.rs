//! How a short dump says the nodes of namespaces: large sets once, and then what is different, so that its length grows with what
//! happened.

use super::image::{Sets, Uses};
use super::state::State;
use super::tables::{NodeId, NodeSet, NsId};
use std::collections::BTreeMap;

/// A namespace uses the nodes of another, but for these.
#[derive(Debug)]
pub(crate) struct UsesAs {
    /// The other namespace.
    pub(crate) other: NsId,
    /// Nodes that this one also uses.
    pub(crate) also: Vec<NodeId>,
    /// Nodes of the other that this one does not use.
    pub(crate) without: Vec<NodeId>,
}

/// The namespaces whose nodes are said as those of another. Sets of up to `most` nodes are named. A former state of the default session is
/// said by the one before it, so each node that came or went between them is said once.
///
/// Cost: linear in the tables.
pub(crate) fn uses_as(state: &State, most: usize) -> BTreeMap<NsId, UsesAs> {
    let is_large = |nodes: u64| nodes > most as u64;
    let times: Vec<u64> = state.nodes.times.used().map(|row| row.0).collect();
    let mut sets = Sets::default();
    let mut users: BTreeMap<Uses, Vec<NsId>> = BTreeMap::new();
    for ns in state.spaces.by_name() {
        let uses = state.uses_in(&times, &mut sets, ns);
        let jobs = uses.map(|uses| users.entry(uses).or_default());
        jobs.into_iter().for_each(|jobs| jobs.push(ns));
    }
    let mut found = BTreeMap::new();
    let mut changes = changes(state);
    let (mut there, mut changed) = (NodeSet::new(), NodeSet::new());
    // The last namespace whose large state of the default session has been said.
    let mut last: Option<NsId> = None;
    // Former states come first, the oldest before all others.
    for (uses, spaces) in users {
        let time = match uses {
            Uses::Past(at) => times[at as usize],
            Uses::Set(at) => {
                let runs = sets.list[at as usize].iter();
                if is_large(runs.map(|run| u64::from(run.1) + 1).sum()) {
                    as_first(&spaces, &mut found);
                }
                continue;
            }
        };
        while let Some(entry) = changes.first_entry().filter(|entry| *entry.key() <= time) {
            for node in entry.remove() {
                turn(&mut there, node);
                turn(&mut changed, node);
            }
        }
        if !is_large(there.len()) {
            continue;
        }
        as_first(&spaces, &mut found);
        let few = changed.len() < there.len();
        let nodes = std::mem::take(&mut changed);
        if let Some(other) = last.filter(|_| few) {
            let (also, without) = nodes.iter().partition(|&node| there.contains(node));
            let uses = UsesAs {
                other,
                also,
                without,
            };
            found.insert(spaces[0], uses);
        }
        last = Some(spaces[0]);
    }
    found
}

/// The namespaces behind the first use the same nodes as the first.
fn as_first(spaces: &[NsId], found: &mut BTreeMap<NsId, UsesAs>) {
    for &ns in spaces.iter().skip(1) {
        let uses = UsesAs {
            other: spaces[0],
            also: Vec::new(),
            without: Vec::new(),
        };
        found.insert(ns, uses);
    }
}

/// By time: the nodes that come to the default session or leave it.
fn changes(state: &State) -> BTreeMap<u64, Vec<NodeId>> {
    let mut changes: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for node in state.nodes.all().iter() {
        for (from, to) in state.nodes.times.spans(state.nodes.seen(node)) {
            changes.entry(from).or_default().push(node);
            changes.entry(to).or_default().push(node);
        }
    }
    changes
}

/// Takes a node out if it is there, or else puts it in.
fn turn(nodes: &mut NodeSet, node: NodeId) {
    if !nodes.remove(node) {
        nodes.insert(node);
    }
}
