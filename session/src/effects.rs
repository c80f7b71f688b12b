//! What an event did, beside its status.

use super::name::Name;
use super::state::State;
use super::tables::{NodeId, NodeSet};
use std::sync::Arc;

/// How an allocation ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    /// Scheduler-owned nodes departed, carved ones reverted.
    Released,
    /// Every node stayed in the DVM.
    Unreserved,
}

impl How {
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Unreserved => "unreserved",
        }
    }
}

/// Why an allocation ended: the four triggers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Why {
    /// Released by an owner or the scheduler.
    Request,
    /// Terminated by the scheduler.
    Reclaim,
    /// Its disposition was due.
    Inheritance,
    /// The DVM ended.
    Teardown,
}

impl Why {
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reclaim => "reclaim",
            Self::Inheritance => "inheritance",
            Self::Teardown => "teardown",
        }
    }
}

/// An allocation that ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ended {
    /// Its id.
    pub alloc_id: Name,
    /// How.
    pub how: How,
    /// Why.
    pub why: Why,
}

/// What a requester is told when nodes were granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The id of the record.
    pub alloc_id: Name,
    /// The requester's own id, when the request carried one.
    pub req_id: Option<Name>,
}

/// A warning for one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notify {
    /// The namespace of the recipient.
    pub ns: Name,
    /// Its rank.
    pub rank: u32,
    /// The record.
    pub alloc_id: Name,
    /// Seconds left.
    pub time_remaining: u32,
    /// The request id of the record, when there is one.
    pub req_id: Option<Name>,
}

/// What a job that was spawned may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spawned {
    /// Its sessions in the order of first mention, `""` for the default session.
    pub sessions: Vec<Name>,
    /// The candidates.
    pub candidates: Arc<NodeSet>,
    /// The candidates that it uses.
    pub uses: Arc<NodeSet>,
}

/// Everything an event did. Sets of nodes are read with [`Effects::names`] before the next event is applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// The number of the request that now waits.
    pub request: Option<u64>,
    /// The request that the event consumed.
    pub answered: Option<u64>,
    /// What the requester is told.
    pub reply: Option<Reply>,
    /// Nodes new in the DVM.
    pub joined: NodeSet,
    /// Nodes that the event withheld from the default session.
    pub reserved: NodeSet,
    /// What a spawned job may use.
    pub spawned: Option<Spawned>,
    /// Records that ended, in no particular order.
    pub ended: Vec<Ended>,
    /// Nodes gone, with the names they had.
    pub departed: Vec<(NodeId, Name)>,
    /// Nodes moved from a reservation to the default session.
    pub reverted: NodeSet,
    /// Namespaces terminated by us, in no particular order.
    pub killed: Vec<Name>,
    /// Requests withdrawn, in no particular order.
    pub dropped: Vec<u64>,
    /// Nodes lent, by name, ascending.
    pub lent: Vec<Name>,
    /// A warning.
    pub notify: Option<Notify>,
}

impl Effects {
    /// The names of a set of nodes, ascending by bytes. Cost: sorting them.
    #[must_use]
    pub fn names<'a>(&'a self, state: &'a State, nodes: &NodeSet) -> Vec<&'a str> {
        let gone = self
            .departed
            .iter()
            .filter(|row| nodes.contains(row.0))
            .map(|row| row.1.as_str());
        let mut names: Vec<&str> = nodes
            .iter()
            .filter_map(|node| state.node_name(node))
            .chain(gone)
            .collect();
        names.sort_unstable();
        names
    }
    /// The names of the nodes that are gone, ascending by bytes.
    #[must_use]
    pub fn departed_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.departed.iter().map(|row| row.1.as_str()).collect();
        names.sort_unstable();
        names
    }
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
