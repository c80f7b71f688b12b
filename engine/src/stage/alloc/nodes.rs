//! The nodes of a job while its apps are placed, one after the other: all that apps change.

use super::claim::Named;
use crate::id::Id as _;
use crate::table::intervals::NodeOrder;
use crate::table::names::{NameRange, NameStretch, Names, NodeId, NodeRange};
use crate::table::states::{NodeState, StateId, StateRuns, States};
use std::sync::Arc;

/// The nodes of a job, each in its state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) names: Arc<Names>,
    /// The state of each node now.
    pub(crate) runs: StateRuns,
    /// The local node, if it is in the pool.
    pub(crate) local: Option<NodeId>,
    /// What nodes had before an app's own hostfile lowered their slots: that comes back when the job is placed (1.4).
    pub(crate) lowered: Vec<(NodeRange, u32)>,
    /// The job's node order so far.
    pub(crate) order: NodeOrder,
    /// The nodes that each app names, where they are kept from plan to plan. Shape `[apps]`, as far as apps were asked.
    pub(crate) named: Option<Vec<Option<Named>>>,
    /// Nodes that the job lost: who names them names nothing.
    pub(crate) lost: Names,
    /// Nodes before this one have no free slot.
    pub(crate) full: u32,
    claims: Claims,
    /// Scratch of [`Self::change`].
    changed: StateRuns,
}

/// Whether what claims change about slots may have to be taken back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Claims {
    /// It may not.
    #[default]
    Alone,
    /// It may; nothing has changed so far.
    Watched,
    /// It may: the states before the first change, and how many parts had been lowered.
    Changed(StateRuns, usize),
}

impl Nodes {
    /// Nodes without states.
    pub(crate) fn new(names: Names, local: Option<NodeId>) -> Self {
        Self {
            names: Arc::new(names),
            local,
            ..Self::default()
        }
    }

    /// A copy for apps that compete with no others. Cost: a copy of the runs; names are shared.
    pub(crate) fn branch(&self) -> Self {
        Self {
            names: Arc::clone(&self.names),
            runs: self.runs.clone(),
            local: self.local,
            order: self.order.clone(),
            lost: self.lost.clone(),
            ..Self::default()
        }
    }

    /// The name of a node, for messages.
    pub(crate) fn name(&self, node: u32) -> String {
        self.names.name(NodeId::from_row(node as usize))
    }

    /// Gives new states to nodes.
    pub(crate) fn change(&mut self, changes: &mut [(NodeRange, StateId)]) {
        self.runs.change_with(changes, &mut self.changed);
    }

    /// Gives nodes states with fewer slots, until the job is placed.
    fn lower(&mut self, changes: &mut [(NodeRange, StateId)], states: &States) {
        for &(nodes, _) in changes.iter() {
            let parts = self.runs.within(nodes);
            self.lowered
                .extend(parts.map(|(part, state)| (part, states.get(state).slots)));
        }
        self.change(changes);
    }

    /// Changes slots to what an app claims of its nodes.
    pub(crate) fn claim(
        &mut self,
        lowered: &mut [(NodeRange, StateId)],
        raised: &mut [(NodeRange, StateId)],
        states: &States,
    ) {
        if self.claims == Claims::Watched && !(lowered.is_empty() && raised.is_empty()) {
            self.claims = Claims::Changed(self.runs.clone(), self.lowered.len());
        }
        self.lower(lowered, states);
        self.change(raised);
    }

    /// From here on, what claims change can be taken back: an app may have to be tried again.
    pub(crate) fn watch_claims(&mut self) {
        self.claims = Claims::Watched;
    }

    /// What there was before the first claim since then that changed anything.
    pub(crate) fn claimed_before(&mut self) -> Option<(StateRuns, usize)> {
        match std::mem::take(&mut self.claims) {
            Claims::Changed(runs, lowered) => Some((runs, lowered)),
            Claims::Watched | Claims::Alone => None,
        }
    }

    /// Comes back to the states of a while ago.
    pub(crate) fn slots_back(&mut self, runs: StateRuns, lowered: usize) {
        self.full = 0;
        self.runs = runs;
        self.lowered.truncate(lowered);
    }

    /// Lowered slots are put back when the job has been mapped (1.4): the next one finds them.
    pub(crate) fn put_back(&mut self, states: &mut States) {
        self.full = 0;
        for (nodes, slots) in std::mem::take(&mut self.lowered) {
            let parts: Vec<_> = self.runs.within(nodes).collect();
            let mut changes: Vec<_> = parts
                .into_iter()
                .map(|(part, state)| {
                    let row = *states.get(state);
                    let slots = row.slots.max(slots);
                    (part, states.intern(NodeState { slots, ..row }))
                })
                .collect();
            self.change(&mut changes);
        }
    }

    /// Keeps the nodes that apps name for later plans.
    pub(crate) fn keep_named(&mut self) {
        self.named = Some(Vec::new());
    }

    /// As the job finds the nodes, all that was worked out about them being known.
    pub(crate) fn start_again(&mut self, found: &StateRuns) {
        self.runs.copy(found);
        self.full = 0;
        self.order.clear();
        self.lowered.clear();
    }

    /// Takes a node away; those behind it move up.
    pub(crate) fn lose(&mut self, node: NodeId) {
        let row = crate::stage::node::units::narrow(node.row());
        let stretch = self.names.around(node);
        let name = range_of(stretch, row);
        // A name more than ids can count would have been refused before.
        let _ = self.lost.add(&name);
        Arc::make_mut(&mut self.names).remove(node);
        // The local node is the first of the pool: no other moves it.
        self.local = self.local.filter(|&local| local != node);
        for named in self.named.iter_mut().flatten().flatten() {
            named.lose(row);
        }
    }
}

/// One node of a stretch of names, as a range.
fn range_of(stretch: NameStretch<'_>, row: u32) -> NameRange {
    NameRange {
        prefix: stretch.prefix.to_owned(),
        first: stretch.number + u64::from(row - stretch.nodes.first),
        count: 1,
        width: stretch.digits,
        suffix: stretch.suffix.to_owned(),
    }
}
