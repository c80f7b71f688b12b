//! The nodes of the DVM: startup ones and granted ones.

use super::ids::{AllocId, NodeId, NodeSet};
use super::paged::Paged;
use super::times::{Seen, Times};
use crate::name::{Name, NameIndex};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use stowplan_engine::id::Id;

/// How a node came to the DVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeOrigin {
    /// There when the DVM began.
    Startup,
    /// Added by the scheduler, who owns it.
    Granted,
}

/// A node. Most questions about a node come right after a look-up of its name, so it is one row in one cache line.
#[derive(Clone, Default)]
struct Row {
    name: Name,
    /// The allocation that holds it.
    alloc: Option<AllocId>,
    seen: Seen,
}

const _: () = assert!(
    size_of::<Row>() == 40,
    "the memory goals of docs/reservations.md count on it"
);

/// The node table. Shape of the rows: `[ids given so far]`, in pages; rows of nodes that left are empty.
#[derive(Clone, Default)]
pub(crate) struct NodeTable {
    rows: Paged<NodeId, Row>,
    by_name: NameIndex<NodeId>,
    /// Ids given so far.
    next: usize,
    all: NodeSet,
    up: NodeSet,
    startup: NodeSet,
    /// Nodes held by no reservation: the default session.
    pool: NodeSet,
    /// `pool ∩ up`, kept so that the candidates of most jobs are borrowed and not built.
    pool_up: Arc<NodeSet>,
    /// Nodes that jobs of a shared set may use without sitting in the reservation that holds the node.
    shown: NodeSet,
    /// The former states of `pool_up`.
    pub(crate) times: Times,
}

