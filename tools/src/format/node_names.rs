//! Node names along a walk: written from the stretch they stand in, never kept.

use super::digits;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameStretch, Names, NodeId};

/// Writes names of nodes; neighbours cost no search.
pub(super) struct NodeNames<'n> {
    names: &'n Names,
    here: Option<NameStretch<'n>>,
}

impl<'n> NodeNames<'n> {
    pub(super) fn new(names: &'n Names) -> Self {
        Self { names, here: None }
    }

    /// Appends the name of a node, given by its place in the pool.
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
