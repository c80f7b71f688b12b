//! Round-robin over the nodes, each up to what it takes: by node, by objects with SPAN. Source: `semantics` 4.2, 4.3.

use super::placement::Placement;
use super::policy::{GroupView, Pass, PlacePolicy, lay};
use super::refuse;
use super::share::{RoundRobin, RunShare, dealt, round_robin};
use super::trial::{Allotment, Limit};
use crate::error::MapError;
use crate::policy::{BindStrength, IfSupported, Oversubscribe};
use crate::stage::node::layout::{Binding, Layout};
use crate::stage::parallel::emptied;

/// Groups looked at in one go, at least.
const AHEAD: usize = 64;

/// Places an app by a policy that deals one process to each node in turn.
pub(crate) fn place(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
) -> Result<(), MapError> {
    let limits = limits(placement, policy)?;
    let mut shares = emptied(&mut placement.scratch.shares);
    let both = placement.groups.iter().zip(&limits);
    shares.extend(both.map(|(group, limit)| RunShare {
        nodes: group.nodes.count,
        cap: limit.procs,
    }));
    let mut caps = emptied(&mut placement.scratch.caps);
    let found = round_robin(shares.iter().copied(), placement.asked, &mut caps);
    placement.scratch.caps = caps;
    let Some(found) = found else {
        let placed: u64 = shares
            .iter()
            .map(|share| u64::from(share.cap) * u64::from(share.nodes))
            .sum();
        placement.left = placement.asked - u32::try_from(placed).unwrap_or(placement.asked);
        return Err(ended(placement, policy, &limits));
    };
    placement.scratch.shares = shares;
    deal(placement, policy, found, &limits)?;
    placement.scratch.limits = limits;
    Ok(())
}

/// What each group takes; nodes behind the one where the first round ends are not looked at.
fn limits(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
) -> Result<Vec<Limit>, MapError> {
    let mut limits = emptied(&mut placement.scratch.limits);
    let mut reached = 0_u64;
    let mut known = 0;
    for group in 0..placement.groups.len() {
        if reached >= u64::from(placement.asked) {
            limits.push(Limit {
                layout: Layout::Plain(Binding::Off),
                procs: 0,
            });
            continue;
        }
        if group >= known {
            let ahead = group + AHEAD.max(placement.asked as usize);
            known = placement.groups.len().min(ahead);
            placement.learn(group..known);
        }
        let pass = Pass::of_rounds(placement);
        let limit = policy.limit(&GroupView::new(placement, group, pass))?;
        let nodes = u64::from(placement.groups[group].nodes.count);
        reached += if limit.procs > 0 { nodes } else { 0 };
        limits.push(limit);
    }
    Ok(limits)
}

fn deal(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
    found: RoundRobin,
    limits: &[Limit],
) -> Result<(), MapError> {
    let RoundRobin { mut extra, .. } = found;
    let mut allotments = emptied(&mut placement.scratch.allotments);
    let mut group = 0;
    for &Limit { layout, procs: cap } in limits {
        let nodes = placement.groups[group].nodes.count;
        let parts = dealt(RunShare { nodes, cap }, found, &mut extra);
        let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
        let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
        group += rows.len();
        allotments.extend(rows.zip(taking).map(|(group, &(_, procs))| Allotment {
            group,
            layout,
            procs,
        }));
    }
    placement.left = 0;
    lay(placement, policy, &allotments)?;
    placement.scratch.allotments = allotments;
    Ok(())
}

/// Rounds ended early, each group at its limit: at max_slots everywhere, or for want of cpus.
fn ended(placement: &mut Placement<'_>, policy: &impl PlacePolicy, limits: &[Limit]) -> MapError {
    let oversubscribed = placement.policy.oversubscribe == Oversubscribe::Allowed;
    // What the binder leaves unbound takes no cpu: it is the limits that say whether cpus or max_slots ended the rounds.
    let mut groups = placement.groups.iter().zip(limits);
    let limited = groups.all(|(group, limit)| group.room < u32::MAX && limit.procs >= group.room);
    if oversubscribed && (placement.binding == Binding::Off || limited) {
        return refuse::out_of_resource(placement);
    }
    let may_be_unbound = placement.policy.strength == BindStrength::Default
        || placement.policy.if_supported == IfSupported::Yes;
    // Some may take their place without cpus: only laying them tells.
    let mut placed = placement.dealt();
    let all = limits.iter().enumerate();
    let all: Vec<Allotment> = all
        .map(|(group, &Limit { layout, procs })| Allotment {
            group,
            layout,
            procs,
        })
        .collect();
    if may_be_unbound && placement.place(&all).is_ok() {
        placed = placement.bound();
    }
    policy.out_of_cpus(placement, placed)
}
