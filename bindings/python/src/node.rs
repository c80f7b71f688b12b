//! Nodes of a plan.

use crate::convert;
use crate::indices;
use crate::process::Proc;
use crate::topology::Topology;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyRange};

/// One node of a plan; also the sequence of its processes, by local rank.
#[pyclass(frozen, sequence, module = "stowplan", name = "Node")]
pub(crate) struct Node {
    plan: stowplan::Plan,
    name: String,
}

impl Node {
    /// The node of this name, if the plan has it.
    pub(crate) fn of(plan: &stowplan::Plan, name: &str) -> Option<Self> {
        let node = plan.node(name)?;
        let name = node.name().to_owned();
        Some(Self {
            plan: plan.clone(),
            name,
        })
    }

    fn inner(&self) -> PyResult<stowplan::Node<'_>> {
        self.plan
            .node(&self.name)
            .ok_or_else(|| PyIndexError::new_err("no such node"))
    }

    fn own_ranks(&self) -> PyResult<Vec<u32>> {
        let procs = self.inner()?.procs();
        Ok(procs.map(|proc| proc.rank().into()).collect())
    }
}

#[pymethods]
impl Node {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }
    /// Its number: nodes are numbered in order of first mention, from 0.
    #[getter]
    fn number(&self) -> PyResult<u32> {
        Ok(self.inner()?.number())
    }
    /// The slots that are free behind the job. None if the plan was read from a broadcast.
    #[getter]
    fn slots_free(&self) -> PyResult<Option<u32>> {
        Ok(self.inner()?.slots_free())
    }
    /// Its hardware. None if the plan was read from a broadcast.
    #[getter]
    fn topology(&self) -> PyResult<Option<Topology>> {
        Ok(self.inner()?.topology().map(Topology::of_node))
    }
    /// The ranks on it, by local rank: a range if the step between them is constant, otherwise a list.
    #[getter]
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ranks = self.own_ranks()?;
        let step = match ranks.as_slice() {
            [first, second, ..] => isize::try_from(i64::from(*second) - i64::from(*first))?,
            _ => 1,
        };
        let wide = |rank: &u32| isize::try_from(*rank);
        let even = step != 0
            && ranks
                .windows(2)
                .all(|pair| i64::from(pair[1]) - i64::from(pair[0]) == step as i64);
        match (ranks.first(), ranks.last()) {
            (Some(first), Some(last)) if even => {
                let end = wide(last)? + step.signum();
                Ok(PyRange::new_with_step(py, wide(first)?, end, step)?.into_any())
            }
            (None, _) => Ok(PyRange::new(py, 0, 0)?.into_any()),
            _ => Ok(PyList::new(py, ranks)?.into_any()),
        }
    }
    /// The part of the plan that the daemon of this node needs, in bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner()?.to_bytes()))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.inner()?.procs().len())
    }

    fn __getitem__<'py>(&self, local_rank: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ranks = self.own_ranks()?;
        let one = |at: usize| Ok(Proc::new(&self.plan, ranks[at]));
        indices::items(local_rank, ranks.len(), one)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let ranks = self.own_ranks()?.into_iter();
        let procs: Vec<Proc> = ranks.map(|rank| Proc::new(&self.plan, rank)).collect();
        procs.into_bound_py_any(py)?.try_iter()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(false);
        };
        let other = other.get();
        Ok(self.name == other.name && self.plan == other.plan)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(convert::hash(&(&self.name, self.own_ranks()?)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Bound<'py, PyAny>, String)> {
        let read = convert::class(py, "Plan")?.getattr("node")?;
        Ok((read, (convert::plan(py, &self.plan)?, self.name.clone())))
    }

    fn __repr__(&self) -> PyResult<String> {
        let node = self.inner()?;
        Ok(format!(
            "<node {} with {} ranks>",
            self.name,
            node.procs().len()
        ))
    }
}

/// The part of a plan that the daemon of one node needs: the processes of the node.
#[pyclass(frozen, sequence, module = "stowplan", name = "NodeSlice")]
#[derive(Clone)]
pub(crate) struct NodeSlice {
    inner: stowplan::NodeSlice,
    bytes: std::sync::Arc<[u8]>,
}

