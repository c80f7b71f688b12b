//! Why a job does not start now, and which jobs it waits for.

use super::{Cluster, JobId, Standing, ToJob};
use crate::{Error, Job};
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
    opened: Opened,
}

/// Whether it would start if all nodes were up: this was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Opened {
    /// No, or all nodes are up.
    Refused,
    /// Yes, on top of these nodes that are down or drained now.
    Starts(Vec<String>),
    /// Once no other job runs, too.
    StartsAlone(Vec<String>),
}

impl Opened {
    const fn nodes(&self) -> Option<&Vec<String>> {
        match self {
            Self::Refused => None,
            Self::Starts(nodes) | Self::StartsAlone(nodes) => Some(nodes),
        }
    }
}

/// The most nodes that a sentence names.
const NAMED: usize = 8;

impl Waiting {
    /// The refusal. Its help tells what would work now, planned on the nodes as they are.
    #[must_use]
    pub const fn error(&self) -> &Error {
        &self.error
    }
    /// The jobs, oldest first, after whose end the job starts: this was tried. `None`: it does not start even if all jobs end, while
    /// nodes that are down or drained stay so. `Display` names these nodes if it would start on them.
    #[must_use]
    pub fn waits_for(&self) -> Option<&[JobId]> {
        self.waits_for.as_deref()
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.error)?;
        if let Some(jobs) = self.waits_for() {
            let jobs = jobs.iter().map(ToString::to_string);
            let jobs = jobs.collect::<Vec<_>>().join(", ");
            write!(f, "it starts when these jobs have ended: {jobs}")?;
        }
        let begun = match (self.waits_for(), &self.opened) {
            (Some(_), Opened::Starts(_)) => "\nor when these nodes are up: ",
            (None, Opened::Starts(_)) => "it starts when these nodes are up: ",
            (None, Opened::StartsAlone(_)) => {
                "it starts when no other job runs and these nodes are up: "
            }
            (None, Opened::Refused) => "it does not fit even when no other job runs",
            (Some(_), Opened::StartsAlone(_) | Opened::Refused) => return Ok(()),
        };
        f.write_str(begun)?;
        let nodes = self.opened.nodes().map_or(&[][..], Vec::as_slice);
        f.write_str(&nodes[..nodes.len().min(NAMED)].join(", "))?;
        match nodes.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl Cluster {
    /// Why a job does not start now; `None` if it does. Nothing changes.
    ///
    /// Cost: as [`Cluster::place`] and the release of all jobs, some ten times, some twenty if nodes are down or drained.
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
        let job = match job.to_job() {
            Ok(job) => job,
            Err(error) => {
                return Some(Waiting {
                    error,
                    waits_for: None,
                    opened: Opened::Refused,
                });
            }
        };
        let job = job.as_ref();
        let error = self.try_place(job).err()?;
        let jobs: Vec<JobId> = self.jobs.keys().copied().collect();
        let fits = |ended: usize| {
            let mut later = self.clone();
            let released = jobs[..ended]
                .iter()
                .try_for_each(|&job| later.release_job(job));
            released.is_ok() && later.tried(job).is_ok()
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
        Some(Waiting {
            error,
            waits_for,
            opened: self.opened(job),
        })
    }

    /// Whether a job that is refused would start if all nodes were up.
    fn opened(&self, job: &Job) -> Opened {
        let closed = self.nodes().filter(|node| node.standing() != Standing::Up);
        let closed: Vec<String> = closed.map(|node| node.name()).collect();
        let mut open = self.clone();
        if closed.is_empty() || open.up(&closed.join(",")).is_err() {
            return Opened::Refused;
        }
        if open.tried(job).is_ok() {
            return Opened::Starts(open.needed(closed, job));
        }
        let jobs: Vec<JobId> = self.jobs.keys().copied().collect();
        let released = jobs.iter().try_for_each(|&job| open.release_job(job));
        match released.and_then(|()| open.tried(job)) {
            Ok(_) => Opened::StartsAlone(open.needed(closed, job)),
            Err(_) => Opened::Refused,
        }
    }

    /// Of these nodes, those that a job needs to be up; all of them if they are too many to name.
    fn needed(mut self, nodes: Vec<String>, job: &Job) -> Vec<String> {
        if nodes.len() > NAMED {
            return nodes;
        }
        let mut needed = nodes;
        for at in (0..needed.len()).rev() {
            let mut fewer = self.clone();
            if fewer.down(&needed[at]).is_ok() && fewer.tried(job).is_ok() {
                self = fewer;
                needed.remove(at);
            }
        }
        needed
    }
}
