//! Round-robin over the nodes, each up to what it takes: by node, by objects with SPAN. Source: `semantics` 4.2, 4.3.

use super::group::{NodeGroup, NodeTake};
use super::map_policy::{MapPolicy, Pass, lay_or_refuse, node_takes};
use super::placement::Placement;
use super::refuse;
use super::scratch::emptied;
use super::share::{RunShare, dealt, round_robin};
use crate::error::MapError;
use crate::policy::{BindStrength, IfSupported, Oversubscribe};
use crate::stage::node::layout::{Binding, Layout};

/// Places an app by a policy that deals one process to each node in turn.
pub(crate) fn place(
    placement: &mut Placement<'_>,
    policy: &mut dyn MapPolicy,
) -> Result<(), MapError> {
    let takes = all_take(placement, policy)?;
    let groups = placement.groups.iter();
    let shares = groups.zip(&takes).map(|(group, take)| RunShare {
        nodes: group.nodes.count,
        cap: take.procs,
    });
    let Some(found) = round_robin(shares, placement.asked, &mut placement.scratch.caps) else {
        return Err(ended(placement, policy, &takes));
    };
    let (mut extra, mut group) = (found.extra, 0);
    for &NodeTake { layout, procs: cap } in &takes {
        let nodes = placement.groups[group].nodes.count;
        let parts = dealt(RunShare { nodes, cap }, found, &mut extra);
        group = placement.allot_parts(group, layout, &parts);
    }
    placement.scratch.takes = takes;
    lay_or_refuse(placement, policy)
}

/// What each node of a group takes. Nodes after the one where the first round ends are not checked. If OVERSUBSCRIBE allows
/// a second pass, its rules apply from the start.
fn all_take(
    placement: &mut Placement<'_>,
    policy: &mut dyn MapPolicy,
) -> Result<Vec<NodeTake>, MapError> {
    let pass = match placement.policy.oversubscribe {
        Oversubscribe::Refused => Pass::First,
        Oversubscribe::Allowed => Pass::Second,
    };
    let mut takes = emptied(&mut placement.scratch.takes);
    let mut reached = 0_u64;
    for group in 0..placement.groups.len() {
        if reached >= u64::from(placement.asked) {
            takes.push(NodeTake {
                layout: Layout::Plain(Binding::Off),
                procs: 0,
            });
            continue;
        }
        let take = node_takes(placement, policy, group, pass)?;
        if take.procs > 0 {
            reached += u64::from(placement.groups[group].nodes.count);
        }
        takes.push(take);
    }
    Ok(takes)
}

/// The refusal when every group reached its limit too early: all are at max_slots, or cpus ran out.
fn ended(placement: &mut Placement<'_>, policy: &dyn MapPolicy, takes: &[NodeTake]) -> MapError {
    // Processes that the binder leaves unbound take no cpu, so only the limits say whether cpus or max_slots ended the rounds.
    let groups = || placement.groups.iter().zip(takes);
    let at_most =
        |(group, take): (&NodeGroup, &NodeTake)| group.most < u32::MAX && take.procs >= group.most;
    let limited = groups().all(at_most);
    let held: u32 = groups()
        .map(|(group, take)| group.nodes.count * take.procs)
        .sum();
    placement.left = placement.asked - held;
    let oversubscribed = placement.policy.oversubscribe == Oversubscribe::Allowed;
    let limited = placement.binding == Binding::Off || limited;
    if oversubscribed && limited && policy.has_second_pass(placement) {
        return refuse::out_of_resource(placement);
    }
    let may_be_unbound = placement.policy.strength == BindStrength::Default
        || placement.policy.if_supported == IfSupported::Yes;
    let mut placed = placement.dealt();
    if may_be_unbound {
        // Some processes may be placed without cpus. Only laying them tells.
        placement.left = placement.asked;
        for (group, take) in takes.iter().enumerate() {
            placement.allot(group, take.layout, take.procs);
        }
        if placement.lay_allotted().is_ok() {
            placed = placement.bound();
        }
    }
    policy.out_of_cpus(placement, placed)
}
