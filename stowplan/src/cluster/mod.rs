//! Nodes on which jobs start and end.

// The nodes: added and removed, up and down, what is free.
mod nodes;
// Jobs that run when a launcher starts again.
mod restart;
// What is placed: a job, or a request.
mod to_job;
// Why a job does not start now.
mod waiting;

pub use nodes::{ClusterNode, Standing};
pub use to_job::ToJob;
pub use waiting::Waiting;

use crate::plan::{Form, Ticket};
use crate::remedy::beside_in;
use crate::session::{By, State};
use crate::{Error, Job, Machine, Plan, workers};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use stowplan_engine::cluster::{self, Among};
use stowplan_engine::map::Candidates;

/// The number of a job of a cluster, from 0, in the order in which jobs were placed. No number is given twice.
///
/// ```
/// use stowplan::{Cluster, Job, Machine, Topology};
/// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
/// let plan = cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
/// let job = cluster.job_of(&plan).ok_or("it runs")?;
/// assert_eq!((u64::from(job), job.to_string().as_str()), (0, "0"));
/// assert_eq!(cluster.plan(job), Some(&plan));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(u64);

impl From<JobId> for u64 {
    fn from(job: JobId) -> Self {
        job.0
    }
}

impl From<u64> for JobId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Nodes that jobs share, one after another or at the same time. The slots, cpus and GPUs that a job takes are not free for later
/// jobs until the job is released.
///
/// Nodes are added with [`Cluster::add_nodes`], or come with the jobs that name them. A job that names no hosts uses the nodes that
/// are up. Time and memory do not grow with the jobs that have ended.
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
#[derive(Clone)]
pub struct Cluster {
    machine: Machine,
    nodes: cluster::Cluster,
    jobs: BTreeMap<JobId, Running>,
    next: u64,
}

/// A job that was placed or adopted and not released.
#[derive(Clone)]
struct Running {
    plan: Plan,
    /// The ticket of the plan; `None` if the job was read from bytes or adopted: then any equal plan is the job's.
    ticket: Option<Arc<Ticket>>,
}

