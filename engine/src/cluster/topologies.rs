//! Topologies that go from one table to another.

use crate::id::Column;
use crate::table::cpusets::Cpusets;
use crate::table::topologies::{Topologies, TopologyId};

/// Topologies that go from one table to another, each once, and only those that are asked for.
pub(super) struct MovingTopologies<'t> {
    from: &'t Topologies,
    moved: Column<TopologyId, Option<TopologyId>>,
}

impl<'t> MovingTopologies<'t> {
    pub(super) fn from(from: &'t Topologies) -> Self {
        Self {
            from,
            moved: from.ids().map(|_| None).collect(),
        }
    }

    /// Whether they are those of this table.
    pub(super) fn are_of(&self, table: &Topologies) -> bool {
        std::ptr::eq(self.from, table)
    }

    /// The topology of the other table, in this one. Cost: linear in its objects, once for each topology.
    pub(super) fn topology(
        &mut self,
        into: &mut Topologies,
        cpusets: &mut Cpusets,
        id: TopologyId,
    ) -> TopologyId {
        *self.moved[id].get_or_insert_with(|| {
            let added = into.add(self.from.draft(id), cpusets);
            added.expect("a topology of a table is sound")
        })
    }
}
