//! Commit: gives nodes the states that a placed app leaves. Nothing else in this folder changes nodes.

use super::outcome::Outcome;
use super::scratch::emptied;
use super::workspace::Workspace;
use crate::plan::claimed::{Claim, Claimed};
use crate::plan::{Placed, PlacedRun};
use crate::stage::alloc::nodes::Nodes;

/// Gives nodes their new states. Returns the app as the plan has it, with its runs in the job's node order.
pub(crate) fn commit(work: &mut Workspace, outcome: Outcome) -> Placed {
    let Outcome {
        policy,
        mut runs,
        order,
        passes,
        touched,
        mut slots,
        named,
        mut changes,
    } = outcome;
    let states = &work.pool.tables.states;
    let lowered = slots.lowered.iter();
    let lowered = lowered.map(|&(nodes, state)| (nodes, states.get(state).slots));
    let claim = named.map_or(Claim::Elsewhere, |named| {
        Claim::Of(named, lowered.collect())
    });
    let nodes = &mut work.pool.nodes;
    nodes.change_slots(&mut slots, &work.pool.tables.states);
    nodes.change(&mut changes);
    for &range in &touched {
        nodes.order.visit(range);
    }
    in_job_order(&mut runs, nodes, &mut work.scratch.parts);
    (work.scratch.changes, work.scratch.touched) = (changes, touched);
    Placed {
        policy: Some(policy),
        runs,
        order,
        passes,
        claimed: Claimed(claim),
    }
}

/// Puts runs into the job's node order: cuts them where that order breaks, and joins neighbours that got the same.
fn in_job_order(runs: &mut Vec<PlacedRun>, nodes: &Nodes, scratch: &mut Vec<(u32, PlacedRun)>) {
    // Nearly always nodes were visited in ascending order, and the runs are in that order too.
    if nodes.order.ascends() && runs.is_sorted_by_key(|run| run.nodes.first) {
        runs.dedup_by(|run, last| last.join(run));
        return;
    }
    let mut parts = emptied(scratch);
    for run in runs.drain(..) {
        let places = nodes.order.places(run.nodes);
        parts.extend(places.map(|(nodes, place)| (place, PlacedRun { nodes, ..run })));
    }
    parts.sort_unstable_by_key(|(place, _)| *place);
    parts.dedup_by(|(_, run), (_, last)| last.join(run));
    runs.extend(parts.iter().map(|&(_, run)| run));
    *scratch = parts;
}
