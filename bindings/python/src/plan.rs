//! Plans: where processes are.

use crate::answers::{Difference, Explanation};
use crate::columns::{self, CpuSets};
use crate::error::{not_known, not_placed, refused};
use crate::job::Job;
use crate::machine::Machine;
use crate::process::{Node, Proc, index};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyString};
use rayon::prelude::*;

/// Where every process of a job is.
#[pyclass(frozen, eq, sequence, module = "stowplan", name = "Plan")]
#[derive(PartialEq)]
pub(crate) struct Plan {
    pub(crate) inner: stowplan::Plan,
}

impl From<stowplan::Plan> for Plan {
    fn from(inner: stowplan::Plan) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Plan {
    /// Reads what `to_bytes` or `to_broadcast` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let inner = stowplan::Plan::from_bytes(bytes);
        inner.map(Self::from).map_err(|error| refused(py, &error))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __getitem__(&self, rank: &Bound<'_, PyAny>) -> PyResult<Proc> {
        let at = index(rank, self.inner.len())?;
        Ok(Proc::new(&self.inner, u32::try_from(at)?))
    }

    fn __iter__(&self) -> Procs {
        Procs {
            plan: self.inner.clone(),
            next: 0,
        }
    }

    /// The names of the nodes, by number.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        self.inner
            .nodes()
            .map(|node| node.name().to_owned())
            .collect()
    }

    /// A node by name.
    fn node(&self, name: &str) -> PyResult<Node> {
        Node::of(&self.inner, name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// The columns by name, each a read-only memoryview of 32-bit numbers, one for each rank.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::dict(py, &self.inner)
    }

    /// The cpu sets, by the numbers in the column `cpuset`.
    #[getter]
    fn cpusets(&self) -> CpuSets {
        CpuSets::new(&self.inner)
    }

    /// The rows as an Arrow stream: `pyarrow.table(plan)`, `polars.DataFrame(plan)`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may request another schema, but must accept ours if it does not get that one.
        let _ = requested_schema;
        columns::stream(py, &self.inner)
    }

    /// The node of each rank, as a task map of Flux (RFC 34).
    fn task_map(&self, py: Python<'_>) -> PyResult<String> {
        let map = self.inner.task_map().map_err(|error| refused(py, &error))?;
        Ok(map.to_string())
    }

    /// The whole plan in bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// The part of the plan that every daemon needs, in bytes.
    fn to_broadcast<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_broadcast())
    }

    /// Verifies the plan from its promises, and raises `Error` if one is broken.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let judged = py.detach(|| self.inner.check());
        judged.map_err(|error| refused(py, &error))
    }

    /// Why a rank is where it is, and a change of one option that moves it.
    fn explain(&self, py: Python<'_>, rank: &Bound<'_, PyAny>) -> PyResult<Explanation> {
        let at = u32::try_from(index(rank, self.inner.len())?)?;
        let told = py.detach(|| Explanation::new(&self.inner, at));
        told.ok_or_else(|| not_known(py))
    }

    /// What moved between this plan and another one.
    fn diff(&self, py: Python<'_>, other: &Self) -> Difference {
        py.detach(|| self.inner.diff(&other.inner)).into()
    }

    /// A picture: an SVG image without script, of at most 300 kB.
    fn picture(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.picture())
    }

    /// The picture as a page for a browser, with a field to search for a rank.
    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.html())
    }

    /// The notes that the command prints, one string each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes().iter().map(ToString::to_string).collect()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.inner.summary())
    }

    /// The picture, for a notebook.
    fn _repr_html_(&self) -> String {
        self.inner.picture()
    }
}

/// The processes of a plan, in rank order.
#[pyclass(module = "stowplan")]
struct Procs {
    plan: stowplan::Plan,
    next: u32,
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

/// Places a job, or the job of a command line, on a machine.
#[pyfunction]
pub(crate) fn place(job: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Plan> {
    let py = job.py();
    let job = Job::of(job)?;
    let placed = py.detach(|| stowplan::Plan::new(&job.inner, &machine.inner));
    placed
        .map(Plan::from)
        .map_err(|error| not_placed(py, &error))
}

/// Makes and drops the engine's own table, and returns its number of rows. The speed test compares Python's columns with it.
#[pyfunction]
pub(crate) fn _table(py: Python<'_>, plan: &Plan) -> usize {
    py.detach(|| std::hint::black_box(plan.inner.table()).len())
}

/// Places many jobs, using all cores, each as if it had the machine to itself. If jobs are refused, raises the error of the first.
#[pyfunction]
pub(crate) fn place_many(jobs: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Vec<Plan>> {
    let py = jobs.py();
    if jobs.is_instance_of::<PyString>() {
        // Each of its characters would be taken for a job.
        return Err(PyTypeError::new_err(
            "jobs are a list, not a str: place takes one job",
        ));
    }
    // Not collected: the length that an iterator hints at may be anything.
    let mut read: Vec<PyResult<Job>> = Vec::new();
    for job in jobs.try_iter()? {
        read.push(job.and_then(|job| Job::of(&job)));
    }
    let jobs = read;
    // This call starts its own threads: a child of fork does not have the threads of an earlier call.
    let placed: Vec<Option<Result<stowplan::Plan, stowplan::Error>>> = py.detach(|| {
        let place = |job: &PyResult<Job>| {
            let job = job.as_ref().ok()?;
            Some(stowplan::Plan::new(&job.inner, &machine.inner))
        };
        match rayon::ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(|| jobs.par_iter().map(place).collect()),
            Err(_) => jobs.iter().map(place).collect(),
        }
    });
    let one = |(job, placed): (PyResult<Job>, Option<Result<_, stowplan::Error>>)| {
        job?;
        match placed {
            Some(Ok(plan)) => Ok(Plan::from(plan)),
            Some(Err(error)) => Err(not_placed(py, &error)),
            None => unreachable!("a job that was read is placed or refused"),
        }
    };
    jobs.into_iter().zip(placed).map(one).collect()
}
