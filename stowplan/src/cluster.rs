//! Nodes that jobs come to and leave again.

use crate::plan::{Form, Ticket};
use crate::{Error, Job, Machine, Plan, workers};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use stowplan_engine::cluster;

/// Nodes that jobs share, one after the other and side by side: what a job took is not there for the next one until it is
/// released.
///
/// The first job names the nodes; a job without hosts uses those that there are.
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
    /// Plans placed here and not released, by the address of their tickets, which live as long as they stand here.
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

    /// Places a job on what is left, and keeps what it takes.
    ///
    /// # Errors
    /// As [`Plan::new`]; the cluster is as it was then.
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

    /// Takes a job back: its slots are free again, and the cpus that it was the first to take.
    ///
    /// # Errors
    /// `no-such-job`: the plan was not placed by this cluster, or was released before. One that was saved and read again
    /// is another plan.
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

/// What tells live tickets apart.
fn address(ticket: &Arc<Ticket>) -> usize {
    Arc::as_ptr(ticket).addr()
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({} jobs)", self.placed.len())
    }
}
