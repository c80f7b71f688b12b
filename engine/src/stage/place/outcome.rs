//! What an app that was placed comes to: where its processes are, and the states that it leaves. Writes nothing to nodes.

use super::cache::{KeptOutcome, Want};
use super::placement::{Placement, pattern};
use super::trial::{NodeGroup, Trial, TrialId, TrialPass};
use crate::id::Id as _;
use crate::plan::{PassRun, PlacedRun, RankOrder};
use crate::policy::{MapBy, RankBy};
use crate::stage::alloc::Tables;
use crate::stage::node::capacity::mapped_kind;
use crate::stage::parallel::both;
use crate::stage::parallel::emptied;
use crate::table::apps::PolicyId;
use crate::table::names::NodeRange;
use crate::table::patterns::PatternId;
use crate::table::states::{NodeState, StateId};

/// What an app comes to; [`super::commit`] gives it to the nodes.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) policy: PolicyId,
    /// Where its processes are, in the order of its nodes.
    pub(crate) runs: Vec<PlacedRun>,
    pub(crate) order: RankOrder,
    /// Where passes ended, where a plan tells them.
    pub(crate) passes: Option<Vec<PassRun>>,
    /// Nodes in the order in which they first received a process of the app; nodes may repeat.
    pub(crate) touched: Vec<NodeRange>,
    /// The states that it leaves.
    pub(crate) changes: Vec<(NodeRange, StateId)>,
}

/// What an app placed on groups comes to.
pub(crate) fn groups(mut placement: Placement<'_>, policy: PolicyId) -> Outcome {
    let used = placement
        .groups
        .iter()
        .filter(|group| group.placed > 0)
        .count();
    let mut runs = placement.scratch.room_for_runs(used);
    let mut changes = emptied(&mut placement.scratch.changes);
    changes.reserve(used);
    placement.reserve();
    let groups = std::mem::take(&mut placement.groups);
    let (ended, patterns, states) = ends(&mut placement, &groups);
    let mut fresh = ended
        .iter()
        .zip(patterns.into_iter().zip(states))
        .peekable();
    let kind = mapped_kind(placement.policy.map);
    for &group in &groups {
        if group.placed == 0 {
            placement.remember_capacity(group.trial);
            continue;
        }
        let Trial { state, known, .. } = placement.trial[group.trial];
        let NodeState {
            own,
            used,
            topology,
            ..
        } = *placement.tables.states.get(state);
        let entry = match fresh.next_if(|(at, _)| **at == group.trial) {
            None => known.expect("what a trial comes to is known behind its first group"),
            Some((_, (pattern, state))) => {
                let hardware = kind.and_then(|_| placement.tables.hardware[topology].as_ref());
                let kind = hardware
                    .zip(kind)
                    .map(|(hardware, kind)| hardware.kind(kind));
                let entry = KeptOutcome {
                    pattern,
                    state,
                    kind,
                };
                placement.trial[group.trial].known = Some(entry);
                keep(&mut placement, group.trial, entry);
                entry
            }
        };
        changes.push((group.nodes, entry.state));
        runs.push(PlacedRun {
            nodes: group.nodes,
            procs: group.placed,
            pattern: entry.pattern,
            kind: entry.kind,
            own_before: own,
            used_before: used,
        });
    }
    drop(fresh);
    placement.scratch.ended = ended;
    let order = order(placement.policy.rank);
    let passes = (placement.policy.begins_again()).then(|| passes(&placement, &groups));
    let touched = std::mem::take(&mut placement.touched);
    placement.end(groups);
    Outcome {
        policy,
        runs,
        order,
        passes,
        touched,
        changes,
    }
}

/// Where the passes of these groups ended, by ascending node.
fn passes(placement: &Placement<'_>, groups: &[NodeGroup]) -> Vec<PassRun> {
    let mut passes: Vec<PassRun> = Vec::new();
    for group in groups.iter().filter(|group| group.placed > 0) {
        let mut ends = Vec::new();
        let mut pass = placement.pass(group.trial);
        while let Some(from) = pass.map(|pass| pass.from) {
            pass = placement.pass(from);
            if pass.is_some() {
                ends.push(placement.trial[from].placed);
            }
        }
        // By a list, nodes that the first pass left alone find it whole.
        let late = placement.policy.map == MapBy::PeList && !placement.explicit();
        if late && placement.trial[group.trial].began_unbound {
            ends.push(0);
        }
        if !ends.is_empty() {
            ends.reverse();
            let nodes = group.nodes;
            passes.push(PassRun { nodes, ends });
        }
    }
    passes.sort_unstable_by_key(|run| run.nodes);
    passes.dedup_by(|run, last| {
        let same = last.nodes.end() == run.nodes.first && last.ends == run.ends;
        last.nodes.count += if same { run.nodes.count } else { 0 };
        same
    });
    passes
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

/// The trial of groups with processes that is not known to come to anything yet, in the order of the groups; the pattern of
/// each, and the state that it leaves. Patterns and states have tables of their own, so two threads fill them.
fn ends(
    placement: &mut Placement<'_>,
    groups: &[NodeGroup],
) -> (Vec<TrialId>, Vec<PatternId>, Vec<StateId>) {
    let mut ended = emptied(&mut placement.scratch.ended);
    let mut seen = emptied(&mut placement.scratch.seen);
    seen.resize(placement.trial.len(), false);
    for at in groups.iter().filter(|group| group.placed > 0) {
        let at = at.trial;
        if placement.trial[at].known.is_none() && !std::mem::replace(&mut seen[at.row()], true) {
            ended.push(at);
        }
    }
    let (rows, passes, drafts) = (&placement.trial, &placement.passes, &mut placement.drafts);
    let pass = |at: TrialId| {
        let pass = rows[at].pass.expect("a group with processes was moved on");
        &passes[pass]
    };
    let Tables {
        patterns,
        pusets,
        states,
        sharing,
        ..
    } = &mut *placement.tables;
    let next = |at: TrialId| {
        let (row, free) = (*states.get(rows[at].state), &pass(at).free);
        states.intern(NodeState {
            free: pusets.intern_words(free.words(), free.len() as usize),
            used: row.used + rows[at].placed,
            own: row.own + rows[at].placed,
            ..row
        })
    };
    let got = |at: TrialId| pattern(pass(at), drafts, patterns);
    let (got, left) = both(
        ended.len(),
        *sharing,
        || ended.iter().copied().map(got).collect(),
        || ended.iter().copied().map(next).collect(),
    );
    placement.scratch.seen = seen;
    (ended, got, left)
}

/// Keeps what nodes came to for later apps, where one pass led there.
fn keep(placement: &mut Placement<'_>, at: TrialId, entry: KeptOutcome) {
    let Trial { placed, pass, .. } = placement.trial[at];
    let pass = pass.map(|pass| &placement.passes[pass]);
    let Some(&TrialPass { only, from, .. }) = pass else {
        return;
    };
    if let Some(((layout, longest), key)) = only.zip(placement.key_to_keep(from)) {
        let capacity = placement.known_capacity(from).copied();
        let want = Want {
            layout,
            procs: placed,
            longest,
        };
        placement.cache.keep(key, capacity, want, entry);
    }
}
