//! Which nodes, cores and GPUs a job gets, by each scheduler's rule. Source: `lines/flux/spec.md` 6.

use super::asks::{Ask, Whole};
use super::instance::{Instance, NodeKind};
use super::site::Policy;
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use std::cmp::Reverse;
use stowplan_engine::count::counted;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::topologies::TopologyId;

/// What the job gets of each node of a run.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Allotted {
    /// The nodes, as places in the instance.
    pub(super) nodes: NodeRange,
    /// What it gets of each.
    pub(super) got: Got,
}

/// What a job gets of a node.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Got {
    /// The hardware.
    pub(super) topology: TopologyId,
    /// Cores, by logical number.
    pub(super) cores: RoaringBitmap,
    /// GPUs, as the instance numbers them.
    pub(super) gpus: RoaringBitmap,
}

/// Which end of a node's cores is given out first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Low,
    High,
}

/// Gives out nodes, cores and GPUs. The nodes of the answer are in the order of their ranks.
///
/// # Errors
/// `launcher-refuses` when nothing like it is there; `not-modelled` for `first` on unequal nodes.
///
/// Cost: runs of equal nodes.
pub(super) fn schedule(
    asked: &LineAsked<'_>,
    ask: &Ask,
    policy: Policy,
    instance: &Instance,
    left: &[NodeRange],
) -> Result<Vec<Allotted>, LineRefused> {
    if policy == Policy::First && instance.kinds.len() > 1 {
        let sentence = "policy=first: in which order Fluxion takes unequal nodes is not known";
        return Err(LineRefused::new("not-modelled", sentence));
    }
    let holds = |kind: &NodeKind| match (policy, ask.whole) {
        (Policy::Simple, Whole::Yes) => kind.gpus.len() >= ask.gpus,
        _ => slots_of(ask, kind) >= 1,
    };
    let mut runs = instance.cut(left);
    runs.retain(|&(_, kind)| holds(&instance.kinds[kind]));
    match policy {
        Policy::Simple => runs.sort_by_key(|&(nodes, kind)| {
            let kind = &instance.kinds[kind];
            (
                Reverse(kind.cores.len()),
                Reverse(kind.gpus.len()),
                nodes.first,
            )
        }),
        Policy::Lonodex => {}
        Policy::First => runs.reverse(),
    }
    let taken = match ask.nodes {
        Some(nodes) => by_nodes(ask, policy, instance, &runs, nodes),
        None => by_slots(ask, policy, instance, &runs),
    };
    let mut taken = taken.ok_or_else(|| unsatisfiable(asked, ask, instance, &runs))?;
    taken.sort_by_key(|allotted| allotted.nodes.first);
    Ok(taken)
}

/// How many slots a node holds.
fn slots_of(ask: &Ask, kind: &NodeKind) -> u64 {
    let by_cores = kind.cores.len() / ask.cores;
    match kind.gpus.len().checked_div(ask.gpus) {
        Some(by_gpus) => by_cores.min(by_gpus),
        None => by_cores,
    }
}

/// The first nodes that hold all slots of a node; `None`: there are too few.
fn by_nodes(
    ask: &Ask,
    policy: Policy,
    instance: &Instance,
    runs: &[(NodeRange, usize)],
    wanted: u32,
) -> Option<Vec<Allotted>> {
    let mut missing = wanted;
    let mut taken = Vec::new();
    for &(nodes, row) in runs {
        let kind = &instance.kinds[row];
        let asks_no_slots = policy == Policy::Simple && ask.whole == Whole::Yes;
        if missing == 0 || !asks_no_slots && slots_of(ask, kind) < ask.slots {
            continue;
        }
        let count = missing.min(nodes.count);
        missing -= count;
        let part = from_end(nodes, count, policy);
        let got = match (policy, ask.whole) {
            (Policy::Lonodex, _) | (_, Whole::Yes) => all_of(kind),
            (Policy::Simple | Policy::First, Whole::No) => some_of(ask, kind, ask.slots, policy),
        };
        taken.push(Allotted { nodes: part, got });
    }
    (missing == 0).then_some(taken)
}