#[pymethods]
impl NodeSlice {
    /// Reads what `Node.to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = bytes.py();
        let bytes = convert::bytes(bytes)?;
        let inner = stowplan::NodeSlice::from_bytes(&bytes);
        let inner = inner.map_err(|error| crate::error::refused(py, &error))?;
        let bytes = bytes.into();
        Ok(Self { inner, bytes })
    }
    /// The bytes it was read from.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }
    /// The node's name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }
    /// Processes of the whole job.
    #[getter]
    fn job_size(&self) -> u32 {
        self.inner.ranks()
    }
    fn __len__(&self) -> usize {
        self.inner.len()
    }
    fn __getitem__<'py>(&self, local_rank: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        indices::items(local_rank, self.inner.len(), |at| self.proc(at))
    }
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let procs: PyResult<Vec<SliceProc>> =
            (0..self.inner.len()).map(|at| self.proc(at)).collect();
        procs?.into_bound_py_any(py)?.try_iter()
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.bytes == other.get().bytes)
    }
    fn __hash__(&self) -> u64 {
        convert::hash(&self.bytes)
    }
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py),)))
    }
    fn __repr__(&self) -> String {
        format!(
            "<slice of {} with {} ranks>",
            self.inner.name(),
            self.inner.len()
        )
    }
}

impl NodeSlice {
    fn proc(&self, at: usize) -> PyResult<SliceProc> {
        let found = self.inner.procs().nth(at);
        let proc = found.ok_or_else(|| PyIndexError::new_err("no such local rank"))?;
        Ok(SliceProc {
            slice: self.clone(),
            at,
            rank: proc.rank().into(),
            app: proc.app(),
            app_rank: proc.app_rank(),
            local_rank: proc.local_rank(),
            node_rank: proc.node_rank(),
            node: self.inner.name().to_owned(),
            object: proc.object().map(|object| object.to_string()),
            cpus: proc.cpus().to_string(),
            cpu_list: proc.cpus().iter().collect(),
            gpus: proc.gpus().to_vec(),
            nics: proc.nics().to_vec(),
        })
    }
}

/// A process of a slice.
#[pyclass(frozen, module = "stowplan", name = "SliceProc")]
pub(crate) struct SliceProc {
    slice: NodeSlice,
    at: usize,
    /// Its rank in the job.
    #[pyo3(get)]
    rank: u32,
    /// The number of its app.
    #[pyo3(get)]
    app: u32,
    /// Its rank in the app.
    #[pyo3(get)]
    app_rank: u32,
    /// Its number on the node among the job's processes.
    #[pyo3(get)]
    local_rank: u32,
    /// Its number on the node among the processes of all jobs.
    #[pyo3(get)]
    node_rank: u32,
    /// The name of the node.
    #[pyo3(get)]
    node: String,
    /// The object it was mapped to, as `core:5`; None if it was not mapped to one.
    #[pyo3(get)]
    object: Option<String>,
    /// The cpus it is bound to, by OS number, as `0-3,128`; empty if it is unbound.
    #[pyo3(get)]
    cpus: String,
    /// The same cpus as a list of numbers.
    #[pyo3(get)]
    cpu_list: Vec<u32>,
    /// The GPUs it is given, by the numbers that `CUDA_VISIBLE_DEVICES` takes.
    #[pyo3(get)]
    gpus: Vec<u32>,
    /// The network cards that it is mapped to with `--map-by device=nic`, by name.
    #[pyo3(get)]
    nics: Vec<String>,
}

#[pymethods]
impl SliceProc {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Self| self.at == other.at && self.slice.bytes == other.slice.bytes;
        other.cast::<Self>().is_ok_and(|other| same(other.get()))
    }
    fn __hash__(&self) -> u64 {
        convert::hash(&(self.rank, &self.node))
    }
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (NodeSlice, usize))> {
        let read = py.import("operator")?.getattr("getitem")?;
        Ok((read, (self.slice.clone(), self.at)))
    }
    fn __repr__(&self) -> String {
        format!("<rank {} on {}, cpus {}>", self.rank, self.node, self.cpus)
    }
}
