//! Why a job does not start now, and which jobs it waits for.

use super::{Cluster, JobId, ToJob};
use crate::Error;
use std::fmt;

/// Why a job does not start now. `Display` writes it as sentences.
///
/// ```
/// use stowplan::{Cluster, Job, Machine, Topology};
/// let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
/// let first = cluster.place(&Job::from_command_line(["-n", "3", "-H", "a:4", "./x"])?)?;
/// let next = Job::from_command_line(["-n", "2", "./y"])?;
/// let waiting = cluster.explain(&next).ok_or("there is one slot")?;
/// assert_eq!(waiting.error().class(), "not-enough-slots");
/// assert_eq!(waiting.waits_for(), Some(&[cluster.job_of(&first).ok_or("it runs")?][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    error: Error,
    waits_for: Option<Vec<JobId>>,
}

impl Waiting {
    /// The refusal.
    #[must_use]
    pub const fn error(&self) -> &Error {
        &self.error
    }
    /// The jobs, oldest first, after whose end the job starts: this was tried. `None`: it does not start even if all jobs end.
    #[must_use]
    pub fn waits_for(&self) -> Option<&[JobId]> {
        self.waits_for.as_deref()
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.error)?;
        match self.waits_for() {
            None => f.write_str("it does not fit even when no other job runs"),
            Some(jobs) => {
                let jobs = jobs.iter().map(ToString::to_string);
                let jobs = jobs.collect::<Vec<_>>().join(", ");
                write!(f, "it starts when these jobs have ended: {jobs}")
            }
        }
    }
}

impl Cluster {
    /// Why a job does not start now; `None` if it does. Nothing changes.
    ///
    /// Cost: as [`Cluster::place`] and the release of all jobs, some ten times.
    /// ```
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// cluster.add_nodes("a:4")?;
    /// assert_eq!(cluster.explain(&Job::from_command_line(["-n", "4", "./x"])?), None);
    /// let never = cluster.explain(&Job::from_command_line(["-n", "5", "./x"])?).ok_or("four slots")?;
    /// assert_eq!(never.waits_for(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, job: &(impl ToJob + ?Sized)) -> Option<Waiting> {
        let error = self.try_place(job).err()?;
        let jobs: Vec<JobId> = self.jobs.keys().copied().collect();
        let fits = |ended: usize| {
            let mut later = self.clone();
            let released = jobs[..ended]
                .iter()
                .try_for_each(|&job| later.release_job(job));
            released.is_ok() && later.try_place(job).is_ok()
        };
        let waits_for = fits(jobs.len()).then(|| {
            let (mut refused, mut fit) = (0, jobs.len());
            while fit - refused > 1 {
                let middle = usize::midpoint(refused, fit);
                if fits(middle) {
                    fit = middle;
                } else {
                    refused = middle;
                }
            }
            jobs[..fit].to_vec()
        });
        Some(Waiting { error, waits_for })
    }
}