/// Node after node until all slots stand; `None`: they do not.
fn by_slots(
    ask: &Ask,
    policy: Policy,
    instance: &Instance,
    runs: &[(NodeRange, usize)],
) -> Option<Vec<Allotted>> {
    let mut missing = ask.slots;
    let mut taken = Vec::new();
    for &(nodes, row) in runs {
        let kind = &instance.kinds[row];
        let each = slots_of(ask, kind);
        let full = u32::try_from(missing / each).map_or(nodes.count, |full| full.min(nodes.count));
        if full > 0 {
            let got = match policy {
                Policy::Lonodex => all_of(kind),
                Policy::Simple | Policy::First => some_of(ask, kind, each, policy),
            };
            let nodes = from_end(nodes, full, policy);
            taken.push(Allotted { nodes, got });
            missing -= each * u64::from(full);
        }
        if missing > 0 && full < nodes.count {
            let part = match policy {
                Policy::First => NodeRange::until(nodes.end() - full - 1, nodes.end() - full),
                Policy::Simple | Policy::Lonodex => {
                    NodeRange::until(nodes.first + full, nodes.first + full + 1)
                }
            };
            let got = match policy {
                Policy::Lonodex => all_of(kind),
                Policy::Simple | Policy::First => some_of(ask, kind, missing, policy),
            };
            taken.push(Allotted { nodes: part, got });
            missing = 0;
        }
        if missing == 0 {
            return Some(taken);
        }
    }
    None
}

/// `count` nodes of a run, from the end that the policy takes first.
const fn from_end(nodes: NodeRange, count: u32, policy: Policy) -> NodeRange {
    match policy {
        Policy::First => NodeRange::until(nodes.end() - count, nodes.end()),
        Policy::Simple | Policy::Lonodex => NodeRange::until(nodes.first, nodes.first + count),
    }
}

fn all_of(kind: &NodeKind) -> Got {
    Got {
        topology: kind.topology,
        cores: kind.cores.clone(),
        gpus: kind.gpus.clone(),
    }
}

fn some_of(ask: &Ask, kind: &NodeKind, slots: u64, policy: Policy) -> Got {
    let end = match policy {
        Policy::First => End::High,
        Policy::Simple | Policy::Lonodex => End::Low,
    };
    Got {
        topology: kind.topology,
        cores: part(&kind.cores, slots * ask.cores, end),
        gpus: part(&kind.gpus, slots * ask.gpus, end),
    }
}

fn part(set: &RoaringBitmap, count: u64, end: End) -> RoaringBitmap {
    let skipped = match end {
        End::Low => 0,
        End::High => set.len().saturating_sub(count),
    };
    let (skipped, count) = (
        usize::try_from(skipped).unwrap_or(usize::MAX),
        usize::try_from(count).unwrap_or(usize::MAX),
    );
    set.iter().skip(skipped).take(count).collect()
}

/// The lowest of a set.
pub(super) fn lowest(set: &RoaringBitmap, count: u64) -> RoaringBitmap {
    part(set, count, End::Low)
}

fn unsatisfiable(
    asked: &LineAsked<'_>,
    ask: &Ask,
    instance: &Instance,
    runs: &[(NodeRange, usize)],
) -> LineRefused {
    let slot = ask.slot();
    let nodes: u64 = runs.iter().map(|(nodes, _)| u64::from(nodes.count)).sum();
    let held = |&(nodes, kind): &(NodeRange, usize)| {
        slots_of(ask, &instance.kinds[kind]).saturating_mul(u64::from(nodes.count))
    };
    let slots = runs.iter().map(held).fold(0, u64::saturating_add);
    let there = format!(
        "of {} of the instance, {nodes} may be used and hold a slot, {} in all",
        counted(u64::from(instance.names.len()), "node"),
        counted(slots, "slot")
    );
    let wanted = match ask.nodes {
        Some(nodes) => format!(
            "{} with {} of {slot} each",
            counted(u64::from(nodes), "node"),
            counted(ask.slots, "slot")
        ),
        None => format!("{} of {slot}", counted(ask.slots, "slot")),
    };
    asked.refused(
        "launcher-refuses",
        format_args!("unsatisfiable request: it needs {wanted}; {there}"),
    )
}
