//! Why a job does not run as planned, as far as the differences show it.

use super::differ::{Comparison, Differ, Pair};
use std::collections::HashMap;
use stowplan_engine::table::names::NodeId;

/// A likely cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Rank i of a node has the planned cpus of the node's rank i modulo this number.
    WrappedList(usize),
    /// Ranks have only a part of their cpus.
    NarrowStep,
    /// All ranks would be in place if nodes were exchanged.
    NodeOrder,
}

impl Cause {
    /// Its stable word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::WrappedList(_) => "wrapped-list",
            Self::NarrowStep => "narrow-step",
            Self::NodeOrder => "node-order",
        }
    }
}

pub(super) fn cause(differ: &Differ, comparison: &mut Comparison<'_>) -> Option<Cause> {
    let counted = differ.missing.is_empty() && differ.unknown.is_empty() && differ.twice.is_empty();
    if !differ.node.is_empty() {
        let exchanged = counted && differ.cpus.is_empty() && is_exchange(comparison);
        return exchanged.then_some(Cause::NodeOrder);
    }
    if differ.cpus.is_empty() {
        return None;
    }
    let nodes = by_node(comparison);
    if let Some(length) = wrapped(&nodes, comparison) {
        return Some(Cause::WrappedList(length));
    }
    is_narrow(differ, comparison).then_some(Cause::NarrowStep)
}

/// Whether the ranks of each node are together on one host of the plan, and no two nodes are on the same host.
fn is_exchange(comparison: &Comparison<'_>) -> bool {
    let mut host_of: HashMap<NodeId, usize> = HashMap::new();
    let mut node_of: HashMap<usize, NodeId> = HashMap::new();
    let names = &comparison.plan.world().names;
    comparison.pairs.iter().all(|(_, pair)| {
        let host = *host_of.entry(pair.node).or_insert(pair.host);
        let node = *node_of.entry(pair.host).or_insert(pair.node);
        host == pair.host && node == pair.node
    }) && host_of
        .values()
        .all(|&host| names.find_name(&comparison.lines.hosts[host]).is_some())
}

/// The ranks of each node that has any, in rank order.
fn by_node(comparison: &Comparison<'_>) -> Vec<Vec<Pair>> {
    let mut rows: HashMap<NodeId, usize> = HashMap::new();
    let mut nodes: Vec<Vec<Pair>> = Vec::new();
    for (_, pair) in &comparison.pairs {
        let row = *rows.entry(pair.node).or_insert_with(|| {
            nodes.push(Vec::new());
            nodes.len() - 1
        });
        nodes[row].push(*pair);
    }
    nodes
}

/// The length of a list that the launcher repeated to bind the ranks of all nodes, because it is shorter than the planned list.
fn wrapped(nodes: &[Vec<Pair>], comparison: &mut Comparison<'_>) -> Option<usize> {
    let mut differs = |node: &Vec<Pair>| {
        let mut pairs = node.iter();
        pairs.position(|pair| !comparison.is_planned(pair.planned, pair.cpus))
    };
    let firsts: Vec<Option<usize>> = nodes.iter().map(&mut differs).collect();
    let first = firsts.iter().flatten().min().copied()?;
    // The first node that differs gives the possible lengths. The result is one of them that fits all nodes.
    let shown = firsts.iter().position(Option::is_some)?;
    let mut lengths: Vec<usize> = (1..=first).rev().collect();
    lengths.retain(|&length| wraps(&nodes[shown], length, comparison));
    lengths
        .into_iter()
        .find(|&length| nodes.iter().all(|node| wraps(node, length, comparison)))
}

fn wraps(node: &[Pair], length: usize, comparison: &mut Comparison<'_>) -> bool {
    let mut pairs = node.iter().enumerate();
    pairs.all(|(at, pair)| {
        pair.planned.is_none() || comparison.is_planned(node[at % length].planned, pair.cpus)
    })
}

/// Whether every rank that differs has some of its planned cpus and no others.
fn is_narrow(differ: &Differ, comparison: &Comparison<'_>) -> bool {
    let sets = &comparison.plan.world().cpusets;
    let cpus = &comparison.lines.cpus;
    let mut differing = comparison
        .pairs
        .iter()
        .filter(|(rank, _)| differ.cpus.contains(*rank));
    differing.all(|(_, pair)| {
        let real = &cpus[pair.cpus];
        pair.planned
            .is_some_and(|planned| !real.is_empty() && real.is_subset(sets.get(planned)))
    })
}
