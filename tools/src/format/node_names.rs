//! Node names for a walk over nodes. Each is written from its stretch of names; none is stored.

use super::digits;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameStretch, Names, NodeId};

/// Writes the names of nodes; a neighbour of the last node needs no search.
pub(super) struct NodeNames<'n> {
    names: &'n Names,
    here: Option<NameStretch<'n>>,
}

impl<'n> NodeNames<'n> {
    pub(super) fn new(names: &'n Names) -> Self {
        Self { names, here: None }
    }

    /// Appends the name of a node, given its number in the pool.
    pub(super) fn push(&mut self, buf: &mut Vec<u8>, node: u32) {
        let within =
            |stretch: &NameStretch<'_>| (stretch.nodes.first..stretch.nodes.end()).contains(&node);
        let stretch = match self.here {
            Some(stretch) if within(&stretch) => stretch,
            _ => self.names.around(NodeId::from_row(node as usize)),
        };
        self.here = Some(stretch);
        buf.extend_from_slice(stretch.prefix.as_bytes());
        if stretch.digits > 0 {
            let number = stretch.number + u64::from(node - stretch.nodes.first);
            digits::push_padded(buf, number, stretch.digits);
            buf.extend_from_slice(stretch.suffix.as_bytes());
        }
    }
}
