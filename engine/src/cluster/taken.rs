//! What a job takes of nodes: slots, and cpus that were free. It is given back when the job ends, and taken again when a job that
//! runs already is adopted.

use super::held::{Change, given, is_without_some, visible};
use super::nodes::ClusterNodes;
use super::rows::Rows;
use super::topologies::MovingTopologies;
use super::whole::Cluster;
use crate::id::Id as _;
use crate::plan::{Plan, World};
use crate::table::names::{NodeId, NodeRange};
use crate::table::states::{NodeState, StateId};
use crate::table::topologies::TopologyId;
use std::collections::HashMap;
use std::sync::Arc;

/// Why a running job is not taken over.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AdoptError {
    /// The plan does not say what its job takes: it was placed by another launcher's rules, or has no process.
    #[error("the plan does not say which slots and cpus its job takes")]
    Untold,
    /// A node has other hardware than the plan says.
    #[error("node {node} has other hardware than the plan says")]
    Hardware {
        /// The node.
        node: String,
    },
    /// Another job holds some of its cpus.
    #[error("node {node}: cpus of the plan are taken")]
    Cpus {
        /// The node.
        node: String,
    },
    /// Another job holds some of its GPUs.
    #[error("node {node}: GPUs of the plan are taken")]
    Gpus {
        /// The node.
        node: String,
    },
    /// Other jobs hold its slots.
    #[error("node {node}: the plan takes {asked} slots, {left} are left")]
    Slots {
        /// The node.
        node: String,
        /// Processes of the plan on it.
        asked: u32,
        /// Slots left.
        left: u32,
    },
    /// There would be more nodes than there can be.
    #[error("there would be more nodes than there can be")]
    TooManyNodes,
}

/// Whether the slots of a job that is taken over must be free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// They must.
    Free,
    /// The cluster held this job before.
    Before,
}

/// The states that a job found and left, for nodes that it changed.
fn changed(job: &World) -> impl Iterator<Item = (NodeRange, StateId, StateId)> + '_ {
    job.before.iter().flat_map(move |(found, was)| {
        let parts = job.after.within(found);
        parts.filter_map(move |(part, left)| (left != was).then_some((part, was, left)))
    })
}

impl ClusterNodes {
    pub(super) fn release(&mut self, plan: &Plan) {
        let job = plan.world();
        let mut changes = Vec::new();
        for (part, was, left) in changed(job) {
            for here in self.known(job, part) {
                let states: Vec<_> = self.runs.within(here).collect();
                for (nodes, state) in states {
                    let row = self.without(job, state, was, left);
                    changes.push((nodes, self.rows.intern(row)));
                }
            }
        }
        self.change(&mut changes);
    }

    /// Those of a job's nodes that the cluster has.
    pub(super) fn known(&self, job: &World, part: NodeRange) -> Vec<NodeRange> {
        if Arc::ptr_eq(&self.names, &job.names) {
            return vec![part];
        }
        let ranges = job.names.ranges_within(part);
        ranges.flat_map(|range| self.names.find(&range).0).collect()
    }

    /// The state of a node without the slots and cpus that a job took.
    fn without(&mut self, job: &World, state: StateId, was: StateId, left: StateId) -> NodeState {
        let now = *self.rows.states.get(state);
        let (was, left) = (job.states.get(was), job.states.get(left));
        let pusets = Arc::make_mut(&mut self.rows.pusets);
        let mut free = pusets.get(now.free).to_bitvec();
        let mut taken = job.pusets.get(was.free).to_bitvec();
        taken &= !job.pusets.get(left.free).to_bitvec();
        free |= taken;
        let allowed = pusets.get(now.allowed).to_bitvec();
        free &= allowed;
        NodeState {
            free: pusets.intern(&free),
            slots: now.slots - left.slots.saturating_sub(was.slots).min(now.slots),
            used: now.used - left.used.saturating_sub(was.used).min(now.used),
            ..now
        }
    }
}

impl Cluster {
    /// Takes what a job holds. Cost: its nodes; if it brings some, also a copy of all runs.
    pub(super) fn take(&mut self, plan: &Plan, held: Held) -> Result<(), AdoptError> {
        // The nodes without those that the job brings, which are gone again if it is refused.
        let mut before = None;
        let taken = self.take_or_stop(plan, held, &mut before);
        if taken.is_err()
            && let Some(before) = before
        {
            self.nodes = before;
        }
        taken?;
        self.change_gpus(plan, Change::Take);
        Ok(())
    }

