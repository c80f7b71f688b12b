//! What an app claimed of the nodes: which of them it might use, in which order, and how many slots of each. With this and the
//! states in which the job found the nodes, a plan says all that decided where its processes went.

use crate::table::names::NodeRange;
use std::sync::Arc;

/// Slots that entries give a node. If the entries make the pool, the node has that many; if they select from it, an app claims them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct SlotsSaid {
    pub(crate) counted: u64,
    /// How many times all slots are said: as many as the topology gives the node, or as are left.
    pub(crate) all: u64,
}

/// When it is known which nodes an app names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Fixed {
    /// Before anything is placed.
    #[default]
    Always,
    /// At the app's turn: `+e` asks for nodes without processes.
    AtItsTurn,
}

/// The nodes that an app names.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Named {
    /// In list order, without repeats.
    pub(crate) list: Vec<NodeRange>,
    /// Every mention, in order: the entries of a sequence without a file.
    pub(crate) mentions: Vec<NodeRange>,
    /// What its `-H` claims of each node; `None` without `-H`.
    pub(crate) claims: Option<Vec<(NodeRange, SlotsSaid)>>,
    pub(crate) fixed: Fixed,
}

impl Named {
    /// The whole pool, as for an app that names no node.
    pub(crate) fn whole(nodes: u32) -> Self {
        let all = NodeRange {
            first: 0,
            count: nodes,
        };
        Self {
            list: vec![all],
            mentions: vec![all],
            claims: None,
            fixed: Fixed::Always,
        }
    }
}

/// What an app claimed, as far as a plan says it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claimed(pub(crate) Claim);

impl Claimed {
    /// Whether a launcher's own component placed the app: it may choose any objects.
    #[must_use]
    pub fn by_component(&self) -> bool {
        self.0 == Claim::Elsewhere
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum Claim {
    /// The plan is older than its section of claims, or nothing was placed.
    #[default]
    Untold,
    /// A launcher's own component placed the app, by rules that no plan has.
    Elsewhere,
    /// These nodes; and nodes whose slots its own hostfile lowered, with the slots.
    Of(Arc<Named>, Vec<(NodeRange, u32)>),
}
