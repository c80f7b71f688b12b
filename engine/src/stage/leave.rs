//! What an app leaves: where its processes are, in the job's node order, and the nodes' new states.

use super::count;
use super::lots::Work;
use super::progress::{Pass, Progress, ProgressId};
use super::site::Site;
use super::spare::emptied;
use crate::plan::{Placed, PlacedRun, RankOrder};
use crate::policy::RankBy;
use crate::table::apps::PolicyId;
use crate::table::patterns::PatternId;
use crate::table::states::{NodeState, StateId};

/// Ends an app that was placed on lots.
pub(crate) fn lots(mut work: Work<'_>, policy: PolicyId) -> Placed {
    let order = match work.policy.rank {
        RankBy::Slot => RankOrder::Slot,
        RankBy::Fill => RankOrder::Fill,
        RankBy::Node => RankOrder::Node,
        RankBy::Span => RankOrder::Span,
        RankBy::Listed => RankOrder::Listed(Vec::new()),
    };
    let spare = &mut work.site.spare;
    let mut known = std::mem::take(&mut spare.came);
    known.clear();
    known.reserve(work.progress.len());
    for _ in work.progress.ids() {
        known.push(None);
    }
    let mut runs = emptied(&mut spare.runs);
    let mut changes = emptied(&mut spare.changes);
    runs.reserve(work.lots.len());
    changes.reserve(work.lots.len());
    for nodes in &work.touched {
        work.site.order.visit(*nodes);
    }
    work.reserve();
    let lots = std::mem::take(&mut work.lots);
    for &lot in lots.iter().filter(|lot| lot.placed > 0) {
        let state = work.progress[lot.progress].state;
        let row = *work.site.states.get(state);
        let (pattern, next) =
            *known[lot.progress].get_or_insert_with(|| end(&mut work, lot.progress, &row));
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
    for &lot in lots.iter().filter(|lot| lot.placed == 0) {
        work.remember_facts(lot.progress);
    }
    let joined = in_job_order(&runs, work.site);
    work.site.change(&mut changes);
    let spare = &mut work.site.spare;
    (spare.came, spare.runs, spare.changes) = (known, runs, changes);
    work.end(lots);
    Placed {
        policy: Some(policy),
        runs: joined,
        order,
    }
}

/// The pattern and the state of nodes that came this far.
fn end(work: &mut Work<'_>, at: ProgressId, row: &NodeState) -> (PatternId, StateId) {
    let Progress {
        placed,
        known,
        pass,
        ..
    } = work.progress[at];
    if let Some(known) = known {
        return known;
    }
    let pattern = work.pattern(at);
    let pass = pass.expect("a lot with processes was moved on");
    let Pass {
        only, from, free, ..
    } = &work.passes[pass];
    let (only, from) = (*only, *from);
    let (words, pus) = (free.words(), free.len() as usize);
    let free = work.site.pusets.intern_words(words, pus);
    let next = NodeState {
        free,
        used: row.used + placed,
        own: row.own + placed,
        ..*row
    };
    let both = (pattern, work.site.states.intern(next));
    if let Some(((layout, longest), key)) = only.zip(work.key_to_keep(from)) {
        let facts = work.known_facts(from);
        let memo = &mut work.site.memo;
        memo.keep(key, facts, ((layout, placed, longest), both));
    }
    both
}

/// Runs in the job's node order, cut where that order breaks, joined where neighbours got the same.
pub(crate) fn in_job_order(runs: &[PlacedRun], site: &mut Site) -> Vec<PlacedRun> {
    let mut parts = emptied(&mut site.spare.places);
    parts.reserve(runs.len());
    for run in runs {
        let places = site.order.places(run.nodes);
        parts.extend(places.map(|(nodes, place)| (place, PlacedRun { nodes, ..*run })));
    }
    if !parts.is_sorted_by_key(|(place, _)| *place) {
        parts.sort_unstable_by_key(|(place, _)| *place);
    }
    let mut joined = site.spare.placed.pop().unwrap_or_default();
    joined.clear();
    joined.reserve(parts.len());
    for &(_, run) in &parts {
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
    site.spare.places = parts;
    joined
}
