//! Groups: neighbouring nodes that fare alike while one app is placed, and how far each has come.
//!
//! Nodes in one state that get the same share one *trial*; what happens to it is worked out once, and in parallel
//! for different ones. Results are joined in order, so threads change nothing.

use super::cache::Cache;
use super::scratch::Scratch;
use super::trial::{DraftId, NodeGroup, PassId, Trial, TrialDraft, TrialId, TrialPass};
use crate::count::ProcCount;
use crate::id::{Column, Id as _, ROWS_PER_SPARE};
use crate::policy::{BindStrength, MapBy, Overload, Oversubscribe};
use crate::stage::alloc::Tables;
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::nodes::Nodes;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::Binding;
use crate::stage::parallel::emptied;
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use crate::table::interner::Guess;
use crate::table::names::NodeRange;
use crate::table::patterns::{PatternDraft, PatternId, Patterns};
use crate::table::states::StateId;
use crate::table::topologies::TopologyId;
use smallvec::SmallVec;
use std::ops::Range;

/// Whether what an app finds may be asked for again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Reuse {
    /// By a later app of its policy, or by a later plan.
    #[default]
    Yes,
    /// It is the last of its policy.
    No,
}

/// What an app is placed on: nodes that stay as they are, tables that grow, a cache, and vectors to fill again.
pub(crate) struct On<'s> {
    pub(crate) nodes: &'s Nodes,
    pub(crate) tables: &'s mut Tables,
    pub(crate) cache: &'s mut Cache,
    pub(crate) scratch: &'s mut Scratch,
}

/// One app being placed.
pub(crate) struct Placement<'s> {
    /// As the app finds them.
    pub(crate) nodes: &'s Nodes,
    pub(crate) tables: &'s mut Tables,
    pub(crate) cache: &'s mut Cache,
    pub(crate) scratch: &'s mut Scratch,
    pub(crate) apps: &'s AppTable,
    pub(crate) app: AppId,
    pub(crate) policy: Policy,
    /// The policy by id, where other apps may have an equal one.
    pub(crate) id: Option<PolicyId>,
    /// Whether what is found here is kept for them.
    pub(crate) reuse: Reuse,
    pub(crate) groups: Vec<NodeGroup>,
    pub(crate) trial: Column<TrialId, Trial>,
    pub(crate) passes: Column<PassId, TrialPass>,
    pub(crate) drafts: Column<DraftId, TrialDraft>,
    /// The objects that a component wrote out, as rows of the terrain's.
    pub(crate) written: Vec<Vec<usize>>,
    /// What was learnt of each trial; shorter than [`Self::trial`]. Shape `[trial]`.
    pub(crate) learnt: Vec<Option<Capacity>>,
    /// Nodes in the order in which they first received a process of the app; nodes may repeat.
    pub(crate) touched: Vec<NodeRange>,
    /// Whether processes are bound; off: a default binding was given up for all of them.
    pub(crate) binding: Binding,
    /// Processes that are asked for, and those of them that no group was given yet.
    pub(crate) asked: u32,
    pub(crate) left: u32,
    /// The first group whose default binding was given up.
    pub(crate) dropped: Option<NodeGroup>,
}

/// The policy, where what an app finds on a state holds for later apps of equal policy: not where a device, turns of shared
/// cpus or further passes come into it. By mpibind processes may share cpus, which is worth a note each time.
fn remembered(policy: &Policy, id: Option<PolicyId>) -> Option<PolicyId> {
    let alike = policy.map != MapBy::Dist
        && !matches!(policy.map, MapBy::Mpibind(_))
        && policy.overload == Overload::Refused
        && policy.oversubscribe == Oversubscribe::Refused;
    id.filter(|_| alike)
}

