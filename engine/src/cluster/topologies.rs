//! Topologies that go from one table to another.

use super::whole::Cluster;
use crate::id::Column;
use crate::map::Machine;
use crate::table::cpusets::Cpusets;
use crate::table::topologies::{Topologies, TopologyId};
use std::sync::Arc;

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

impl Cluster {
    /// A topology of another table, in that of this cluster.
    pub(super) fn own_topology(
        &mut self,
        moving: &mut MovingTopologies<'_>,
        id: TopologyId,
    ) -> TopologyId {
        let Machine {
            topologies,
            cpusets,
            ..
        } = &mut self.machine;
        if std::ptr::eq(moving.from, Arc::as_ptr(topologies)) {
            return id;
        }
        moving.topology(Arc::make_mut(topologies), Arc::make_mut(cpusets), id)
    }
}
