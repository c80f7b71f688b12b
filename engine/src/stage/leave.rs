//! What an app leaves: where its processes are, in the job's node order, and the nodes' new states.

use super::count;
use super::lots::Work;
use super::memo::Came;
use super::progress::{Pass, Progress, ProgressId};
use super::site::Site;
use super::spare::emptied;
use crate::id::Id as _;
use crate::plan::{Placed, PlacedRun, RankOrder};
use crate::policy::RankBy;
use crate::table::apps::PolicyId;
use crate::table::states::NodeState;

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
    let mut came = emptied(&mut spare.came);
    let mut runs = emptied(&mut spare.runs);
    let mut changes = emptied(&mut spare.changes);
    came.resize(work.progress.len(), None);
    runs.reserve(work.lots.len());
    changes.reserve(work.lots.len());
    for nodes in &work.touched {
        work.site.order.visit(*nodes);
    }
    work.reserve();
    let lots = std::mem::take(&mut work.lots);
    for &lot in &lots {
        if lot.placed == 0 {
            work.remember_facts(lot.progress);
            continue;
        }
        let progress = &work.progress[lot.progress];
        let NodeState { own, used, .. } = *work.site.states.get(progress.state);
        let Came {
            pattern,
            state,
            kind,
        } = match progress.known {
            Some(known) => known,
            None => *came[lot.progress.row()].get_or_insert_with(|| end(&mut work, lot.progress)),
        };
        changes.push((lot.nodes, state));
        runs.push(PlacedRun {
            nodes: lot.nodes,
            procs: lot.placed,
            pattern,
            kind,
            own_before: own,
            used_before: used,
        });
    }
    let joined = in_job_order(&runs, work.site);
    work.site.change(&mut changes);
    let spare = &mut work.site.spare;
    (spare.came, spare.runs, spare.changes) = (came, runs, changes);
    work.end(lots);
    Placed {
        policy: Some(policy),
        runs: joined,
        order,
    }
}

/// What nodes got that came this far, and what it leaves of them.
fn end(work: &mut Work<'_>, at: ProgressId) -> Came {
    let Progress {
        state,
        placed,
        pass,
        ..
    } = work.progress[at];
    let row = *work.site.states.get(state);
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
        ..row
    };
    let hardware = work.site.hardware[row.topology].as_ref();
    let kind = count::kind(&work.policy);
    let came = Came {
        pattern,
        state: work.site.states.intern(next),
        kind: hardware.and_then(|hardware| kind.map(|kind| hardware.kind(kind))),
    };
    if let Some(((layout, longest), key)) = only.zip(work.key_to_keep(from)) {
        let facts = work.known_facts(from);
        let memo = &mut work.site.memo;
        memo.keep(key, facts, ((layout, placed, longest), came));
    }
    came
}

/// Runs in the job's node order, cut where that order breaks, joined where neighbours got the same.
pub(crate) fn in_job_order(runs: &[PlacedRun], site: &mut Site) -> Vec<PlacedRun> {
    let mut joined = site.spare.placed.pop().unwrap_or_default();
    joined.clear();
    joined.reserve(runs.len());
    // Nearly always the job's nodes came in order, and these runs among them.
    let place = |run: &PlacedRun| site.order.place(run.nodes);
    let places = runs.iter().map(place);
    if places.is_sorted_by(|before, next| before.is_some() && before <= next)
        && runs.first().is_none_or(|run| place(run).is_some())
    {
        runs.iter().for_each(|&run| join(&mut joined, run));
        return joined;
    }
    let mut parts = emptied(&mut site.spare.places);
    parts.reserve(runs.len());
    for run in runs {
        let places = site.order.places(run.nodes);
        parts.extend(places.map(|(nodes, place)| (place, PlacedRun { nodes, ..*run })));
    }
    if !parts.is_sorted_by_key(|(place, _)| *place) {
        parts.sort_unstable_by_key(|(place, _)| *place);
    }
    parts.iter().for_each(|&(_, run)| join(&mut joined, run));
    site.spare.places = parts;
    joined
}

/// Appends a run, joined to the last one where it continues it.
fn join(joined: &mut Vec<PlacedRun>, run: PlacedRun) {
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
