//! Jobs side by side on the same nodes.

use crate::error::{not_placed, refused};
use crate::job::Job;
use crate::machine::Machine;
use crate::plan::Plan;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nodes that jobs share: each job gets what earlier jobs left free.
#[pyclass(frozen, module = "stowplan", name = "Cluster")]
pub(crate) struct Cluster {
    inner: Mutex<stowplan::Cluster>,
}

impl Cluster {
    fn lock(&self) -> MutexGuard<'_, stowplan::Cluster> {
        // Neither a refused job nor a panic changes the cluster.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Cluster {
    #[new]
    fn new(machine: Machine) -> Self {
        let inner = Mutex::new(stowplan::Cluster::new(machine.inner));
        Self { inner }
    }

    /// Places a job on the slots and cpus that are free.
    fn place(&self, job: &Bound<'_, PyAny>) -> PyResult<Plan> {
        let py = job.py();
        let job = Job::of(job)?;
        let placed = py.detach(|| self.lock().place(&job.inner));
        let placed = placed.map_err(|error| not_placed(py, &error))?;
        Ok(Plan::from(placed))
    }

    /// Frees what a plan of this cluster took.
    fn release(&self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let released = py.detach(|| self.lock().release(&plan.inner));
        released.map_err(|error| refused(py, &error))
    }
}