impl<'s> Placement<'s> {
    pub(crate) fn new(
        on: On<'s>,
        apps: &'s AppTable,
        app: AppId,
        policy: Policy,
        id: Option<PolicyId>,
        candidates: &[Candidate],
    ) -> Self {
        let On {
            nodes,
            tables,
            cache,
            scratch,
        } = on;
        let mut groups = emptied(&mut scratch.groups);
        let mut trial = std::mem::take(&mut scratch.trial);
        let mut roots = std::mem::take(&mut scratch.roots);
        trial.clear();
        roots.resize(tables.states.len(), None);
        groups.reserve(candidates.len());
        let (remembered, mut guess) = (remembered(&policy, id), Guess::default());
        for candidate in candidates {
            let id = *roots[candidate.state.row()].get_or_insert_with(|| {
                let key = remembered.map(|policy| (candidate.state, policy));
                trial.push(Trial {
                    found: key.and_then(|key| cache.find(key, &mut guess)),
                    ..Trial::at(candidate.state)
                })
            });
            let room = tables.states.get(candidate.state).room();
            groups.push(NodeGroup {
                nodes: candidate.nodes,
                avail: candidate.avail,
                room,
                placed: 0,
                trial: id,
            });
        }
        let mut topologies = emptied(&mut scratch.topologies);
        for row in trial.values() {
            roots[row.state.row()] = None;
            let topology = tables.topology_of(row.state);
            if !tables.knows(topology) {
                topologies.push(topology);
            }
        }
        tables.know(&mut topologies);
        scratch.topologies = topologies;
        scratch.roots = roots;
        let mut passes = std::mem::take(&mut scratch.passes);
        let mut drafts = std::mem::take(&mut scratch.drafts);
        passes.clear();
        drafts.clear();
        let learnt = emptied(&mut scratch.capacity);
        let touched = emptied(&mut scratch.touched);
        Self {
            nodes,
            tables,
            cache,
            scratch,
            apps,
            app,
            policy,
            id,
            reuse: Reuse::Yes,
            groups,
            trial,
            passes,
            drafts,
            written: Vec::new(),
            learnt,
            touched,
            binding: Binding::On,
            asked: 0,
            left: 0,
            dropped: None,
        }
    }

    /// So many processes are to be placed.
    pub(crate) const fn begin(&mut self, procs: ProcCount, binding: Binding) {
        (self.asked, self.left, self.binding) = (procs.0, procs.0, binding);
    }

    /// Processes that groups were given so far.
    pub(crate) fn dealt(&self) -> u64 {
        u64::from(self.asked - self.left)
    }

    /// Whether the binding was asked for.
    pub(crate) fn explicit(&self) -> bool {
        self.policy.strength == BindStrength::Explicit
    }

    /// Whether processes may share cpus.
    pub(crate) fn overload(&self) -> bool {
        self.policy.overload == Overload::Allowed
    }

    pub(crate) fn app_number(&self) -> u32 {
        u32::try_from(self.app.row()).expect("limit.rs keeps apps below 2^32")
    }

    /// Nodes of the app's list.
    pub(crate) fn node_count(&self) -> u32 {
        self.groups.iter().map(|group| group.nodes.count).sum()
    }

    /// Processes of the app placed so far.
    pub(crate) fn placed(&self) -> u64 {
        self.groups
            .iter()
            .map(|group| u64::from(group.placed) * u64::from(group.nodes.count))
            .sum()
    }

    /// Processes of the app that found cpus. Cost: the distinct patterns so far.
    pub(crate) fn bound(&mut self) -> u64 {
        let mut bound = 0;
        for group in 0..self.groups.len() {
            let NodeGroup {
                nodes,
                placed,
                trial,
                ..
            } = self.groups[group];
            if placed > 0 {
                let known = self.trial[trial].known;
                let pattern = known.map_or_else(|| self.pattern(trial), |entry| entry.pattern);
                let each = self.tables.patterns.get(pattern).bound(placed);
                bound += each * u64::from(nodes.count);
            }
        }
        bound
    }

    /// The pass that led to a trial; `None` where nothing was placed.
    pub(crate) fn pass(&self, trial: TrialId) -> Option<&TrialPass> {
        self.trial[trial].pass.map(|pass| &self.passes[pass])
    }

