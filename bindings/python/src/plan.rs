//! Plans: where processes are.

use crate::answers::{Difference, Explanation};
use crate::calls::{score, traffic};
use crate::columns::{self, CpuSets};
use crate::convert;
use crate::error::{not_known, not_placed, refused};
use crate::indices;
use crate::job::Job;
use crate::machine::Machine;
use crate::network::Network;
use crate::node::Node;
use crate::process::{Proc, Procs};
use crate::threads::{self, Threads};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

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
    fn from_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = bytes.py();
        let inner = stowplan::Plan::from_bytes(&convert::bytes(bytes)?);
        inner.map(Self::from).map_err(|error| refused(py, &error))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __getitem__<'py>(&self, rank: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let one = |at| Ok(Proc::new(&self.inner, u32::try_from(at)?));
        indices::items(rank, self.inner.len(), one)
    }

    fn __iter__(&self) -> Procs {
        Procs::new(&self.inner)
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

    /// The sets of GPUs, by the numbers in the column `gpus`: a list of lists.
    #[getter]
    fn gpusets(&self) -> Vec<Vec<u32>> {
        let gpus = self.inner.gpu_column();
        (0..gpus.sets())
            .filter_map(|id| gpus.set(id).map(<[u32]>::to_vec))
            .collect()
    }

    /// The numbers that people quote about the plan, in a line.
    #[getter]
    fn summary(&self) -> String {
        self.inner.summary().to_string()
    }

    /// How many apps the job has.
    #[getter]
    fn apps(&self) -> u32 {
        self.inner.apps()
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

    /// How much of a pattern's traffic leaves nodes and other objects, as `stowplan score --format json` says it: a dict.
    ///
    /// `pattern` is a text (`halo:50x48`), or several, which add up; `network` is a `Network`; `distances` a text (`0:1:3`);
    /// `files` has the contents of matrices.
    #[pyo3(signature = (pattern, *, network=None, distances=None, files=None))]
    fn score<'py>(
        &self,
        pattern: &Bound<'py, PyAny>,
        network: Option<&Network>,
        distances: Option<&str>,
        files: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let traffic = traffic(pattern, network, distances, files)?;
        score(pattern.py(), &self.inner, &traffic)
    }

    /// Where the OpenMP threads of a rank run, by the rules of a runtime (`gnu`, `llvm@19`, `intel`): `Threads`. The variables are
    /// those of the job.
    #[pyo3(signature = (rank, *, omp="gnu"))]
    fn threads(&self, rank: &Bound<'_, PyAny>, omp: &str) -> PyResult<Threads> {
        let at = u32::try_from(indices::index(rank, self.inner.len())?)?;
        threads::of_rank(rank.py(), &self.inner, at, omp)
    }

    /// Why a rank is where it is, and a change of one option that moves it.
    fn explain(&self, py: Python<'_>, rank: &Bound<'_, PyAny>) -> PyResult<Explanation> {
        let at = u32::try_from(indices::index(rank, self.inner.len())?)?;
        let told = py.detach(|| Explanation::new(&self.inner, at));
        told.ok_or_else(|| not_known(py))
    }

    /// The same shapes on the hosts that were granted, in order: node i of the plan is host i. `hosts` is a host list, or a list of
    /// names.
    ///
    /// With `machine`, the nodes of each topology take, in order, the hosts that have it. Without, the hosts are taken to have the
    /// plan's hardware. The notes say what was assumed and what differs.
    #[pyo3(signature = (hosts, machine=None))]
    fn onto(&self, hosts: &Bound<'_, PyAny>, machine: Option<&Machine>) -> PyResult<Self> {
        let py = hosts.py();
        let hosts: Vec<String> = match hosts.extract::<String>() {
            Ok(list) => vec![list],
            Err(_) => crate::items::items(hosts, |host| host.extract())?,
        };
        let carried = py.detach(|| match machine {
            Some(machine) => self.inner.onto_machine(&hosts, &machine.inner),
            None => self.inner.onto(&hosts),
        });
        carried.map(Self::from).map_err(|error| refused(py, &error))
    }

    /// What moved between this plan and another one.
    fn diff(&self, py: Python<'_>, other: &Self) -> Difference {
        py.detach(|| Difference::new(&self.inner, &other.inner))
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

    fn __hash__(&self) -> u64 {
        convert::hash(&self.inner.to_bytes())
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.inner.summary())
    }

    /// The picture, for a notebook.
    fn _repr_html_(&self) -> String {
        self.inner.picture()
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
