//! What selecting gives: the nodes that an app names, those of them that it may use, and what it changes about their slots.

use super::slots::SlotsSaid;
use crate::table::interner::ById;
use crate::table::intervals::Intervals;
use crate::table::names::{NodeRange, push_joined};
use crate::table::states::StateId;
use crate::text::hosts::{HostListId, HostfileId};
use smallvec::SmallVec;
use std::sync::Arc;

/// The nodes that an app names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// In list order, without repeats.
    pub(crate) list: Vec<NodeRange>,
    /// Every mention, in order: what a sequence without a file goes by.
    pub(crate) mentions: Vec<NodeRange>,
    /// What its `-H` claims of each; `None`: it has none.
    pub(crate) claims: Option<Vec<(NodeRange, SlotsSaid)>>,
}

/// What apps that name the same nodes have in common: their `-H` list and their hostfiles.
type HostsKey = (Option<HostListId>, SmallVec<[HostfileId; 4]>);

/// The nodes of apps that were asked about: for other apps of the same hosts, and for later plans.
pub(crate) type NamedByHosts = ById<HostsKey, Arc<Named>>;

impl Named {
    /// Appends those of some nodes that were not named yet.
    pub(super) fn add(&mut self, seen: &mut Intervals, nodes: NodeRange) {
        for new in seen.insert(nodes) {
            push_joined(&mut self.list, new);
        }
    }

    /// A node is gone, and those behind it have moved up.
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

/// Neighbouring nodes of one state, of which an app may take equally much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) nodes: NodeRange,
    pub(crate) state: StateId,
    /// Processes the app may place on each, slots alone considered.
    pub(crate) avail: u32,
}

/// What an app changes about the slots of nodes, for the rest of the job. Disjoint ranges each; what is raised stands above.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotChanges {
    /// To what the app's own hostfile says.
    pub(crate) lowered: Vec<(NodeRange, StateId)>,
    /// To what the app claims.
    pub(crate) raised: Vec<(NodeRange, StateId)>,
}

/// The nodes that an app may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selected {
    /// In list order.
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) slots: SlotChanges,
}
