//! Nodes that a job or a caller names first: they come as they would make the pool of a job alone.

use super::nodes::ClusterNodes;
use super::rows::Moving;
use super::standing::Standing;
use super::topologies::MovingTopologies;
use super::view::named_by;
use super::whole::Cluster;
use crate::error::MapError;
use crate::id::Column;
use crate::map::{Candidates, Machine};
use crate::stage::alloc::Pool;
use crate::stage::alloc::build_pool::build_pool;
use crate::stage::alloc::named::by_number;
use crate::stage::resolve::Resolved;
use crate::table::apps::AppId;
use crate::table::names::NodeRange;
use crate::table::states::NodeState;
use crate::text::host_types::{HostEntry, Hosts};
use std::sync::Arc;

/// A job of nothing but these hosts.
pub(super) fn listing(entries: Vec<HostEntry>) -> Resolved {
    let mut hosts = Hosts::default();
    let list = hosts.lists.push(entries);
    hosts.list = std::iter::once(Some(list)).collect::<Column<AppId, _>>();
    Resolved {
        hosts,
        ..Resolved::default()
    }
}

impl Cluster {
    /// The nodes with those that a job names first; `None`: it names none that is not known.
    pub(super) fn grown(
        &self,
        resolved: &Resolved,
        candidates: &Option<Candidates>,
    ) -> Result<Option<ClusterNodes>, MapError> {
        let known = candidates.as_ref().or(self.machine.candidates.as_ref());
        if self.nodes.has_all(resolved, known) {
            return Ok(None);
        }
        let mut machine = self.machine.clone();
        if candidates.is_some() {
            machine.candidates.clone_from(candidates);
        }
        self.nodes.with_nodes_of(resolved, machine).map(Some)
    }

    /// Another machine, with its topologies as rows of this cluster's.
    pub(super) fn adopted(&mut self, other: &Machine) -> Machine {
        let mut moving = MovingTopologies::from(&other.topologies);
        let mut own = |id| self.own_topology(&mut moving, id);
        let default = other.default.map(&mut own);
        let assigned = other.assigned.iter();
        let assigned = assigned.map(|(names, id)| (names.clone(), own(*id)));
        let assigned = assigned.collect();
        Machine {
            topologies: Arc::clone(&self.machine.topologies),
            cpusets: Arc::clone(&self.machine.cpusets),
            default,
            assigned,
            ..other.clone()
        }
    }
}

impl ClusterNodes {
    /// These nodes, and those that a job names first.
    fn with_nodes_of(&self, resolved: &Resolved, mut machine: Machine) -> Result<Self, MapError> {
        let local = machine.local.clone();
        let fresh = build_pool(resolved, &mut machine)?;
        let mut grown = self.clone();
        grown.append(&fresh)?;
        grown.local = local.and_then(|name| grown.names.find_name(&name));
        grown.changed();
        Ok(grown)
    }

    /// Whether there are nodes, and a job names none that is not known.
    fn has_all(&self, resolved: &Resolved, candidates: Option<&Candidates>) -> bool {
        let candidates = candidates.iter().flat_map(|known| &known.nodes);
        let mut named = named_by(&resolved.hosts).chain(candidates);
        let known =
            |range| self.names.find(range).1.is_none() || by_number(&self.names, range).is_some();
        !self.names.is_empty() && named.all(known)
    }

    /// Appends the nodes of a pool that are not known.
    fn append(&mut self, fresh: &Pool) -> Result<(), MapError> {
        let tables = &fresh.tables;
        let mut moving = Moving::from(&tables.states, &tables.pusets);
        for (nodes, range) in fresh.nodes.names.ranges() {
            if !self.names.is_empty() && by_number(&self.names, &range).is_some() {
                continue;
            }
            let known = self.names.len();
            let names = Arc::make_mut(&mut self.names);
            let found = names
                .add(&range)
                .map_err(crate::stage::alloc::hostfile::too_many)?;
            let mut ahead = nodes.first;
            for part in found {
                let there = NodeRange {
                    first: ahead,
                    count: part.count,
                };
                ahead += part.count;
                if part.first < known {
                    continue;
                }
                for (run, state) in fresh.nodes.runs.within(there) {
                    let state = moving.state(&mut self.rows, state);
                    self.runs.push(run.count, state);
                    let topology = self.rows.states.get(state).topology;
                    self.whole.push(run.count, topology);
                }
                self.standing.push(part.count, Standing::Up);
            }
        }
        Ok(())
    }

    /// Appends one node in this state.
    pub(super) fn append_one(&mut self, name: &str, state: NodeState) -> Result<(), MapError> {
        let names = Arc::make_mut(&mut self.names);
        let plain = crate::text::hostlist::plain(name);
        names
            .add(&plain)
            .map_err(crate::stage::alloc::hostfile::too_many)?;
        self.whole.push(1, state.topology);
        let state = self.rows.intern(state);
        self.runs.push(1, state);
        self.standing.push(1, Standing::Up);
        self.changed();
        Ok(())
    }
}

impl Cluster {
    /// Adds the nodes of a host list.
    ///
    /// # Errors
    /// Those of [`crate::map::map_resolved`] that concern the nodes. Nothing changes then.
    pub fn add(&mut self, entries: Vec<HostEntry>, machine: &Machine) -> Result<(), MapError> {
        self.add_resolved(&listing(entries), machine)
    }

    /// Adds the nodes that the hosts of a job name.
    ///
    /// # Errors
    /// As [`Cluster::add`].
    pub fn add_resolved(&mut self, resolved: &Resolved, machine: &Machine) -> Result<(), MapError> {
        let machine = self.adopted(machine);
        if !self.nodes.has_all(resolved, machine.candidates.as_ref()) {
            self.nodes = self.nodes.with_nodes_of(resolved, machine)?;
        }
        Ok(())
    }
}