    /// Under what later apps find what this one finds on nodes that it has not touched.
    pub(crate) fn key(&self, trial: TrialId) -> Option<(StateId, PolicyId)> {
        let row = &self.trial[trial];
        let id = remembered(&self.policy, self.id).filter(|_| row.is_root())?;
        Some((row.state, id))
    }

    /// The same, if they will ask.
    pub(crate) fn key_to_keep(&self, trial: TrialId) -> Option<(StateId, PolicyId)> {
        self.key(trial).filter(|_| self.reuse == Reuse::Yes)
    }

    /// Keeps what was learnt of nodes that got nothing.
    pub(crate) fn remember_capacity(&mut self, trial: TrialId) {
        let learnt = self.learnt.get(trial.row()).copied().flatten();
        if let (Some(capacity), Some(key)) = (learnt, self.key_to_keep(trial)) {
            self.cache.keep_capacity(key, capacity);
        }
    }

    /// Makes room for the states and patterns that this app leaves, and for what few later losses add.
    pub(crate) fn reserve(&mut self) {
        let new = self.passes.len();
        let new = new + new / ROWS_PER_SPARE;
        self.tables.states.reserve(new);
        self.tables.patterns.reserve(new);
        if self.reuse == Reuse::Yes {
            self.cache.reserve(new);
        }
    }

    pub(crate) fn topology(&self, trial: TrialId) -> TopologyId {
        self.tables.topology_of(self.trial[trial].state)
    }

    /// Gives back what was taken for this app.
    pub(crate) fn end(self, groups: Vec<NodeGroup>) {
        let scratch = self.scratch;
        scratch.groups = groups;
        scratch.trial = self.trial;
        scratch.passes = self.passes;
        scratch.drafts = self.drafts;
        scratch.capacity = self.learnt;
    }

    /// The first group on which bound processes share cpus.
    pub(crate) fn sharing(&self) -> Option<&NodeGroup> {
        let shares = |group: &&NodeGroup| self.pass(group.trial).is_some_and(|pass| pass.shared);
        self.groups.iter().find(shares)
    }

    /// The whole pattern of a trial behind a pass, interned.
    pub(crate) fn pattern(&mut self, trial: TrialId) -> PatternId {
        let pass = self.trial[trial].pass;
        let pass = pass.expect("a group with processes was moved on");
        pattern(
            &self.passes[pass],
            &mut self.drafts,
            &mut self.tables.patterns,
        )
    }

    /// Splits a group into parts of so many nodes each; parts of no nodes vanish. Gives the new rows.
    #[inline]
    pub(crate) fn split(&mut self, group: usize, parts: &[u32]) -> Range<usize> {
        let some = parts.iter().filter(|&&count| count > 0).count();
        if some != 1 {
            self.cut(group, parts);
        }
        group..group + some
    }

    fn cut(&mut self, group: usize, parts: &[u32]) {
        let row = self.groups[group];
        let mut first = row.nodes.first;
        let some = parts.iter().copied().filter(|&count| count > 0);
        let pieces = some.map(|count| {
            let nodes = NodeRange { first, count };
            first += count;
            NodeGroup { nodes, ..row }
        });
        let pieces: SmallVec<[NodeGroup; 3]> = pieces.collect();
        self.groups.splice(group..=group, pieces);
    }
}

/// The whole pattern behind a pass, interned.
pub(crate) fn pattern(
    pass: &TrialPass,
    drafts: &mut Column<DraftId, TrialDraft>,
    patterns: &mut Patterns,
) -> PatternId {
    let drafts = &mut drafts[pass.laid];
    if pass.closed.is_empty() {
        return *drafts
            .pattern
            .get_or_insert_with(|| patterns.intern_ready(std::mem::take(&mut drafts.ready)));
    }
    let all = pass.closed.iter().chain(drafts.ready.segments()).cloned();
    patterns.intern(all.collect::<PatternDraft>())
}
