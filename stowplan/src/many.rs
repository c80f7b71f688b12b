//! Many jobs placed at once, each for itself.

use crate::{Error, Job, Machine, Plan, workers};
use rayon::prelude::*;

impl Plan {
    /// Places many jobs, each as if it had the machine to itself, on all workers. There is an answer for each job, in their order:
    /// a refused job does not hinder the others.
    ///
    /// Cost: that of [`Plan::new`] for each job, shared between the workers.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = |procs| Job::from_command_line(["-n", procs, "-H", "a:4", "./x"]);
    /// let plans = Plan::many(&[job("4")?, job("5")?, job("2")?], &machine);
    /// let ranks: Vec<Option<usize>> = plans.iter().map(|plan| plan.as_ref().ok().map(Plan::len)).collect();
    /// assert_eq!(ranks, [Some(4), None, Some(2)]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn many(jobs: &[Job], machine: &Machine) -> Vec<Result<Self, Error>> {
        let place = |job: &Job| Self::new(job, machine);
        workers::share(|| jobs.par_iter().map(place).collect())
            .unwrap_or_else(|_| jobs.iter().map(place).collect())
    }
}
