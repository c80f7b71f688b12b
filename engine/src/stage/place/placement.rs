//! One app being placed: its nodes in groups that are treated alike, and what each group got so far.
//!
//! Policies say how many processes each node takes ([`Placement::allot`]). Then everything allotted is laid on objects and cpus
//! at once. Nodes in one state that get the same share one trial, which is worked out once.
//!
//! More of a placement: what it asks about nodes (`ask_node.rs`), laying (`lay.rs`), what it comes to (`outcome.rs`).

use super::app::App;
use super::group::{Allotment, NodeGroup, NodeTake};
use super::memo::{Memo, Step, Trial};
use super::scratch::{Scratch, emptied};
use super::share::{RunShare, SharePart, fill};
use crate::count::ProcCount;
use crate::policy::{BindStrength, BindTo, Overload};
use crate::stage::alloc::nodes::Nodes;
use crate::stage::alloc::selected::Candidate;
use crate::stage::alloc::{Pool, Tables};
use crate::stage::node::layout::{Binding, Layout};
use crate::table::apps::{AppId, AppTable, Policy};
use crate::table::names::{NodeRange, push_joined};
use crate::table::states::NodeState;
use smallvec::SmallVec;
use std::ops::Range;

/// One app being placed.
pub(crate) struct Placement<'s> {
    /// The nodes as the app finds them.
    pub(crate) nodes: &'s Nodes,
    pub(crate) tables: &'s mut Tables,
    pub(crate) memo: &'s mut Memo,
    pub(crate) scratch: &'s mut Scratch,
    pub(crate) apps: &'s AppTable,
    pub(crate) app: AppId,
    pub(crate) policy: Policy,
    pub(crate) groups: Vec<NodeGroup>,
    /// By ascending group.
    pub(crate) allotments: Vec<Allotment>,
    /// Nodes in the order in which they first received a process of the app; nodes may repeat.
    pub(crate) touched: Vec<NodeRange>,
    /// The objects that a component lists, as rows of the mapped ones.
    pub(crate) chosen: Vec<Vec<usize>>,
    /// Whether processes are bound. Off if the policy binds to nothing, or if a default binding was given up for all of them.
    pub(crate) binding: Binding,
    /// Processes asked for, and how many of them no group was given yet.
    pub(crate) asked: u32,
    pub(crate) left: u32,
    /// The first node whose default binding was given up.
    pub(crate) dropped: Option<u32>,
}

impl<'s> Placement<'s> {
    /// A placement with nothing placed. `policy`: the app's, or the one by which the engine lays the counts of a component.
    pub(crate) fn new(
        pool: &'s mut Pool,
        memo: &'s mut Memo,
        scratch: &'s mut Scratch,
        app: &App<'s>,
        policy: Policy,
        candidates: &[Candidate],
    ) -> Self {
        let Pool { nodes, tables, .. } = pool;
        let mut groups = emptied(&mut scratch.groups);
        groups.reserve(candidates.len());
        let mut unprepared = Vec::new();
        for candidate in candidates {
            let row = tables.states.get(candidate.state);
            if tables.hardware[row.topology].is_none() {
                unprepared.push(row.topology);
            }
            groups.push(NodeGroup {
                nodes: candidate.nodes,
                slots: candidate.avail,
                most: row.room(),
                placed: 0,
                trial: memo.root(candidate.state, app.policy_id),
                open: true,
            });
        }
        tables.prepare(unprepared);
        Self {
            allotments: emptied(&mut scratch.allotments),
            touched: emptied(&mut scratch.touched),
            nodes,
            tables,
            memo,
            scratch,
            apps: &app.resolved.apps,
            app: app.id,
            policy,
            groups,
            chosen: Vec::new(),
            binding: Binding::On,
            asked: 0,
            left: 0,
            dropped: None,
        }
    }

    /// Sets how many processes are to be placed.
    pub(crate) const fn begin(&mut self, procs: ProcCount, binding: Binding) {
        (self.asked, self.left, self.binding) = (procs.0, procs.0, binding);
    }