    /// The same, but for GPUs. Nodes that the job brings stay when it is refused.
    fn take_or_stop(
        &mut self,
        plan: &Plan,
        held: Held,
        before: &mut Option<ClusterNodes>,
    ) -> Result<(), AdoptError> {
        let job = plan.world();
        if plan.ranks() == 0 || changed(job).next().is_none() {
            return Err(AdoptError::Untold);
        }
        let mut changes = Vec::new();
        let mut moving = MovingTopologies::from(&job.topologies);
        let mut fits: HashMap<(TopologyId, TopologyId), bool> = HashMap::new();
        for (part, was, left) in changed(job) {
            let topology = self.own_topology(&mut moving, job.states.get(was).topology);
            let mut whole = None;
            for at in part.first..part.end() {
                let name = job.names.name(NodeId::from_row(at as usize));
                let node = match self.nodes.names.find_name(&name) {
                    Some(node) => node,
                    None => {
                        before.get_or_insert_with(|| self.nodes.clone());
                        let whole = *whole.get_or_insert_with(|| self.hardware_of(topology));
                        let row = as_found(job, was, whole, &mut self.nodes.rows);
                        let added = self.nodes.append_one(&name, row);
                        added.map_err(|_| AdoptError::TooManyNodes)?;
                        NodeId::from_row(self.nodes.names.len() as usize - 1)
                    }
                };
                let state = self.nodes.runs.state(node);
                let whole = self.nodes.whole.state(node);
                let known = fits.entry((topology, whole));
                let topologies = &self.machine.topologies;
                if !*known.or_insert_with(|| is_without_some(topologies, topology, whole)) {
                    return Err(AdoptError::Hardware { node: name });
                }
                let row = self.nodes.with(job, &name, (state, was, left), held)?;
                changes.push((NodeRange::one(node.number()), self.nodes.rows.intern(row)));
            }
        }
        self.check_gpus_free(plan)?;
        self.nodes.change(&mut changes);
        Ok(())
    }

    /// Checks that nobody holds the GPUs that a plan gives its processes.
    fn check_gpus_free(&self, plan: &Plan) -> Result<(), AdoptError> {
        for (part, gpus) in given(plan) {
            for at in part.first..part.end() {
                let name = plan.world().names.name(NodeId::from_row(at as usize));
                let node = self.nodes.names.find_name(&name);
                let node = node.expect("its nodes are known now");
                let row = self.nodes.rows.states.get(self.nodes.runs.state(node));
                if !gpus.is_subset(&visible(&self.machine.topologies, row.topology)) {
                    return Err(AdoptError::Gpus { node: name });
                }
            }
        }
        Ok(())
    }
}

/// A node as a job found it, without what other jobs had taken.
fn as_found(job: &World, was: StateId, topology: TopologyId, rows: &mut Rows) -> NodeState {
    let was = job.states.get(was);
    let allowed = Arc::make_mut(&mut rows.pusets).intern(job.pusets.get(was.allowed));
    NodeState {
        topology,
        allowed,
        free: allowed,
        used: 0,
        own: 0,
        ..*was
    }
}

impl ClusterNodes {
    /// The state of a node with the slots and cpus that a job takes. `states`: now, and as the job found and left it.
    fn with(
        &mut self,
        job: &World,
        name: &str,
        (state, was, left): (StateId, StateId, StateId),
        held: Held,
    ) -> Result<NodeState, AdoptError> {
        let now = *self.rows.states.get(state);
        let (was, left) = (job.states.get(was), job.states.get(left));
        let mut taken = job.pusets.get(was.free).to_bitvec();
        taken &= !job.pusets.get(left.free).to_bitvec();
        let pusets = Arc::make_mut(&mut self.rows.pusets);
        let mut free = pusets.get(now.free).to_bitvec();
        if taken.iter_ones().any(|pu| !free[pu]) {
            let node = name.to_owned();
            return Err(AdoptError::Cpus { node });
        }
        free &= !taken;
        let slots = now.slots + left.slots.saturating_sub(was.slots);
        let procs = left.used.saturating_sub(was.used);
        let most = slots.min(now.max_slots.unwrap_or(u32::MAX));
        if held == Held::Free && left.used <= left.slots && now.used + procs > most {
            return Err(AdoptError::Slots {
                node: name.to_owned(),
                asked: procs,
                left: most.saturating_sub(now.used),
            });
        }
        Ok(NodeState {
            free: pusets.intern(&free),
            slots,
            used: now.used.saturating_add(procs),
            ..now
        })
    }
}

impl Cluster {
    /// Takes what a job holds that was placed elsewhere: its nodes are added if they are not known.
    ///
    /// # Errors
    /// An [`AdoptError`]; then nothing changes.
    pub fn adopt(&mut self, plan: &Plan) -> Result<(), AdoptError> {
        self.take(plan, Held::Free)
    }
}
