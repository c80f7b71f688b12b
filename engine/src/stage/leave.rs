//! What an app leaves: where its processes are, in the job's node order, and the nodes' new states.

use super::count;
use super::lots::Work;
use super::progress::ProgressId;
use crate::plan::{Placed, PlacedRun, RankOrder};
use crate::policy::RankBy;
use crate::table::apps::PolicyId;
use crate::table::names::NodeRange;
use crate::table::patterns::PatternId;
use crate::table::states::{NodeState, StateId};
use std::collections::HashMap;

/// Ends an app that was placed on lots.
pub(crate) fn lots(mut work: Work<'_>, policy: PolicyId) -> Placed {
    let order = match work.policy.rank {
        RankBy::Slot => RankOrder::Slot,
        RankBy::Fill => RankOrder::Fill,
        RankBy::Node => RankOrder::Node,
        RankBy::Span => RankOrder::Span,
        RankBy::Listed => RankOrder::Listed(Vec::new()),
    };
    let mut known: HashMap<ProgressId, (PatternId, StateId)> = HashMap::new();
    let mut runs = Vec::with_capacity(work.lots.len());
    let mut changes = Vec::new();
    for nodes in &work.touched {
        work.site.order.visit(*nodes);
    }
    let lots: Vec<_> = work
        .lots
        .iter()
        .filter(|lot| lot.placed > 0)
        .copied()
        .collect();
    for lot in lots {
        let state = work.progress[lot.progress].state;
        let row = *work.site.states.get(state);
        let (pattern, next) = match known.get(&lot.progress) {
            Some(&both) => both,
            None => {
                let both = end(&mut work, lot.progress, &row);
                known.insert(lot.progress, both);
                both
            }
        };
        let hardware = work.site.hardware[row.topology].as_ref();
        let kind =
            hardware.and_then(|hardware| count::kind(&work.policy).map(|kind| hardware.kind(kind)));
        changes.push((lot.nodes, next));
        runs.push(PlacedRun {
            nodes: lot.nodes,
            procs: lot.placed,
            pattern,
            kind,
            own_before: row.own,
            used_before: row.used,
        });
    }
    let runs = in_job_order(runs, |nodes| work.site.order.visit(nodes));
    work.site.change(&mut changes);
    Placed {
        policy: Some(policy),
        runs,
        order,
    }
}

/// The pattern and the state of nodes that came this far.
fn end(work: &mut Work<'_>, at: ProgressId, row: &NodeState) -> (PatternId, StateId) {
    let progress = &work.progress[at];
    if let Some(known) = progress.known {
        return known;
    }
    let (state, procs, only) = (progress.state, progress.placed, progress.only);
    let segments = work.segments(at);
    let cpus = work
        .free_after(at)
        .expect("a lot with processes was moved on")
        .free
        .clone();
    let pattern = work.site.patterns.intern(segments);
    let free = work.site.pusets.intern(&cpus);
    let next = NodeState {
        free,
        used: row.used + procs,
        own: row.own + procs,
        ..*row
    };
    let both = (pattern, work.site.states.intern(next));
    if let Some((layout, id)) = only.zip(work.remembered()) {
        let key = (state, id, layout, procs);
        work.site.memo.placed.insert(key, both);
    }
    both
}

/// Runs in the job's node order, cut where that order breaks, joined where neighbours got the same.
pub(crate) fn in_job_order(
    runs: Vec<PlacedRun>,
    mut visit: impl FnMut(NodeRange) -> Vec<(NodeRange, u32)>,
) -> Vec<PlacedRun> {
    let mut parts: Vec<(u32, PlacedRun)> = Vec::with_capacity(runs.len());
    for run in runs {
        parts.extend(
            visit(run.nodes)
                .into_iter()
                .map(|(nodes, place)| (place, PlacedRun { nodes, ..run })),
        );
    }
    if !parts.is_sorted_by_key(|(place, _)| *place) {
        parts.sort_unstable_by_key(|(place, _)| *place);
    }
    let mut joined: Vec<PlacedRun> = Vec::with_capacity(parts.len());
    for (_, run) in parts {
        match joined.last_mut() {
            Some(last)
                if last.nodes.end() == run.nodes.first
                    && PlacedRun {
                        nodes: run.nodes,
                        ..*last
                    } == run =>
            {
                last.nodes.count += run.nodes.count;
            }
            _ => joined.push(run),
        }
    }
    joined
}
