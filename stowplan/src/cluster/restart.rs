//! A cluster that is saved and read again, and jobs that run already.

use super::{Cluster, JobId, Running};
use crate::plan::Form;
use crate::{Error, Machine, Plan, workers};
use stowplan_engine::cluster::{self, AdoptError};
use stowplan_engine::map::Mapped;

impl Cluster {
    /// Takes a running job over: a plan that this or another cluster placed, or that was saved. Nodes that the cluster does not have
    /// are added with the job. Returns its number.
    ///
    /// # Errors
    /// `job-collides` when another job holds its cpus, GPUs or slots, with that job's number, or when a node has other hardware;
    /// `bad-plan` for a broadcast, or a plan that does not say what its job takes. Nothing changes then.
    /// ```
    /// use stowplan::{Cluster, Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut before = Cluster::new(machine.clone());
    /// let saved = before.place(&Job::from_command_line("-n 3 -H a:4 --map-by core --bind-to core ./x".split(' '))?)?.to_bytes();
    ///
    /// let mut cluster = Cluster::new(machine);
    /// let plan = Plan::from_bytes(&saved)?;
    /// cluster.adopt(&plan)?;
    /// assert_eq!(cluster.free_cpus("a")?, [3]);
    /// let twice = cluster.adopt(&plan).unwrap_err();
    /// assert_eq!(twice.class(), "job-collides");
    /// assert!(twice.message().contains("job 0"), "{twice}");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn adopt(&mut self, plan: &Plan) -> Result<JobId, Error> {
        if plan.form() == Form::Broadcast {
            let sentence =
                "the plan was read from a broadcast, which does not say what its job takes";
            return Err(Error::told("bad-plan", sentence));
        }
        let taken = self.nodes.adopt(plan.inner());
        taken.map_err(|error| self.collision(plan, &error))?;
        Ok(self.run(plan.clone(), None))
    }

    fn collision(&self, plan: &Plan, error: &AdoptError) -> Error {
        let (class, node) = match error {
            AdoptError::Untold => ("bad-plan", None),
            AdoptError::TooManyNodes => ("job-too-large", None),
            AdoptError::Hardware { .. } => ("job-collides", None),
            AdoptError::Cpus { node }
            | AdoptError::Gpus { node }
            | AdoptError::Slots { node, .. } => ("job-collides", Some(node)),
        };
        let holders = node.map_or_else(Vec::new, |node| self.holders(plan, node));
        let named = holders.iter().map(|job| format!("job {job}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let sentence = match named.is_empty() {
            true => error.to_string(),
            false => format!("{error}; {named} is there"),
        };
        Error::told(class, &sentence)
    }

    /// The jobs on a node whose cpus a plan wants; all jobs there if none has these.
    fn holders(&self, plan: &Plan, node: &str) -> Vec<JobId> {
        let there = self.jobs_on(node).unwrap_or_default();
        let cpus = |plan: &Plan| -> Vec<u32> {
            let procs = plan.node(node).map(|node| node.procs().collect::<Vec<_>>());
            let procs = procs.unwrap_or_default();
            procs.iter().flat_map(|proc| proc.cpus().iter()).collect()
        };
        let wanted = cpus(plan);
        let holds = |job: &&JobId| {
            let own = self.plan(**job).map(cpus).unwrap_or_default();
            own.iter().any(|cpu| wanted.contains(cpu))
        };
        let holders: Vec<JobId> = there.iter().filter(holds).copied().collect();
        if holders.is_empty() { there } else { holders }
    }

    /// The nodes and all jobs in bytes. [`Cluster::from_bytes`] reads them.
    ///
    /// Cost: linear in the jobs that run, and in the runs of equal nodes of each.
    /// ```
    /// use stowplan::{Cluster, Job, Machine, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut cluster = Cluster::new(machine.clone());
    /// let plan = cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
    /// let mut again = Cluster::from_bytes(&cluster.to_bytes(), &machine)?;
    /// assert_eq!(again.free_slots("a")?, 1);
    /// again.release(&plan)?;
    /// assert_eq!(again.free_slots("a")?, 4);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let jobs = self.jobs.iter();
        let jobs = jobs.map(|(job, running)| (job.0, running.plan.inner()));
        // The sum over the nodes and jobs does not cover this number: it is given twice, the second time with all bits turned.
        let mut bytes = self.next.to_le_bytes().to_vec();
        bytes.extend((!self.next).to_le_bytes());
        bytes.extend(self.nodes.to_bytes(jobs));
        bytes
    }

    /// Reads what [`Cluster::to_bytes`] wrote. `machine`: what is known about nodes that come later. The jobs keep their numbers, and
    /// [`Cluster::jobs`] has their plans.
    ///
    /// # Errors
    /// `bad-cluster` when the bytes are foreign, cut or damaged.
    /// ```
    /// # use stowplan::{Cluster, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// assert_eq!(Cluster::from_bytes(b"stow", &machine).unwrap_err().class(), "bad-cluster");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8], machine: &Machine) -> Result<Self, Error> {
        let bad = |why: &str| Error::told("bad-cluster", why);
        let (next, bytes) = bytes
            .split_first_chunk::<8>()
            .ok_or_else(|| bad("the bytes are cut off"))?;
        let (turned, bytes) = bytes
            .split_first_chunk::<8>()
            .ok_or_else(|| bad("the bytes are cut off"))?;
        let next = u64::from_le_bytes(*next);
        if next != !u64::from_le_bytes(*turned) || next == u64::MAX {
            return Err(bad("the number of the next job is damaged"));
        }
        let saved = workers::run(|| cluster::Cluster::from_bytes(bytes, machine.inner().clone()))?;
        let saved = saved.map_err(|error| bad(&error.to_string()))?;
        if saved.jobs.last().is_some_and(|&(last, _)| last >= next) {
            return Err(bad("a job has a number that was not given yet"));
        }
        let jobs = saved.jobs.into_iter().map(|(number, plan)| {
            let mapped = Mapped {
                plan,
                notes: Vec::new(),
                calls: Vec::new(),
            };
            let plan = Plan::of(mapped);
            (JobId(number), Running { plan, ticket: None })
        });
        Ok(Self {
            machine: machine.clone(),
            nodes: saved.cluster,
            jobs: jobs.collect(),
            next,
        })
    }
}
