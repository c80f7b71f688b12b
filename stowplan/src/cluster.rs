//! Nodes on which jobs start and end.

use crate::plan::{Form, Ticket};
use crate::{Error, Job, Machine, Plan, workers};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use stowplan_engine::cluster;

/// Nodes that jobs share, one after another or at the same time. The slots and cpus that a job takes are not free for later jobs
/// until the job is released.
///
/// The first job names the nodes. A later job that names no hosts uses these nodes.
///
/// ```
/// use stowplan::{Cluster, Job, Machine, Topology};
/// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
/// let ocean = cluster.place(&Job::from_command_line("-n 3 -H a:4,b:4 --map-by core ./ocean".split(' '))?)?;
/// let io = cluster.place(&Job::from_command_line("-n 2 --map-by core ./io".split(' '))?)?;
/// let nodes: Vec<String> = io.procs().map(|proc| proc.node().name().to_owned()).collect();
/// assert_eq!(nodes, ["a", "b"], "one core was left on a");
/// cluster.release(&ocean)?;
/// assert_eq!(cluster.release(&ocean).unwrap_err().class(), "no-such-job");
/// # Ok::<(), stowplan::Error>(())
/// ```
pub struct Cluster {
    machine: Machine,
    /// `None` before the first job.
    nodes: Option<cluster::Cluster>,
    /// The plans that were placed here and not released, by the addresses of their tickets. The map keeps the tickets alive.
    placed: HashMap<usize, Arc<Ticket>>,
}

impl Cluster {
    /// A cluster of this hardware, on which nothing is placed yet.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// let cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            nodes: None,
            placed: HashMap::new(),
        }
    }

    /// Places a job on the slots and cpus that are left, and records what it takes.
    ///
    /// # Errors
    /// As [`Plan::new`]. The cluster does not change then.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
    /// let refused = cluster.place(&Job::from_command_line(["-n", "2", "./y"])?).unwrap_err();
    /// assert_eq!(refused.class(), "not-enough-slots");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn place(&mut self, job: &Job) -> Result<Plan, Error> {
        let (resolved, machine) = crate::job::resolve(job, &self.machine)?;
        let mapped = match &mut self.nodes {
            Some(nodes) => workers::run(|| nodes.place(resolved))??,
            None => {
                let mut nodes = cluster::Cluster::new(machine);
                let mapped = workers::run(|| nodes.place(resolved))??;
                self.nodes = Some(nodes);
                mapped
            }
        };
        let ticket = Ticket::new();
        self.placed.insert(address(&ticket), Arc::clone(&ticket));
        Ok(Plan::with(mapped, Form::Whole, Some(ticket)))
    }

    /// Takes a job back: frees its slots, and the cpus that it was the first to take.
    ///
    /// # Errors
    /// `no-such-job` when this cluster did not place the plan, or has released it already. A plan that was saved and read again
    /// counts as another plan.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let job = Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?;
    /// let plan = cluster.place(&job)?;
    /// cluster.release(&plan)?;
    /// assert!(cluster.place(&job).is_ok());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn release(&mut self, plan: &Plan) -> Result<(), Error> {
        let unknown = || {
            Error::told(
                "no-such-job",
                "the plan is not one that this cluster placed and did not release",
            )
        };
        let key = plan.ticket().map(address).ok_or_else(unknown)?;
        let nodes = self.nodes.as_mut().ok_or_else(unknown)?;
        if !self.placed.contains_key(&key) {
            return Err(unknown());
        }
        nodes
            .release(plan.inner())
            .map_err(|error| Error::told("internal", &error.to_string()))?;
        self.placed.remove(&key);
        Ok(())
    }
}

/// The address of a ticket. No two live tickets have the same address.
fn address(ticket: &Arc<Ticket>) -> usize {
    Arc::as_ptr(ticket).addr()
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({} jobs)", self.placed.len())
    }
}
