//! The passes in which the processes of an app came to a node, as the plan records them.

use super::walk::{Passes, Walk};
use stowplan_engine::plan::{PassRun, Plan};
use stowplan_engine::policy::{BindStrength, BindTo, MapBy, Oversubscribe, Span};
use stowplan_engine::table::apps::{AppId, Policy, PolicyId};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::Pattern;

/// Whether an app mapped to objects gave up its default binding. Under OVERSUBSCRIBE it does so for all of its processes or
/// for none (`semantics` 4, 4.3). Cost: the patterns of its runs.
pub(super) fn gives_up(plan: &Plan, app: AppId, policy: PolicyId) -> Option<bool> {
    let policy = &plan.resolved_apps().policies[policy];
    let as_a_whole = matches!(
        policy.map,
        MapBy::Object(_) | MapBy::Dist | MapBy::Device(_)
    ) && policy.strength == BindStrength::Default
        && policy.bind != BindTo::Nothing
        && policy.oversubscribe == Oversubscribe::Allowed;
    as_a_whole.then(|| {
        let mut runs = plan.app(app).runs().iter();
        runs.all(|run| !binds(plan.patterns().get(run.pattern), run.procs))
    })
}

/// Whether any of the first `procs` processes of a pattern is bound. Cost: its runs.
fn binds(pattern: &Pattern, procs: u32) -> bool {
    let mut left = procs;
    pattern.segments().iter().any(|segment| {
        let mut here = left.min(segment.procs);
        left -= here;
        segment.runs.iter().any(|run| {
            let begun = here > 0;
            here = here.saturating_sub(run.count);
            begun && run.place.cpus.is_some()
        })
    })
}

/// Whether processes may come to a node in several passes, and each pass starts over with the first object or listed cpu.
fn begins_again(policy: &Policy) -> bool {
    let dealt_again = matches!(
        policy.map,
        MapBy::Object(_) | MapBy::Dist | MapBy::Device(_) | MapBy::PeList
    );
    dealt_again && policy.oversubscribe == Oversubscribe::Allowed && policy.span == Span::No
}

/// The passes over a node. Cost: a search.
pub(super) fn over(plan: &Plan, app: AppId, policy: PolicyId, node: u32) -> Passes {
    if !begins_again(&plan.resolved_apps().policies[policy]) {
        return Passes::Told(Vec::new());
    }
    let Some(runs) = plan.app(app).passes() else {
        return Passes::Untold;
    };
    let at = runs.partition_point(|run| run.nodes.end() <= node);
    let here = runs.get(at).filter(|run| run.nodes.first <= node);
    Passes::Told(here.map_or_else(Vec::new, |run| run.ends.clone()))
}

impl Walk<'_, '_> {
    /// How many processes are left until the current pass ends.
    pub(super) fn until_end(&self) -> u32 {
        let Passes::Told(ends) = &self.case.passes else {
            return u32::MAX;
        };
        let at = ends.partition_point(|&end| end <= self.local);
        ends.get(at).map_or(u32::MAX, |&end| end - self.local)
    }

    /// Begins the next pass if one ended here.
    pub(super) fn turn_to_next_pass(&mut self) {
        let Passes::Told(ends) = &self.case.passes else {
            return;
        };
        if ends.binary_search(&self.local).is_ok() {
            self.ended += 1;
            let free = match &self.binder {
                Some(binder) => &binder.free,
                None => &self.free,
            };
            self.turns.restart(free);
            self.begin_pass();
        }
    }
}

/// The places inside a range of nodes at which the passes change.
pub(super) fn bounds(runs: Option<&[PassRun]>, nodes: NodeRange) -> Vec<u32> {
    let runs = runs.unwrap_or_default();
    let from = runs.partition_point(|run| run.nodes.end() <= nodes.first);
    let met = runs[from..]
        .iter()
        .take_while(|run| run.nodes.first < nodes.end());
    let both = met.flat_map(|run| [run.nodes.first, run.nodes.end()]);
    both.filter(|&at| nodes.first < at && at < nodes.end())
        .collect()
}
