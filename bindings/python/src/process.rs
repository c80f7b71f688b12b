//! Processes of a plan.

use crate::convert;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

/// One process of a plan. It is also a row: its fields in the order of `_fields`, which `pandas.DataFrame(plan)` takes as columns.
#[pyclass(frozen, module = "stowplan", name = "Proc")]
pub(crate) struct Proc {
    plan: stowplan::Plan,
    rank: u32,
}

impl Proc {
    pub(crate) fn new(plan: &stowplan::Plan, rank: u32) -> Self {
        let plan = plan.clone();
        Self { plan, rank }
    }

    fn inner(&self) -> PyResult<stowplan::Proc<'_>> {
        let rank = stowplan::Rank::new(self.rank);
        self.plan
            .proc(rank)
            .ok_or_else(|| PyIndexError::new_err("no such rank"))
    }

    /// What the process is, to be compared.
    fn row(&self) -> PyResult<Row> {
        let proc = self.inner()?;
        Ok((
            [
                self.rank,
                proc.app(),
                proc.app_rank(),
                proc.local_rank(),
                proc.node_rank(),
            ],
            proc.node().name().to_owned(),
            proc.object(),
            proc.cpus().to_string(),
            proc.gpus().to_vec(),
            proc.nics().to_vec(),
        ))
    }
}

type Row = (
    [u32; 5],
    String,
    Option<stowplan::Object>,
    String,
    Vec<u32>,
    Vec<String>,
);

/// Numbers with commas between; `None` if there are none.
pub(crate) fn list(numbers: &[u32]) -> Option<String> {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    (!words.is_empty()).then(|| words.join(","))
}

#[pymethods]
impl Proc {
    /// Its rank in the job.
    #[getter]
    fn rank(&self) -> u32 {
        self.rank
    }
    /// The number of its app.
    #[getter]
    fn app(&self) -> PyResult<u32> {
        Ok(self.inner()?.app())
    }
    /// Its rank in the app.
    #[getter]
    fn app_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.app_rank())
    }
    /// Its number on its node among the job's processes.
    #[getter]
    fn local_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.local_rank())
    }
    /// Its number on its node among the processes of all jobs.
    #[getter]
    fn node_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.node_rank())
    }
    /// The name of its node.
    #[getter]
    fn node(&self) -> PyResult<String> {
        Ok(self.inner()?.node().name().to_owned())
    }
    /// The cpus it is bound to, by OS number, as `0-3,128`; empty if it is unbound.
    #[getter]
    fn cpus(&self) -> PyResult<String> {
        Ok(self.inner()?.cpus().to_string())
    }
    /// The same cpus as a list of numbers.
    #[getter]
    fn cpu_list(&self) -> PyResult<Vec<u32>> {
        Ok(self.inner()?.cpus().iter().collect())
    }
    /// The GPUs it is given, by the numbers that `CUDA_VISIBLE_DEVICES` takes.
    #[getter]
    fn gpus(&self) -> PyResult<Vec<u32>> {
        Ok(self.inner()?.gpus().to_vec())
    }
    /// The network cards that it is mapped to with `--map-by device=nic`, by name.
    #[getter]
    fn nics(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.nics().to_vec())
    }
    /// How many threads it should run: what its map says, otherwise the number of its cores. None if it is unbound.
    #[getter]
    fn threads(&self) -> Option<u32> {
        self.plan.threads_of(stowplan::Rank::new(self.rank))
    }
    /// The object it was mapped to, as `core:5`; None if it was not mapped to one.
    #[getter]
    fn object(&self) -> PyResult<Option<String>> {
        Ok(self.inner()?.object().map(|object| object.to_string()))
    }
    /// The names of the columns of the row.
    #[getter]
    fn _fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut names = vec![
            "rank",
            "app",
            "app_rank",
            "node",
            "local_rank",
            "node_rank",
            "object",
            "cpus",
        ];
        if self.plan.has_devices_or_threads() {
            names.extend(["gpus", "threads"]);
        }
        PyTuple::new(py, names)
    }

    fn __len__(&self) -> usize {
        8 + 2 * usize::from(self.plan.has_devices_or_threads())
    }

    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.tuple(at.py())?.into_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tuple(py)?.try_iter()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(false);
        };
        Ok(self.row()? == other.get().row()?)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(convert::hash(&self.row()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Bound<'py, PyAny>, u32)> {
        let read = py.import("operator")?.getattr("getitem")?;
        Ok((read, (convert::plan(py, &self.plan)?, self.rank)))
    }

    fn __repr__(&self) -> PyResult<String> {
        let proc = self.inner()?;
        Ok(format!(
            "<rank {} on {}, cpus {}>",
            self.rank,
            proc.node().name(),
            proc.cpus()
        ))
    }
}

impl Proc {
    /// The row: what has no value is None.
    fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let proc = self.inner()?;
        let cpus = Some(proc.cpus().to_string()).filter(|cpus| !cpus.is_empty());
        let mut row = vec![
            self.rank.into_bound_py_any(py)?,
            proc.app().into_bound_py_any(py)?,
            proc.app_rank().into_bound_py_any(py)?,
            proc.node().name().into_bound_py_any(py)?,
            proc.local_rank().into_bound_py_any(py)?,
            proc.node_rank().into_bound_py_any(py)?,
            self.object()?.into_bound_py_any(py)?,
            cpus.into_bound_py_any(py)?,
        ];
        if self.plan.has_devices_or_threads() {
            row.push(list(proc.gpus()).into_bound_py_any(py)?);
            row.push(self.threads().into_bound_py_any(py)?);
        }
        PyTuple::new(py, row)
    }
}

/// The processes of a plan, in rank order.
#[pyclass(module = "stowplan")]
pub(crate) struct Procs {
    plan: stowplan::Plan,
    next: u32,
}

impl Procs {
    pub(crate) fn new(plan: &stowplan::Plan) -> Self {
        let plan = plan.clone();
        Self { plan, next: 0 }
    }
}

#[pymethods]
impl Procs {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }
    fn __next__(&mut self) -> Option<Proc> {
        let rank = self.next;
        if rank as usize >= self.plan.len() {
            return None;
        }
        self.next += 1;
        Some(Proc::new(&self.plan, rank))
    }
}
