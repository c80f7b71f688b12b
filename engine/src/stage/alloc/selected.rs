//! The result of selecting: the nodes that an app names, those of them that it may use, and its changes to their slots.

pub(crate) use crate::plan::claimed::Named;
use crate::table::interner::ById;
use crate::table::intervals::Intervals;
use crate::table::names::{NodeRange, push_joined};
use crate::table::states::StateId;
use crate::text::host_types::{HostListId, HostfileId};
use smallvec::SmallVec;
use std::sync::Arc;

/// What decides the nodes that an app names: its `-H` list and its hostfiles.
type HostsKey = (Option<HostListId>, SmallVec<[HostfileId; 4]>);

/// The named nodes of apps so far, kept for other apps with the same hosts and for later plans.
pub(crate) type NamedByHosts = ById<HostsKey, Arc<Named>>;

impl Named {
    /// Appends those of `nodes` that were not named yet.
    pub(super) fn add(&mut self, seen: &mut Intervals, nodes: NodeRange) {
        for new in seen.insert(nodes) {
            push_joined(&mut self.list, new);
        }
    }

    /// Removes a lost node. The nodes behind it move up.
    pub(crate) fn lose(&mut self, row: u32) {
        let lose = |nodes: &mut NodeRange| {
            let left = nodes.without(row);
            *nodes = left.unwrap_or(*nodes);
            left.is_some()
        };
        self.list.retain_mut(lose);
        self.mentions.retain_mut(lose);
        if let Some(claims) = &mut self.claims {
            claims.retain_mut(|(nodes, _)| lose(nodes));
        }
    }
}

/// Neighbouring nodes of which other jobs hold GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeldGpus {
    pub(crate) nodes: NodeRange,
    /// GPUs of each that nobody holds.
    pub(crate) free: u32,
    /// All GPUs of each.
    pub(crate) all: u32,
}

/// Neighbouring nodes of one state, on each of which an app may take equally many slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) nodes: NodeRange,
    pub(crate) state: StateId,
    /// Processes that the app may place on each node, by slots alone.
    pub(crate) avail: u32,
}

/// An app's changes to the slots of nodes, for the rest of the job. Each list has disjoint ranges; `raised` overrides `lowered`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotChanges {
    /// Lowered to the slots in the app's own hostfile.
    pub(crate) lowered: Vec<(NodeRange, StateId)>,
    /// Raised to what the app claims.
    pub(crate) raised: Vec<(NodeRange, StateId)>,
}

/// The nodes that an app may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selected {
    /// In list order.
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) slots: SlotChanges,
    /// The nodes that it names.
    pub(crate) named: Arc<Named>,
}
