//! What an app leaves: where its processes are, in the job's node order, and the nodes' new states.

use super::cache::Came;
use super::groups::{Lot, Work, pattern};
use super::progress::{Pass, Progress, ProgressId};
use super::site::Site;
use crate::id::Id as _;
use crate::plan::{Placed, PlacedRun, RankOrder};
use crate::policy::RankBy;
use crate::stage::alloc::Tables;
use crate::stage::job::count;
use crate::stage::parallel::both;
use crate::stage::parallel::emptied;

use crate::table::apps::PolicyId;
use crate::table::patterns::PatternId;
use crate::table::states::{NodeState, StateId};

/// Ends an app that was placed on lots.
pub(crate) fn lots(mut work: Work<'_>, policy: PolicyId) -> Placed {
    let used = work.lots.iter().filter(|lot| lot.placed > 0).count();
    let mut runs = work.site.room_for_runs(used);
    let mut changes = emptied(&mut work.site.spare.changes);
    changes.reserve(used);
    for nodes in &work.touched {
        work.site.pool.nodes.order.visit(*nodes);
    }
    work.reserve();
    let lots = std::mem::take(&mut work.lots);
    let (ended, patterns, states) = ends(&mut work, &lots);
    let mut fresh = ended
        .iter()
        .zip(patterns.into_iter().zip(states))
        .peekable();
    let kind = count::kind(&work.policy);
    for &lot in &lots {
        if lot.placed == 0 {
            work.remember_facts(lot.progress);
            continue;
        }
        let Progress { state, known, .. } = work.progress[lot.progress];
        let NodeState {
            own,
            used,
            topology,
            ..
        } = *work.site.pool.tables.states.get(state);
        let came = match fresh.next_if(|(at, _)| **at == lot.progress) {
            None => known.expect("what a progress comes to is known behind its first lot"),
            Some((_, (pattern, state))) => {
                let hardware = kind.and_then(|_| work.site.pool.tables.hardware[topology].as_ref());
                let kind = hardware
                    .zip(kind)
                    .map(|(hardware, kind)| hardware.kind(kind));
                let came = Came {
                    pattern,
                    state,
                    kind,
                };
                work.progress[lot.progress].known = Some(came);
                keep(&mut work, lot.progress, came);
                came
            }
        };
        changes.push((lot.nodes, came.state));
        runs.push(PlacedRun {
            nodes: lot.nodes,
            procs: lot.placed,
            pattern: came.pattern,
            kind: came.kind,
            own_before: own,
            used_before: used,
        });
    }
    drop(fresh);
    work.site.spare.ended = ended;
    let runs = in_job_order(runs, work.site);
    work.site.pool.nodes.change(&mut changes);
    work.site.spare.changes = changes;
    let rank = work.policy.rank;
    work.end(lots);
    Placed {
        policy: Some(policy),
        runs,
        order: order(rank),
    }
}

/// The order of ranks that are not written yet.
const fn order(rank: RankBy) -> RankOrder {
    match rank {
        RankBy::Slot => RankOrder::Slot,
        RankBy::Fill => RankOrder::Fill,
        RankBy::Node => RankOrder::Node,
        RankBy::Span => RankOrder::Span,
        RankBy::Listed => RankOrder::Listed(Vec::new()),
    }
}

/// The progress of lots with processes that is not known to come to anything yet, in the order of the lots; the pattern of
/// each, and the state that it leaves. Patterns and states have tables of their own, so two threads fill them.
fn ends(work: &mut Work<'_>, lots: &[Lot]) -> (Vec<ProgressId>, Vec<PatternId>, Vec<StateId>) {
    let mut ended = emptied(&mut work.site.spare.ended);
    let mut seen = emptied(&mut work.site.spare.seen);
    seen.resize(work.progress.len(), false);
    for at in lots.iter().filter(|lot| lot.placed > 0) {
        let at = at.progress;
        if work.progress[at].known.is_none() && !std::mem::replace(&mut seen[at.row()], true) {
            ended.push(at);
        }
    }
    let (rows, passes, done) = (&work.progress, &work.passes, &mut work.done);
    let pass = |at: ProgressId| {
        let pass = rows[at].pass.expect("a lot with processes was moved on");
        &passes[pass]
    };
    let Tables {
        patterns,
        pusets,
        states,
        sharing,
        ..
    } = &mut work.site.pool.tables;
    let next = |at: ProgressId| {
        let (row, free) = (*states.get(rows[at].state), &pass(at).free);
        states.intern(NodeState {
            free: pusets.intern_words(free.words(), free.len() as usize),
            used: row.used + rows[at].placed,
            own: row.own + rows[at].placed,
            ..row
        })
    };
    let got = |at: ProgressId| pattern(pass(at), done, patterns);
    let (got, left) = both(
        (ended.len(), *sharing),
        || ended.iter().copied().map(got).collect(),
        || ended.iter().copied().map(next).collect(),
    );
    work.site.spare.seen = seen;
    (ended, got, left)
}

/// Keeps what nodes came to for later apps, where one pass led there.
fn keep(work: &mut Work<'_>, at: ProgressId, came: Came) {
    let Progress { placed, pass, .. } = work.progress[at];
    let pass = pass.map(|pass| &work.passes[pass]);
    let Some(&Pass { only, from, .. }) = pass else {
        return;
    };
    if let Some(((layout, longest), key)) = only.zip(work.key_to_keep(from)) {
        let facts = work.known_facts(from).copied();
        let memo = &mut work.site.memo;
        memo.keep(key, facts, ((layout, placed, longest), came));
    }
}

/// Runs in the job's node order, cut where that order breaks, joined where neighbours got the same.
pub(crate) fn in_job_order(mut runs: Vec<PlacedRun>, site: &mut Site) -> Vec<PlacedRun> {
    // Nearly always the job's nodes came in order, and these runs among them.
    let place = |run: &PlacedRun| site.pool.nodes.order.place(run.nodes);
    let places = runs.iter().map(place);
    if places.is_sorted_by(|before, next| before.is_some() && before <= next)
        && runs.first().is_none_or(|run| place(run).is_some())
    {
        runs.dedup_by(|run, last| joins(last, run));
        return runs;
    }
    let mut parts = emptied(&mut site.spare.places);
    parts.reserve(runs.len());
    for run in runs.drain(..) {
        let places = site.pool.nodes.order.places(run.nodes);
        parts.extend(places.map(|(nodes, place)| (place, PlacedRun { nodes, ..run })));
    }
    if !parts.is_sorted_by_key(|(place, _)| *place) {
        parts.sort_unstable_by_key(|(place, _)| *place);
    }
    parts.dedup_by(|(_, run), (_, last)| joins(last, run));
    runs.extend(parts.iter().map(|&(_, run)| run));
    site.spare.places = parts;
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
