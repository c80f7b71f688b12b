//! What would work in place of a refused job: other jobs, each planned before it is told.

use crate::answers::explain::in_keys::in_keys;
use crate::answers::explain::refused::is_open;
use crate::answers::explain::remedies::remedies;
use crate::error::Remedies;
use crate::job::args::{JobArgs, MapArgs, Refusals, map_args};
use crate::job::error::JobError;
use crate::job::place::{place_on, resolve_on};
use crate::job::typed::Typed;
use crate::launchers::slurm::others_may_start;
use crate::placing::place_line;
use crate::{Error, Job, Machine, workers};
use std::cell::Cell;
use std::sync::Arc;
use stowplan_engine::cluster::{Among, Cluster};
use stowplan_engine::plan::Plan;

/// The most jobs that are tried.
const TRIES: u32 = 100;

/// A job that a machine refused, or the nodes of a cluster of this machine.
struct Tried {
    job: Job,
    machine: Machine,
    nodes: Option<Box<Cluster>>,
}

/// The refusal of a job by a machine; its help tells what would work, if the words of the job are known and others may avoid the
/// refusal.
pub(crate) fn beside(error: Error, job: &Job, machine: &Machine) -> Error {
    told(error, job, machine, || None)
}

/// The refusal of a job by the nodes of a cluster as they are now.
pub(crate) fn beside_in(error: Error, job: &Job, machine: &Machine, nodes: &Cluster) -> Error {
    told(error, job, machine, || Some(Box::new(nodes.clone())))
}

fn told(
    error: Error,
    job: &Job,
    machine: &Machine,
    nodes: impl FnOnce() -> Option<Box<Cluster>>,
) -> Error {
    let may_start = match job.is_line() {
        true => others_may_start(error.class()),
        false => *job.typed() != Typed::Nothing && is_open(error.class()),
    };
    if !may_start {
        return error;
    }
    error.mended_by(Arc::new(Tried {
        job: job.clone(),
        machine: machine.clone(),
        nodes: nodes(),
    }))
}

impl Remedies for Tried {
    fn remedies(&self) -> Vec<String> {
        if self.job.is_line() {
            return self.lines();
        }
        workers::share(|| self.search()).unwrap_or_default()
    }
}

impl Tried {
    /// What the launcher's folder says of its own line, lines that would start among it.
    fn lines(&self) -> Vec<String> {
        let placed = self
            .machine
            .changed_by(self.job.args())
            .map(|machine| place_line(&self.job, &machine, Refusals::Helped));
        match placed {
            Ok(Err(refused)) => refused.help(),
            Ok(Ok(_)) | Err(_) => Vec::new(),
        }
    }

    fn search(&self) -> Vec<String> {
        let Err(error) = self.plan(self.job.asked()) else {
            return Vec::new();
        };
        let tries = Cell::new(0);
        let one_more = || {
            tries.set(tries.get() + 1);
            match tries.get() > TRIES {
                true => Err(error.clone()),
                false => Ok(()),
            }
        };
        match self.job.typed() {
            Typed::Words(words) => {
                let found = remedies(words, &error, &|words| {
                    one_more()?;
                    self.plan(map_args(words)?)
                });
                found.iter().map(ToString::to_string).collect()
            }
            Typed::Request(text) => {
                in_keys(text.as_bytes(), &JobArgs::default(), &error, &|asked| {
                    one_more()?;
                    self.plan(asked)
                })
            }
            Typed::Nothing => Vec::new(),
        }
    }

    fn plan(&self, asked: MapArgs) -> Result<Plan, JobError> {
        let (machine, files) = (self.machine.inner(), self.job.files());
        let Some(nodes) = &self.nodes else {
            return Ok(place_on(machine, asked, files)?.plan);
        };
        let (resolved, _) = resolve_on(machine, asked, files)?;
        let mapped = nodes.as_ref().clone().place(resolved, &Among::default())?;
        Ok(mapped.plan)
    }
}
