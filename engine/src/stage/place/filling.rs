//! Nodes in list order, each filled before the next; then even shares of what is left. Source: `semantics` 4.1, 4.8.
//!
//! The even shares are the second pass, under OVERSUBSCRIBE. By node and with SPAN, `rounds.rs` does both in one pass.

use super::map_policy::{MapPolicy, Pass, lay_or_refuse, node_takes};
use super::placement::Placement;
use super::refuse;
use super::share::even;
use crate::error::MapError;
use crate::policy::Oversubscribe;

/// When processes are laid on their nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lays {
    /// After each pass.
    EachPass,
    /// After all passes, by the policy itself.
    AtTheEnd,
}

/// Places an app by a policy that fills each node before the next.
pub(crate) fn place(
    placement: &mut Placement<'_>,
    policy: &mut dyn MapPolicy,
    lays: Lays,
) -> Result<(), MapError> {
    let mut group = 0;
    while group < placement.groups.len() && placement.left > 0 {
        let take = node_takes(placement, policy, group, Pass::First)?;
        group = placement.fill(group, take);
    }
    lay_pass(placement, policy, lays)?;
    if placement.left == 0 {
        return Ok(());
    }
    if placement.policy.oversubscribe == Oversubscribe::Refused
        || !policy.has_second_pass(placement)
    {
        return Err(policy.out_of_cpus(placement, placement.bound()));
    }
    policy.begin_second_pass(placement);
    while placement.left > 0 {
        share_out(placement, policy)?;
        lay_pass(placement, policy, lays)?;
    }
    Ok(())
}

fn lay_pass(
    placement: &mut Placement<'_>,
    policy: &dyn MapPolicy,
    lays: Lays,
) -> Result<(), MapError> {
    match lays {
        Lays::EachPass => lay_or_refuse(placement, policy),
        Lays::AtTheEnd => Ok(()),
    }
}

/// One pass of even shares over the nodes that still take part (4.8). A node at max_slots is counted once more, then leaves.
fn share_out(placement: &mut Placement<'_>, policy: &mut dyn MapPolicy) -> Result<(), MapError> {
    let open = placement.groups.iter().filter(|group| group.open);
    let all: u64 = open.map(|group| u64::from(group.nodes.count)).sum();
    if all == 0 {
        return Err(refuse::out_of_resource(placement));
    }
    let share = placement.left;
    let (mut at, mut group, mut closed) = (0_u64, 0, 0);
    while group < placement.groups.len() {
        let row = placement.groups[group];
        let first = at;
        at += if row.open {
            u64::from(row.nodes.count)
        } else {
            0
        };
        if !row.open || row.room() == 0 {
            closed += usize::from(row.open);
            placement.groups[group].open = false;
            group += 1;
            continue;
        }
        let parts = even(row.nodes.count, first, all, share);
        let parts = parts.iter().filter(|(nodes, _)| *nodes > 0);
        let groups = placement.split(group, parts.clone().map(|(nodes, _)| *nodes));
        for (part, &(_, procs)) in groups.clone().zip(parts) {
            let take = node_takes(placement, policy, part, Pass::Second)?;
            let procs = procs.min(take.procs).min(row.room());
            placement.allot(part, take.layout, procs);
        }
        group = groups.end;
    }
    if placement.left == share && closed == 0 {
        return Err(policy.out_of_cpus(placement, placement.bound()));
    }
    Ok(())
}
