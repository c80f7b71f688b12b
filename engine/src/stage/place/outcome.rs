//! The result of placing an app: where its processes are, and the states that it leaves. Nothing here changes nodes.

use super::placement::Placement;
use super::scratch::emptied;
use crate::plan::{PassRun, PlacedRun, RankOrder};
use crate::policy::{MapBy, RankBy};
use crate::stage::alloc::selected::{Named, SlotChanges};
use crate::stage::node::capacity::mapped_kind;
use crate::table::apps::PolicyId;
use crate::table::names::NodeRange;
use crate::table::states::StateId;
use std::sync::Arc;

/// The result of placing an app; [`super::commit`] applies it to the nodes.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) policy: PolicyId,
    /// Where its processes are, in the order of its nodes.
    pub(crate) runs: Vec<PlacedRun>,
    pub(crate) order: RankOrder,
    /// Where passes ended, if the plan records it.
    pub(crate) passes: Option<Vec<PassRun>>,
    /// Nodes in the order in which they first received a process of the app; nodes may repeat.
    pub(crate) touched: Vec<NodeRange>,
    /// Changes to slots, also of nodes without a process of the app.
    pub(crate) slots: SlotChanges,
    /// The nodes that the app names; `None` if a launcher's own component placed it.
    pub(crate) named: Option<Arc<Named>>,
    /// The states that the app leaves.
    pub(crate) changes: Vec<(NodeRange, StateId)>,
}

impl Placement<'_> {
    /// The result of placing the app.
    pub(crate) fn outcome(
        self,
        policy: PolicyId,
        slots: SlotChanges,
        named: Option<Arc<Named>>,
    ) -> Outcome {
        let mut runs = emptied(&mut self.scratch.runs);
        let mut changes = emptied(&mut self.scratch.changes);
        let kind = mapped_kind(self.policy.map);
        for group in self.groups.iter().filter(|group| group.placed > 0) {
            let trial = &self.memo[group.trial];
            let found = self.tables.states.get(trial.found);
            let hardware = self.tables.prepared(found.topology);
            changes.push((group.nodes, trial.now));
            runs.push(PlacedRun {
                nodes: group.nodes,
                procs: group.placed,
                pattern: trial.pattern.expect("what was allotted is laid"),
                kind: kind.map(|kind| hardware.kind(kind)),
                own_before: found.own,
                used_before: found.used,
            });
        }
        let order = match self.policy.rank {
            RankBy::Slot => RankOrder::Slot,
            RankBy::Fill => RankOrder::Fill,
            RankBy::Node => RankOrder::Node,
            RankBy::Span => RankOrder::Span,
            RankBy::Listed => RankOrder::Listed(Vec::new()),
        };
        let passes = self.policy.begins_again().then(|| self.passes());
        self.scratch.groups = self.groups;
        self.scratch.allotments = self.allotments;
        Outcome {
            policy,
            runs,
            order,
            passes,
            touched: self.touched,
            slots,
            named,
            changes,
        }
    }

    /// Where the passes over the groups ended, by ascending node.
    fn passes(&self) -> Vec<PassRun> {
        let mut passes: Vec<PassRun> = Vec::new();
        for group in self.groups.iter().filter(|group| group.placed > 0) {
            let last = &self.memo[group.trial];
            let before = |from| self.memo[from].from;
            let earlier = std::iter::successors(last.from, |&from| before(from));
            let mut ends: Vec<u32> = earlier
                .map(|from| self.memo[from].placed)
                .filter(|&placed| placed > 0)
                .collect();
            // With a pe-list, nodes that the first pass left alone have the whole list ahead of them.
            let late = self.policy.map == MapBy::PeList && !self.explicit();
            if late && last.began_unbound {
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
}