impl Cluster {
    /// A cluster of this hardware, without nodes and jobs.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// let cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self {
            nodes: cluster::Cluster::new(machine.inner().clone()),
            machine,
            jobs: BTreeMap::new(),
            next: 0,
        }
    }

    /// Places a job or a request on the slots, cpus and GPUs that are left, and records what it takes. Hosts that the cluster does not
    /// have are added. The plan has the nodes that the job is on or names, and no others.
    ///
    /// # Errors
    /// As [`Plan::new`]; `node-closed` when the job names a node that is down or drained; `not-enough-gpus` when other jobs hold the
    /// GPUs that it asks for. The cluster does not change then.
    ///
    /// Cost: for a job that names no hosts and is placed by slot, node or objects, without OVERSUBSCRIBE, as [`Plan::new`] on the first
    /// nodes with a free slot, at most as many as it has processes, if it fits there; for other jobs linear in the runs of equal
    /// nodes. What is kept of the job is linear in the runs of its own nodes.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
    /// let refused = cluster.place(&Job::from_command_line(["-n", "2", "./y"])?).unwrap_err();
    /// assert_eq!(refused.class(), "not-enough-slots");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn place(&mut self, job: &(impl ToJob + ?Sized)) -> Result<Plan, Error> {
        self.place_among(job, &Among::default())
    }

    /// Places a job on the nodes that its sessions let it see, as `stowplan map --session` does. `targets`: names of sessions; empty
    /// for those that `by` may use.
    ///
    /// # Errors
    /// As [`Cluster::place`]; the class of the sessions' refusal; `not-in-session`.
    /// ```
    /// use stowplan::session::{By, Config, Initial, Name, State};
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// let nodes = ["n0", "n1"].map(Name::new).to_vec();
    /// let state = State::new(Config::default(), &Initial { nodes, ..Initial::default() })?;
    /// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("n[0-3]:4")?;
    /// let job = Job::from_command_line(["-n", "5", "--map-by", "core", "./x"])?;
    /// let plan = cluster.place_in_session(&job, &state, By::Scheduler, &[])?;
    /// assert_eq!(plan.nodes().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place_in_session(
        &mut self,
        job: &(impl ToJob + ?Sized),
        state: &State,
        by: By<'_>,
        targets: &[&str],
    ) -> Result<Plan, Error> {
        let found = crate::session::candidates(state, by, targets);
        let found = found.map_err(|refusal| Error::told(refusal.class(), &refusal.to_string()))?;
        let candidates: Candidates = crate::machine::candidates(&found, state);
        self.place_among(
            job,
            &Among {
                candidates: Some(candidates),
                ..Among::default()
            },
        )
    }

    pub(crate) fn place_among(
        &mut self,
        job: &(impl ToJob + ?Sized),
        among: &Among,
    ) -> Result<Plan, Error> {
        let (resolved, _) = crate::placing::resolve(job.to_job()?.as_ref(), &self.machine)?;
        let nodes = &mut self.nodes;
        let mapped = workers::run(|| nodes.place(resolved, among))??;
        let ticket = Ticket::new();
        let plan = Plan::with(mapped, Form::Whole, Some(Arc::clone(&ticket)));
        self.run(plan.clone(), Some(ticket));
        Ok(plan)
    }

    fn run(&mut self, plan: Plan, ticket: Option<Arc<Ticket>>) -> JobId {
        let job = JobId(self.next);
        self.next += 1;
        self.jobs.insert(job, Running { plan, ticket });
        job
    }

    /// Where a job would be placed now. Nothing changes.
    ///
    /// # Errors
    /// As [`Cluster::place`]. [`Error::help`] then tells what would work now, planned on these nodes.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let job = Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?;
    /// assert_eq!(cluster.try_place(&job)?.len(), 3);
    /// assert_eq!(cluster.nodes().len(), 0);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn try_place(&self, job: &(impl ToJob + ?Sized)) -> Result<Plan, Error> {
        let job = job.to_job()?;
        let tried = self.tried(job.as_ref());
        tried.map_err(|error| beside_in(error, &job, &self.machine, &self.nodes))
    }

    /// The same; a refusal says no more than it has to.
    fn tried(&self, job: &Job) -> Result<Plan, Error> {
        let (resolved, _) = crate::placing::resolve(job, &self.machine)?;
        let mut nodes = self.nodes.clone();
        let mapped = workers::run(move || nodes.place(resolved, &Among::default()))??;
        Ok(Plan::of(mapped))
    }

    /// Takes a job back: frees its slots, its GPUs, and the cpus that it was the first to take.
    ///
    /// # Errors
    /// `no-such-job` when this cluster did not place the plan, or has released it already. A plan that was saved and read again
    /// counts as another plan, but for jobs that came with [`Cluster::from_bytes`] or [`Cluster::adopt`]: there any equal plan will do.
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
        let job = self.job_of(plan).ok_or_else(|| {
            Error::told(
                "no-such-job",
                "the plan is not one that this cluster placed and did not release",
            )
        })?;
        self.release_job(job)
    }

    /// Takes a job back by its number.
    ///
    /// # Errors
    /// `no-such-job`.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let plan = cluster.place(&Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?)?;
    /// let job = cluster.job_of(&plan).ok_or("it runs")?;
    /// cluster.release_job(job)?;
    /// assert_eq!(cluster.release_job(job).unwrap_err().class(), "no-such-job");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn release_job(&mut self, job: JobId) -> Result<(), Error> {
        let running = self.jobs.remove(&job).ok_or_else(|| {
            Error::told("no-such-job", &format!("no job {job} runs on this cluster"))
        })?;
        self.nodes.release(running.plan.inner());
        Ok(())
    }

    /// The jobs that were placed and not released, by number, each with its plan.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let plan = cluster.place(&Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?)?;
    /// assert!(cluster.jobs().map(|(_, plan)| plan).eq([&plan]));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = (JobId, &Plan)> {
        self.jobs.iter().map(|(&job, running)| (job, &running.plan))
    }

    /// The plan of a job.
    /// ```
    /// # use stowplan::{Cluster, JobId, Machine, Topology};
    /// # let cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// assert_eq!(cluster.plan(JobId::from(7)), None);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn plan(&self, job: JobId) -> Option<&Plan> {
        Some(&self.jobs.get(&job)?.plan)
    }

    /// The job of a plan that this cluster placed and did not release. Cost: linear in the jobs that were placed after it and run; in
    /// all that run if there is none.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let plan = cluster.place(&Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?)?;
    /// assert!(cluster.job_of(&plan).is_some());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn job_of(&self, plan: &Plan) -> Option<JobId> {
        let placed = self.jobs.iter().rev().find(|(_, running)| {
            let ticket = running.ticket.as_ref().zip(plan.ticket());
            ticket.is_some_and(|(own, other)| Arc::ptr_eq(own, other))
        });
        let found = placed.or_else(|| {
            let mut restored = self
                .jobs
                .iter()
                .filter(|(_, running)| running.ticket.is_none());
            restored.find(|(_, running)| running.plan == *plan)
        });
        found.map(|(&job, _)| job)
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.len();
        write!(f, "Cluster({nodes} nodes, {} jobs)", self.jobs.len())
    }
}
