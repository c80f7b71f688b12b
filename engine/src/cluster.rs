//! A cluster: nodes on which jobs start and end.
//!
//! The first job makes the pool: from its hosts or, if it names none, from the machine's candidates. Later jobs select
//! nodes from this pool and are placed on the slots and cpus that are left. When a job ends, its slots and cpus are
//! free again.
//!
//! `stowplan::Cluster` shows how a launcher uses it.

use crate::count::counted;
use crate::error::MapError;
use crate::map::{Components, Machine, Mapped, map_on, map_resolved};
use crate::plan::{Plan, World};
use crate::policy::Overload;
use crate::stage::alloc::Pool;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::Policy;
use crate::table::names::NodeRange;
use crate::table::states::{NodeState, StateId, StateRuns};

/// Nodes that jobs share, one after another or at the same time.
#[derive(Clone, Debug)]
pub struct Cluster {
    machine: Machine,
    /// The nodes and their present states; `None` before the first job.
    world: Option<World>,
}

/// Why a plan cannot be taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReleaseError {
    /// No job was placed here.
    #[error("no job was placed on this cluster")]
    Empty,
    /// The plan has another number of nodes than the cluster.
    #[error("the plan speaks of {}, this cluster has {here}", counted(*.plan, "node"))]
    OtherNodes {
        /// Nodes of the plan.
        plan: u32,
        /// Nodes of the cluster.
        here: u32,
    },
}

impl Cluster {
    /// A cluster without nodes: the first job names them.
    #[must_use]
    pub const fn new(machine: Machine) -> Self {
        Self {
            machine,
            world: None,
        }
    }

    /// The nodes and their present states; `None` before the first job.
    #[must_use]
    pub const fn world(&self) -> Option<&World> {
        self.world.as_ref()
    }

    /// Places a job on the slots and cpus that are left, and records what it takes.
    ///
    /// # Errors
    /// As [`map_resolved`]; then nothing changes. Cost: that of placing the job, plus a copy of the tables.
    pub fn place(&mut self, resolved: Resolved) -> Result<Mapped, MapError> {
        let mapped = match &self.world {
            None => map_resolved(resolved, self.machine.clone())?,
            Some(world) => {
                resolved.check_cores(&world.topologies)?;
                map_on(
                    resolved,
                    Workspace::new(Pool::resume(world)),
                    &Components::standard(),
                )?
            }
        };
        self.world = Some(kept(&mapped.plan));
        Ok(mapped)
    }

    /// Takes a job back: frees its slots, and the cpus that it was the first to take.
    ///
    /// # Errors
    /// A [`ReleaseError`] when the plan does not belong to this cluster. Cost: the runs of the states.
    pub fn release(&mut self, plan: &Plan) -> Result<(), ReleaseError> {
        let world = self.world.as_mut().ok_or(ReleaseError::Empty)?;
        let job = plan.world();
        let (plan, here) = (job.names.len(), world.names.len());
        if plan != here {
            return Err(ReleaseError::OtherNodes { plan, here });
        }
        let mut freed = StateRuns::default();
        for (nodes, state) in world.after.clone().iter() {
            for (part, was, left) in parts(job, nodes) {
                let row = without(world, job, state, was, left);
                freed.push(part.count, world.states.intern(row));
            }
        }
        world.after = freed;
        Ok(())
    }
}

/// What a job leaves to the next one. When no cpu of a node is left, a job that may overload deals the node's cpus again. The cpus that it
/// did not find free stay with the jobs that hold them. So the cpus that each job took are its own, whichever job ends first.
fn kept(plan: &Plan) -> World {
    let job = plan.world();
    let mut world = job.clone();
    let overloads = |policy: &Policy| policy.overload == Overload::Allowed;
    if !plan.resolved_apps().policies.values().iter().any(overloads) {
        return world;
    }
    let mut after = StateRuns::default();
    for (nodes, _) in job.before.iter() {
        for (part, was, left) in parts(job, nodes) {
            let (found, row) = (job.states.get(was), *job.states.get(left));
            let mut free = job.pusets.get(row.free).to_bitvec();
            free &= job.pusets.get(found.free);
            let free = world.pusets.intern(&free);
            after.push(part.count, world.states.intern(NodeState { free, ..row }));
        }
    }
    world.after = after;
    world
}

/// The states that a job found and left on a range of nodes.
fn parts(job: &World, nodes: NodeRange) -> Vec<(NodeRange, StateId, StateId)> {
    let mut parts = Vec::new();
    for (found, was) in job.before.within(nodes) {
        parts.extend(
            job.after
                .within(found)
                .map(|(part, left)| (part, was, left)),
        );
    }
    parts
}

/// The state of a node without the slots and cpus that a job took.
fn without(
    world: &mut World,
    job: &World,
    state: StateId,
    was: StateId,
    left: StateId,
) -> NodeState {
    let now = *world.states.get(state);
    let (was, left) = (job.states.get(was), job.states.get(left));
    let (mut free, allowed) = (
        world.pusets.get(now.free).to_bitvec(),
        world.pusets.get(now.allowed).to_bitvec(),
    );
    let mut taken = job.pusets.get(was.free).to_bitvec();
    taken &= !job.pusets.get(left.free).to_bitvec();
    free |= taken;
    free &= allowed;
    NodeState {
        free: world.pusets.intern(&free),
        slots: now.slots - left.slots.saturating_sub(was.slots).min(now.slots),
        used: now.used - (left.used - was.used).min(now.used),
        ..now
    }
}