    /// How many processes groups were given so far.
    pub(crate) fn dealt(&self) -> u64 {
        u64::from(self.asked - self.left)
    }

    /// Whether the binding is explicit.
    pub(crate) fn explicit(&self) -> bool {
        self.policy.strength == BindStrength::Explicit
    }

    /// Whether processes may share cpus.
    pub(crate) fn overload(&self) -> bool {
        self.policy.overload == Overload::Allowed
    }

    /// How many nodes the app's list has.
    pub(crate) fn node_count(&self) -> u32 {
        self.groups.iter().map(|group| group.nodes.count).sum()
    }

    /// The trial of the nodes of a group.
    pub(crate) fn trial(&self, group: usize) -> &Trial {
        &self.memo[self.groups[group].trial]
    }

    /// The state in which the app found the nodes of a group.
    pub(crate) fn found(&self, group: usize) -> &NodeState {
        self.tables.states.get(self.trial(group).found)
    }

    /// How many processes of the app got cpus. Cost: the distinct patterns so far.
    pub(crate) fn bound(&self) -> u64 {
        let bound = self.groups.iter().map(|group| {
            let Trial {
                pattern, placed, ..
            } = self.memo[group.trial];
            let each = pattern.map(|pattern| self.tables.patterns.get(pattern).bound(placed));
            each.unwrap_or(0) * u64::from(group.nodes.count)
        });
        bound.sum()
    }

    /// Gives each node of a group this many more processes.
    #[inline]
    pub(crate) fn allot(&mut self, group: usize, layout: Layout, procs: u32) {
        if procs == 0 {
            return;
        }
        let row = &mut self.groups[group];
        self.left -= row.nodes.count * procs;
        row.placed += procs;
        push_joined(&mut self.touched, row.nodes);
        if layout.gives_up() && self.policy.bind != BindTo::Nothing {
            self.dropped.get_or_insert(row.nodes.first);
        }
        self.lay_later(group, layout, procs);
    }

    /// Records that each node of a group will get this many processes in a layout.
    pub(crate) fn lay_later(&mut self, group: usize, layout: Layout, procs: u32) {
        if procs > 0 {
            self.allotments.push(Allotment {
                trial: self.groups[group].trial,
                step: Step {
                    layout,
                    procs,
                    longest: procs,
                },
                group,
            });
        }
    }

    /// Gives each node of a group what it takes while processes are left. Returns the row after the groups that it was split into.
    pub(crate) fn fill(&mut self, group: usize, take: NodeTake) -> usize {
        let share = RunShare {
            nodes: self.groups[group].nodes.count,
            cap: take.procs,
        };
        let parts = fill(share, self.left);
        self.allot_parts(group, take.layout, &parts)
    }

    /// Splits a group into parts and gives each part its processes. Returns the row after the new groups.
    pub(crate) fn allot_parts(
        &mut self,
        group: usize,
        layout: Layout,
        parts: &[SharePart],
    ) -> usize {
        let parts = parts.iter().filter(|(nodes, _)| *nodes > 0);
        let groups = self.split(group, parts.clone().map(|(nodes, _)| *nodes));
        for (part, &(_, procs)) in groups.clone().zip(parts) {
            self.allot(part, layout, procs);
        }
        groups.end
    }

    /// Splits a group into parts with these numbers of nodes. Returns the new rows.
    #[inline]
    pub(crate) fn split(&mut self, group: usize, parts: impl Iterator<Item = u32>) -> Range<usize> {
        let row = self.groups[group];
        let mut first = row.nodes.first;
        let pieces = parts.map(|count| {
            let nodes = NodeRange { first, count };
            first += count;
            NodeGroup { nodes, ..row }
        });
        let pieces: SmallVec<[NodeGroup; 3]> = pieces.collect();
        let rows = group..group + pieces.len();
        match pieces[..] {
            [one] => self.groups[group] = one,
            _ => drop(self.groups.splice(group..=group, pieces)),
        }
        rows
    }
}
