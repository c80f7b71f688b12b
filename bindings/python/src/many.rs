//! Many jobs placed at once.

use crate::error::{bad_value, not_placed, of_many};
use crate::job::{Job, line_words};
use crate::machine::Machine;
use crate::plan::Plan;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rayon::prelude::*;

/// A job as it was given. Command lines are read when they are placed, which is on all cores.
enum Given {
    Job(stowplan::Job),
    Words(Vec<String>),
}

impl Given {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if Job::is_line(given) {
            return Ok(Self::Words(line_words(given)?));
        }
        Ok(Self::Job(Job::of(given)?.inner))
    }

    fn place(&self, machine: &stowplan::Machine) -> Result<stowplan::Plan, stowplan::Error> {
        match self {
            Self::Job(job) => stowplan::Plan::new(job, machine),
            Self::Words(words) => {
                stowplan::Plan::new(&stowplan::Job::from_command_line(words)?, machine)
            }
        }
    }
}

/// Places many jobs, using all cores, each as if it had the machine to itself: the list of their plans.
///
/// If jobs are refused, raises the error of the first, with its number as `index` and in the sentence, and with `plans`: what became
/// of each job, a plan or an error. With `refused="keep"` this list is returned instead.
#[pyfunction]
#[pyo3(signature = (jobs, machine, *, refused="raise"))]
pub(crate) fn place_many<'py>(
    jobs: &Bound<'py, PyAny>,
    machine: &Machine,
    refused: &str,
) -> PyResult<Bound<'py, PyList>> {
    let py = jobs.py();
    let keep = match refused {
        "keep" => true,
        "raise" => false,
        _ => return Err(bad_value(py, "refused is \"raise\" or \"keep\"")),
    };
    if jobs.is_instance_of::<PyString>() {
        // Each of its characters would be taken for a job.
        return Err(PyTypeError::new_err(
            "jobs are a list, not a str: place takes one job",
        ));
    }
    // Not collected: the length that an iterator hints at may be anything.
    let mut given: Vec<PyResult<Given>> = Vec::new();
    for job in jobs.try_iter()? {
        given.push(job.and_then(|job| Given::of(&job)));
    }
    let read: Vec<Option<&Given>> = given.iter().map(|job| job.as_ref().ok()).collect();
    // This call starts its own threads: a child of fork does not have the threads of an earlier call.
    let placed: Vec<Option<Result<stowplan::Plan, stowplan::Error>>> = py.detach(|| {
        let place = |job: &Option<&Given>| Some(job.as_ref()?.place(&machine.inner));
        match rayon::ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(|| read.par_iter().map(place).collect()),
            Err(_) => read.iter().map(place).collect(),
        }
    });
    let all = PyList::empty(py);
    let mut first = None;
    for (at, (job, placed)) in given.into_iter().zip(placed).enumerate() {
        let refused = match (job, placed) {
            (Err(error), _) => error,
            (Ok(_), Some(Ok(plan))) => {
                all.append(Plan::from(plan))?;
                continue;
            }
            (Ok(_), Some(Err(error))) => not_placed(py, &error),
            (Ok(_), None) => continue,
        };
        // A wrong type is no refusal.
        if refused.is_instance_of::<PyTypeError>(py) {
            let sentence = refused.value(py);
            return Err(PyTypeError::new_err(format!("job {at}: {sentence}")));
        }
        if !refused.is_instance_of::<crate::error::Error>(py) {
            return Err(refused);
        }
        all.append(refused.value(py))?;
        first.get_or_insert((at, refused));
    }
    match first {
        Some((at, refused)) if !keep => Err(of_many(&refused, at, &all)),
        Some(_) | None => Ok(all),
    }
}