impl NodeTable {
    /// Adds nodes whose names are new. They are up, in no pool, and held by this allocation. Gives their ids.
    pub(crate) fn add<'a>(
        &mut self,
        names: impl ExactSizeIterator<Item = &'a str>,
        origin: NodeOrigin,
        alloc: Option<AllocId>,
    ) -> NodeSet {
        let mut added = NodeSet::new();
        if names.len() == 0 {
            return added;
        }
        self.by_name
            .reserve(names.len(), |id| &self.rows.at(id).name);
        let first = self.next;
        for name in names {
            let id = NodeId::from_row(self.next);
            self.next += 1;
            let row = Row {
                name: Name::new(name),
                alloc,
                seen: Seen::default(),
            };
            self.rows.put(id, row);
            self.by_name.insert(id, |id| &self.rows.at(id).name);
        }
        let bit = |row| crate::id_row::bit(NodeId::from_row(row));
        let range = bit(first)..=bit(self.next - 1);
        self.all.insert_range(range.clone());
        self.up.insert_range(range.clone());
        if origin == NodeOrigin::Startup {
            self.startup.insert_range(range.clone());
        }
        added.insert_range(range);
        added
    }
    /// Skips ids, so that the next node gets this row: for tables that are read back.
    pub(crate) fn skip_to(&mut self, next: usize) {
        debug_assert!(next >= self.next, "ids only grow");
        self.next = next;
    }
    /// Ids given so far.
    pub(crate) fn next(&self) -> usize {
        self.next
    }
    /// Takes nodes out for good.
    pub(crate) fn remove(&mut self, nodes: &NodeSet, out: &mut Vec<(NodeId, Name)>) {
        self.leave_pool(nodes);
        self.all.remove_all(nodes);
        self.up.remove_all(nodes);
        self.startup.remove_all(nodes);
        self.shown.remove_all(nodes);
        out.reserve(usize::try_from(nodes.len()).unwrap_or(0));
        for id in nodes.iter() {
            let row = self.rows.take(id);
            self.by_name.remove(&row.name, id);
            self.times.bury(row.seen);
            out.push((id, row.name));
        }
    }
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.find(name, |id| &self.rows.at(id).name)
    }
    /// The node of a name. The node after `guess` is tried first: lists mostly name nodes in the order of joining.
    #[inline]
    pub(crate) fn find_near(&self, name: &str, guess: Option<NodeId>) -> Option<NodeId> {
        let next = guess.map(|id| id.row() + 1).filter(|&row| row < self.next);
        if let Some(row) = next {
            let id = NodeId::from_row(row);
            // An empty row has an empty name, which no node has.
            if self.rows.get(id).is_some_and(|row| row.name.is(name)) {
                return Some(id);
            }
        }
        self.find(name)
    }
    pub(crate) fn name(&self, id: NodeId) -> &Name {
        &self.rows.at(id).name
    }
    pub(crate) fn alloc(&self, id: NodeId) -> Option<AllocId> {
        self.rows.at(id).alloc
    }
    pub(crate) fn set_alloc(&mut self, nodes: &NodeSet, alloc: Option<AllocId>) {
        for id in nodes.iter() {
            self.rows.at_mut(id).alloc = alloc;
        }
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.count() as u64
    }
    pub(crate) fn all(&self) -> &NodeSet {
        &self.all
    }
    pub(crate) fn up(&self) -> &NodeSet {
        &self.up
    }
    pub(crate) fn startup(&self) -> &NodeSet {
        &self.startup
    }
    pub(crate) fn origin(&self, id: NodeId) -> NodeOrigin {
        if self.startup.contains(id) {
            NodeOrigin::Startup
        } else {
            NodeOrigin::Granted
        }
    }
    pub(crate) fn pool(&self) -> &NodeSet {
        &self.pool
    }
    pub(crate) fn pool_up(&self) -> &Arc<NodeSet> {
        &self.pool_up
    }
    pub(crate) fn shown(&self) -> &NodeSet {
        &self.shown
    }
    /// When a node was in the default session and up.
    pub(crate) fn seen(&self, id: NodeId) -> Seen {
        self.rows.at(id).seen
    }
    /// Whether the jobs that use the default session as it was at this time use this node.
    pub(crate) fn was_there(&self, id: NodeId, time: u64) -> bool {
        self.times.was_there(self.seen(id), time)
    }
    /// Adds a past span of time in which a node was in the default session: for tables that are read back.
    pub(crate) fn add_span(&mut self, id: NodeId, from: u64, to: u64) {
        self.times
            .add_span(&mut self.rows.at_mut(id).seen, from, to);
    }
    /// Sets the time since which a node is in the default session: for tables that are read back.
    pub(crate) fn set_since(&mut self, id: NodeId, time: u64) {
        self.rows.at_mut(id).seen.set_since(time);
    }
    /// Notes nodes that jobs of a shared set use without sitting in the nodes' reservation.
    pub(crate) fn show(&mut self, nodes: &NodeSet) {
        self.shown.add_all(nodes);
    }
    /// Puts nodes into the default session.
    pub(crate) fn enter_pool(&mut self, nodes: &NodeSet) {
        self.pool.add_all(nodes);
        let fresh = nodes.and(&self.up).minus(&self.pool_up);
        if fresh.is_empty() {
            return;
        }
        self.times.pass();
        for id in fresh.iter() {
            self.times.come(&mut self.rows.at_mut(id).seen);
        }
        Arc::make_mut(&mut self.pool_up).add_all(&fresh);
    }
    /// Takes nodes out of the default session, if they are in it.
    pub(crate) fn leave_pool(&mut self, nodes: &NodeSet) {
        self.pool.remove_all(nodes);
        if nodes.is_disjoint(&self.pool_up) {
            return;
        }
        self.times.pass();
        let newest = self.times.newest();
        for id in nodes.iter() {
            self.times.go(&mut self.rows.at_mut(id).seen, newest);
        }
        Arc::make_mut(&mut self.pool_up).remove_all(nodes);
    }
    /// Gives nodes to a reservation, and takes them out of the default session if they are in it. One pass over their rows.
    pub(crate) fn carve(&mut self, nodes: &NodeSet, alloc: AllocId) {
        self.pool.remove_all(nodes);
        let leaves = !nodes.is_disjoint(&self.pool_up);
        if leaves {
            self.times.pass();
        }
        let newest = self.times.newest();
        for id in nodes.iter() {
            let row = self.rows.at_mut(id);
            row.alloc = Some(alloc);
            self.times.go(&mut row.seen, newest);
        }
        if leaves {
            Arc::make_mut(&mut self.pool_up).remove_all(nodes);
        }
    }
    /// A node fails.
    pub(crate) fn set_down(&mut self, id: NodeId) {
        self.up.remove(id);
        if self.pool_up.contains(id) {
            self.times.pass();
            let newest = self.times.newest();
            self.times.go(&mut self.rows.at_mut(id).seen, newest);
            Arc::make_mut(&mut self.pool_up).remove(id);
        }
    }
    /// A node is back.
    pub(crate) fn set_up(&mut self, id: NodeId) {
        self.up.insert(id);
        if self.pool.contains(id) && !self.pool_up.contains(id) {
            self.times.pass();
            self.times.come(&mut self.rows.at_mut(id).seen);
            Arc::make_mut(&mut self.pool_up).insert(id);
        }
    }
}
