//! The nodes of a job while its apps are placed, one after the other: everything that apps change.

use super::selected::{HeldGpus, NamedByHosts, SlotChanges};
use crate::id::Id as _;
use crate::table::apps::AppId;
use crate::table::intervals::NodeOrder;
use crate::table::names::{NameRange, NameStretch, Names, NodeId, NodeRange};
use crate::table::states::{NodeState, StateId, StateRuns, States};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes of a job, each in its state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) names: Arc<Names>,
    /// The present state of each node.
    pub(crate) runs: StateRuns,
    /// The local node, if it is in the pool.
    pub(crate) local: Option<NodeId>,
    /// The slots of nodes before an app's own hostfile lowered them. They come back when the job is placed (1.4).
    pub(crate) lowered: Vec<(NodeRange, u32)>,
    /// The job's node order so far.
    pub(crate) order: NodeOrder,
    /// The order of the nodes that an app names.
    pub(crate) lists: ListOrder,
    /// The nodes that apps name.
    pub(crate) named: NamedByHosts,
    /// Nodes that the job lost. An entry that names one of them names nothing.
    pub(crate) lost: Names,
    /// Nodes of which other jobs hold GPUs, ascending.
    pub(crate) held: Arc<[HeldGpus]>,
    /// Nodes before this one have no free slot.
    pub(crate) full: u32,
    /// Slots that apps' own hostfiles lowered, when a plan told them: its job is placed again without the files.
    pub(crate) told_slots: BTreeMap<AppId, Vec<(NodeRange, u32)>>,
    /// Scratch of [`Self::change`].
    changed: StateRuns,
}

/// The order of the nodes that an app names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ListOrder {
    /// As its list or hostfile has them.
    #[default]
    Given,
    /// As the pool has them: the machine says the order.
    Pool,
}

impl Nodes {
    /// Nodes without states.
    pub(crate) fn new(names: Arc<Names>, local: Option<NodeId>) -> Self {
        Self {
            names,
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
            lists: self.lists,
            held: Arc::clone(&self.held),
            ..Self::default()
        }
    }

    /// The name of a node, for messages.
    pub(crate) fn name(&self, node: u32) -> String {
        self.names.name(NodeId::from_row(node as usize))
    }

    /// The states of the nodes, with some of them changed.
    pub(crate) fn with(&self, changes: &[(NodeRange, StateId)]) -> Cow<'_, StateRuns> {
        if changes.is_empty() {
            return Cow::Borrowed(&self.runs);
        }
        let mut runs = self.runs.clone();
        runs.change(&mut changes.to_vec());
        Cow::Owned(runs)
    }

    /// Gives new states to nodes.
    pub(crate) fn change(&mut self, changes: &mut [(NodeRange, StateId)]) {
        self.runs.change_with(changes, &mut self.changed);
    }

    /// Changes slots as an app's hostfile and claims say, until the job is placed.
    pub(crate) fn change_slots(&mut self, slots: &mut SlotChanges, states: &States) {
        for &(nodes, _) in &slots.lowered {
            let parts = self.runs.within(nodes);
            self.lowered
                .extend(parts.map(|(part, state)| (part, states.get(state).slots)));
        }
        self.change(&mut slots.lowered);
        self.change(&mut slots.raised);
    }

    /// Puts lowered slots back when the job has been placed (1.4), so that the next job finds them.
    pub(crate) fn restore_slots(&mut self, states: &mut Arc<States>) {
        self.full = 0;
        for (nodes, slots) in std::mem::take(&mut self.lowered) {
            let parts: Vec<_> = self.runs.within(nodes).collect();
            let parts = parts.into_iter().map(|(part, state)| {
                let row = *states.get(state);
                let slots = row.slots.max(slots);
                (
                    part,
                    Arc::make_mut(states).intern(NodeState { slots, ..row }),
                )
            });
            self.change(&mut parts.collect::<Vec<_>>());
        }
    }

    /// Resets all nodes to the states in which the job found them.
    pub(crate) fn start_again(&mut self, found: &StateRuns) {
        self.runs.copy(found);
        self.full = 0;
        self.order.clear();
        self.lowered.clear();
    }

    /// Takes a node away. The nodes behind it move up.
    pub(crate) fn lose(&mut self, node: NodeId) {
        let row = node.number();
        let stretch = self.names.around(node);
        let name = range_of(stretch, row);
        // This cannot fail: more names than ids can count would have been refused before.
        let _ = self.lost.add(&name);
        Arc::make_mut(&mut self.names).remove(node);
        // The local node is the first of the pool, so no other node moves it.
        self.local = self.local.filter(|&local| local != node);
        self.named
            .values_mut()
            .for_each(|named| Arc::make_mut(named).lose(row));
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
