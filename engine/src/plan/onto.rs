//! The same places on other hosts: a plan that was made before its nodes were granted is carried to those that were.

use super::kept::{Kept, joined};
use super::placed::Placed;
use super::{Plan, World};
use crate::id::Id as _;
use crate::table::names::{Names, NodeId, NodeRange};
use std::sync::{Arc, OnceLock};

/// The nodes of a plan that get another host each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    /// All nodes of the job.
    All,
    /// Nodes that have processes; the others leave the plan.
    WithProcesses,
}

/// As many hosts are needed as nodes are carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{hosts} hosts for {nodes} nodes")]
pub struct HostCount {
    /// Hosts.
    pub hosts: u32,
    /// Nodes that need one.
    pub nodes: u32,
}

impl Plan {
    /// Nodes that have processes: ascending ranges with gaps between them. Cost: a sort of the placed runs.
    #[must_use]
    pub fn nodes_with_processes(&self) -> Vec<NodeRange> {
        let runs = self.apps.iter().flat_map(|app| app.runs());
        joined(runs.map(|run| run.nodes).collect())
    }

    /// The same places on other hosts: the i-th of the nodes that are carried has the i-th name. Files that list places name the
    /// new hosts too, so that the job of the plan can be placed again.
    ///
    /// # Errors
    /// A [`HostCount`] if there are not as many hosts as nodes.
    ///
    /// Cost: the names in files; if nodes leave the plan, also the placed runs.
    pub fn onto(mut self, carried: Carried, names: Names) -> Result<Self, HostCount> {
        let kept = match carried {
            Carried::All => None,
            Carried::WithProcesses => Some(Kept::new(self.nodes_with_processes())),
        };
        let all = self.world.names.len();
        let nodes = kept.as_ref().map_or(all, Kept::count);
        if names.len() != nodes {
            let hosts = names.len();
            return Err(HostCount { hosts, nodes });
        }
        let moved = |node: NodeId| match &kept {
            None => Some(node),
            Some(kept) => Some(NodeId::from_row(kept.number(node.number())? as usize)),
        };
        for listing in self.table.listings.ids() {
            let own = &mut self.table.listings[listing].names;
            for id in own.ids() {
                if let Some(node) = self.world.names.find_name(&own[id]).and_then(moved) {
                    own[id] = names.name(node);
                }
            }
        }
        let local = self.world.local.and_then(moved);
        let Some(kept) = kept.filter(|kept| kept.count() < all) else {
            self.world.names = names.into();
            return Ok(self);
        };
        let world = World {
            names: names.into(),
            before: kept.states(&self.world.before),
            after: kept.states(&self.world.after),
            local,
            ..self.world
        };
        let mut placed: Vec<Placed> = self.apps.into_iter().map(|app| app.placed).collect();
        placed.iter_mut().for_each(|app| kept.placed(app));
        let told = self.told.map(|told| Arc::new(kept.gpus(&told)));
        let nics = self.nics.into_inner().map(|nics| kept.nics(nics));
        Ok(Self {
            told,
            nics: nics.map_or_else(OnceLock::new, OnceLock::from),
            ..Self::assemble(world, self.table, self.patterns, placed)
        })
    }
}
