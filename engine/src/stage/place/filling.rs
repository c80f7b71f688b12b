//! Nodes in list order, each filled before the next; then even shares of what is left. Source: `semantics` 4.1, 4.8.

use super::placement::Placement;
use super::policy::{Pass, PlacePolicy, lay, limit};
use super::refuse;
use super::share::{RunShare, even, fill};
use super::trial::{Allotment, Limit};
use crate::error::MapError;
use crate::policy::Oversubscribe;
use crate::stage::node::layout::{Binding, Layout};
use crate::stage::parallel::emptied;

/// Groups looked at in one go, at least, where slots did not tell how many: then what they need is worked out together.
const AHEAD: usize = 64;

/// Places an app by a policy that fills each node before the next.
pub(crate) fn place(
    placement: &mut Placement<'_>,
    policy: &impl PlacePolicy,
) -> Result<(), MapError> {
    let mut allotments = emptied(&mut placement.scratch.allotments);
    let mut group = 0;
    let mut known = 0;
    while group < placement.groups.len() && placement.left > 0 {
        if group >= known {
            known = look_ahead(placement, group);
            placement.learn(group..known);
        }
        let limit = limit(placement, policy, group, Pass::First, &allotments)?;
        let rows = fill_group(placement, group, limit, &mut allotments);
        known += rows - 1;
        group += rows;
    }
    lay(placement, policy, &allotments)?;
    placement.scratch.allotments = allotments;
    if placement.left == 0 {
        return Ok(());
    }
    if placement.policy.oversubscribe == Oversubscribe::Refused || !policy.shares(placement) {
        return Err(out_of_cpus(placement, policy));
    }
    policy.begin_sharing(placement);
    share_out(placement, policy)
}

/// Gives each node of a group what it takes while processes are left. Gives the number of groups it became.
#[inline]
pub(crate) fn fill_group(
    placement: &mut Placement<'_>,
    group: usize,
    limit: Limit,
    allotments: &mut Vec<Allotment>,
) -> usize {
    let nodes = placement.groups[group].nodes.count;
    let cap = limit.procs;
    let parts = fill(RunShare { nodes, cap }, placement.left);
    let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
    let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
    for (group, &(nodes, procs)) in rows.clone().zip(taking) {
        placement.left -= nodes * procs;
        allotments.push(Allotment {
            group,
            layout: limit.layout,
            procs,
        });
    }
    rows.len()
}

/// One behind the last group that may be needed, slots alone considered; where these were not enough, some more.
pub(crate) fn look_ahead(placement: &Placement<'_>, from: usize) -> usize {
    let mut enough = u64::from(placement.left);
    let mut group = from;
    let least = if from == 0 { 0 } else { from + AHEAD };
    while group < placement.groups.len() && (enough > 0 || group < least) {
        let row = &placement.groups[group];
        enough = enough.saturating_sub(u64::from(row.avail.max(1)) * u64::from(row.nodes.count));
        group += 1;
    }
    group
}

/// The second pass: even shares of what is left, again and again (4.8).
fn share_out(placement: &mut Placement<'_>, policy: &impl PlacePolicy) -> Result<(), MapError> {
    let mut open: Vec<bool> = vec![true; placement.groups.len()];
    let mut given_up: Vec<bool> = (0..placement.groups.len())
        .map(|group| policy.gave_up(placement, group))
        .collect();
    while placement.left > 0 {
        let on = placement.groups.iter().zip(&open).filter(|(_, on)| **on);
        let all: u64 = on.map(|(group, _)| u64::from(group.nodes.count)).sum();
        let (share, before) = (placement.left, open.clone());
        if all == 0 {
            return Err(refuse::out_of_resource(placement));
        }
        let (mut at, mut group) = (0_u64, 0);
        let mut allotments = Vec::new();
        while group < placement.groups.len() {
            let row = placement.groups[group];
            if !open[group] {
                group += 1;
                continue;
            }
            if row.room == 0 {
                open[group] = false;
                at += u64::from(row.nodes.count);
                group += 1;
                continue;
            }
            let parts = even(row.nodes.count, at, all, share);
            at += u64::from(row.nodes.count);
            let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
            if rows.len() > 1 {
                open.insert(group, true);
                given_up.insert(group, given_up[group]);
            }
            let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
            for (part, &(nodes, procs)) in rows.clone().zip(taking) {
                let limit = if given_up[part] {
                    Limit {
                        layout: Layout::Plain(Binding::Off),
                        procs: u32::MAX,
                    }
                } else {
                    limit(placement, policy, part, Pass::Sharing, &allotments)?
                };
                let procs = procs.min(limit.procs).min(placement.groups[part].room);
                placement.left -= nodes * procs;
                allotments.push(Allotment {
                    group: part,
                    layout: limit.layout,
                    procs,
                });
            }
            group += rows.len();
        }
        lay(placement, policy, &allotments)?;
        if placement.left == share && open == before {
            return Err(out_of_cpus(placement, policy));
        }
    }
    Ok(())
}

/// Cpus ran out: only bound processes found theirs, some may have been left unbound (7.6).
fn out_of_cpus(placement: &mut Placement<'_>, policy: &impl PlacePolicy) -> MapError {
    let bound = placement.bound();
    policy.out_of_cpus(placement, bound)
}
