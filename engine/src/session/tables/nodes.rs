//! The nodes of the DVM: startup ones and granted ones.

use super::paged::Paged;
use super::{AllocId, NodeSet};
use crate::define_id;
use crate::id::Id;
use crate::session::name::{Name, NameIndex};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

define_id! {
    /// A node, numbered in the order of joining. A number is never used twice while the DVM lives.
    NodeId
}

/// How a node came to the DVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// There when the DVM began.
    Startup,
    /// Added by the scheduler, who owns it.
    Granted,
}

/// The node table. Shape of the columns: `[ids given so far]`, in pages; rows that left are empty.
#[derive(Clone, Default)]
pub(crate) struct NodeTable {
    names: Paged<NodeId, Name>,
    /// The allocation that holds a node.
    alloc: Paged<NodeId, Option<AllocId>>,
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
    /// Nodes that jobs may use without sitting in the reservation that holds the node: what was in the default session.
    shown: NodeSet,
}

impl NodeTable {
    /// Adds a node that is up, in no allocation and no pool.
    pub(crate) fn add(&mut self, name: Name, origin: Origin) -> NodeId {
        let id = NodeId::from_row(self.next);
        self.next += 1;
        self.by_name.insert(&name, id);
        self.names.put(id, name);
        self.alloc.put(id, None);
        self.all.insert(id);
        self.up.insert(id);
        if origin == Origin::Startup {
            self.startup.insert(id);
        }
        id
    }
    /// Leaves ids out, so that the next node gets this row: for tables read back.
    pub(crate) fn skip_to(&mut self, next: usize) {
        debug_assert!(next >= self.next, "ids only grow");
        self.next = next;
    }
    /// Ids given so far.
    pub(crate) fn next(&self) -> usize {
        self.next
    }
    /// Takes nodes out for good.
    pub(crate) fn remove(&mut self, nodes: &NodeSet) -> Vec<(NodeId, Name)> {
        self.leave_pool(nodes);
        self.all.remove_all(nodes);
        self.up.remove_all(nodes);
        self.startup.remove_all(nodes);
        self.shown.remove_all(nodes);
        let take = |id| {
            let name = self.names.take(id);
            self.alloc.take(id);
            self.by_name.remove(&name, id);
            (id, name)
        };
        nodes.iter().map(take).collect()
    }
    pub(crate) fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.find(name, |id| self.names.at(id))
    }
    pub(crate) fn name(&self, id: NodeId) -> &Name {
        self.names.at(id)
    }
    pub(crate) fn alloc(&self, id: NodeId) -> Option<AllocId> {
        *self.alloc.at(id)
    }
    pub(crate) fn set_alloc(&mut self, nodes: &NodeSet, alloc: Option<AllocId>) {
        for id in nodes.iter() {
            *self.alloc.at_mut(id) = alloc;
        }
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.len() as u64
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
    pub(crate) fn pool(&self) -> &NodeSet {
        &self.pool
    }
    pub(crate) fn pool_up(&self) -> &Arc<NodeSet> {
        &self.pool_up
    }
    pub(crate) fn shown(&self) -> &NodeSet {
        &self.shown
    }
    /// Nodes whose users are found only by looking at every job: for tables read back.
    pub(crate) fn show(&mut self, nodes: &NodeSet) {
        self.shown.add_all(nodes);
    }
    /// Puts nodes into the default session.
    pub(crate) fn enter_pool(&mut self, nodes: &NodeSet) {
        self.pool.add_all(nodes);
        self.shown.add_all(nodes);
        let up = nodes.and(&self.up);
        if !up.is_subset(&self.pool_up) {
            Arc::make_mut(&mut self.pool_up).add_all(&up);
        }
    }
    /// Takes nodes out of the default session, if they are in it.
    pub(crate) fn leave_pool(&mut self, nodes: &NodeSet) {
        self.pool.remove_all(nodes);
        if !nodes.is_disjoint(&self.pool_up) {
            Arc::make_mut(&mut self.pool_up).remove_all(nodes);
        }
    }
    /// A node fails.
    pub(crate) fn set_down(&mut self, id: NodeId) {
        self.up.remove(id);
        if self.pool_up.contains(id) {
            Arc::make_mut(&mut self.pool_up).remove(id);
        }
    }
    /// A node is back.
    pub(crate) fn set_up(&mut self, id: NodeId) {
        self.up.insert(id);
        if self.pool.contains(id) && !self.pool_up.contains(id) {
            Arc::make_mut(&mut self.pool_up).insert(id);
        }
    }
}
