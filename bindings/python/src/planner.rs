//! Plans one job again each time it loses nodes.

use crate::asking::{Raised, outside};
use crate::error::{not_placed, refused};
use crate::job::Job;
use crate::machine::Machine;
use crate::plan::Plan;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Plans one job again each time it loses nodes. A plan costs only what no earlier plan worked out.
#[pyclass(frozen, module = "stowplan", name = "Planner")]
pub(crate) struct Planner {
    inner: Mutex<stowplan::Planner>,
    raised: Raised,
}

impl Planner {
    pub(crate) fn of(inner: stowplan::Planner, raised: Raised) -> Self {
        let inner = Mutex::new(inner);
        Self { inner, raised }
    }

    /// Works on the planner without holding the interpreter's lock, which components may need.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut stowplan::Planner) -> T + Send,
    ) -> PyResult<T> {
        outside()?;
        // A refused plan leaves the planner usable.
        Ok(py.detach(|| work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

#[pymethods]
impl Planner {
    #[new]
    fn new(job: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Self> {
        let py = job.py();
        let job = Job::of(job)?;
        let made = py.detach(|| stowplan::Planner::new(&job.inner, &machine.inner));
        let made = made.map_err(|error| not_placed(py, &error))?;
        Ok(Self::of(made, Raised::default()))
    }

    /// Places the job on the nodes that are left. If it is refused, the planner stays usable.
    fn plan(&self, py: Python<'_>) -> PyResult<Plan> {
        let placed = self.work(py, |planner| planner.plan())?;
        self.raised.or_refused(py, placed).map(Plan::from)
    }

    /// Takes a node away. Later plans do not use it, and the nodes after it move up by one.
    fn lose(&self, py: Python<'_>, node: &str) -> PyResult<()> {
        let lost = self.work(py, |planner| planner.lose(node))?;
        lost.map_err(|error| refused(py, &error))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.work(py, |planner| format!("<{planner:?}>"))
    }
}
