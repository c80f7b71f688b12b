//! Commit: an app was placed, and the nodes get the states that it leaves. Nothing else of placing writes nodes.

use super::outcome::Outcome;
use super::scratch::Scratch;
use crate::plan::{Placed, PlacedRun};
use crate::stage::alloc::nodes::Nodes;
use crate::stage::parallel::emptied;

/// Gives nodes their new states, and an app its place in the plan: its runs in the job's node order.
pub(crate) fn commit(nodes: &mut Nodes, scratch: &mut Scratch, outcome: Outcome) -> Placed {
    let Outcome {
        policy,
        runs,
        order,
        passes,
        touched,
        mut changes,
    } = outcome;
    for &range in &touched {
        nodes.order.visit(range);
    }
    let runs = in_job_order(runs, nodes, scratch);
    nodes.change(&mut changes);
    (scratch.changes, scratch.touched) = (changes, touched);
    Placed {
        policy: Some(policy),
        runs,
        order,
        passes,
    }
}

/// Runs in the job's node order, cut where that order breaks, joined where neighbours got the same.
fn in_job_order(mut runs: Vec<PlacedRun>, nodes: &Nodes, scratch: &mut Scratch) -> Vec<PlacedRun> {
    // Nearly always the job's nodes came in order, and these runs among them.
    let place = |run: &PlacedRun| nodes.order.place(run.nodes);
    let places = runs.iter().map(place);
    if places.is_sorted_by(|before, next| before.is_some() && before <= next)
        && runs.first().is_none_or(|run| place(run).is_some())
    {
        runs.dedup_by(|run, last| joins(last, run));
        return runs;
    }
    let mut parts = emptied(&mut scratch.places);
    parts.reserve(runs.len());
    for run in runs.drain(..) {
        let places = nodes.order.places(run.nodes);
        parts.extend(places.map(|(nodes, place)| (place, PlacedRun { nodes, ..run })));
    }
    if !parts.is_sorted_by_key(|(place, _)| *place) {
        parts.sort_unstable_by_key(|(place, _)| *place);
    }
    parts.dedup_by(|(_, run), (_, last)| joins(last, run));
    runs.extend(parts.iter().map(|&(_, run)| run));
    scratch.places = parts;
    runs
}

/// Lets a run take in the one behind it, where that continues it.
fn joins(last: &mut PlacedRun, run: &PlacedRun) -> bool {
    let same = last.nodes.end() == run.nodes.first
        && PlacedRun {
            nodes: run.nodes,
            ..*last
        } == *run;
    last.nodes.count += if same { run.nodes.count } else { 0 };
    same
}
