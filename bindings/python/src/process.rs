//! One process, one node, and the slice of a node.

use crate::error::refused;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyRange};

/// One process of a plan.
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
}

#[pymethods]
impl Proc {
    #[getter]
    fn rank(&self) -> u32 {
        self.rank
    }
    #[getter]
    fn app(&self) -> PyResult<u32> {
        Ok(self.inner()?.app())
    }
    #[getter]
    fn app_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.app_rank())
    }
    #[getter]
    fn local_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.local_rank())
    }
    #[getter]
    fn node_rank(&self) -> PyResult<u32> {
        Ok(self.inner()?.node_rank())
    }
    #[getter]
    fn node(&self) -> PyResult<String> {
        Ok(self.inner()?.node().name().to_owned())
    }
    #[getter]
    fn cpus(&self) -> PyResult<String> {
        Ok(self.inner()?.cpus().to_string())
    }
    #[getter]
    fn cpu_list(&self) -> PyResult<Vec<u32>> {
        Ok(self.inner()?.cpus().iter().collect())
    }
    /// The GPUs it is given, by the numbers that `CUDA_VISIBLE_DEVICES` takes.
    #[getter]
    fn gpus(&self) -> PyResult<Vec<u32>> {
        Ok(self.inner()?.gpus().to_vec())
    }
    #[getter]
    fn object(&self) -> PyResult<Option<String>> {
        Ok(self.inner()?.object().map(|object| object.to_string()))
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

/// One node of a plan.
#[pyclass(frozen, module = "stowplan", name = "Node")]
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
}

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }
    #[getter]
    fn number(&self) -> PyResult<u32> {
        Ok(self.inner()?.number())
    }
    /// The ranks on it, by local rank: a range if the step between them is constant, otherwise a list.
    #[getter]
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ranks: Vec<u32> = self
            .inner()?
            .procs()
            .map(|proc| proc.rank().into())
            .collect();
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
#[pyclass(frozen, module = "stowplan", name = "NodeSlice")]
pub(crate) struct NodeSlice {
    inner: stowplan::NodeSlice,
}

#[pymethods]
impl NodeSlice {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let inner = stowplan::NodeSlice::from_bytes(bytes);
        let inner = inner.map_err(|error| refused(py, &error))?;
        Ok(Self { inner })
    }
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn __len__(&self) -> usize {
        self.inner.len()
    }
    fn __getitem__(&self, local_rank: &Bound<'_, PyAny>) -> PyResult<SliceProc> {
        let at = index(local_rank, self.inner.len())?;
        let found = self.inner.procs().nth(at);
        let proc = found.ok_or_else(|| PyIndexError::new_err("no such local rank"))?;
        Ok(SliceProc {
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
        })
    }
    fn __repr__(&self) -> String {
        format!(
            "<slice of {} with {} ranks>",
            self.inner.name(),
            self.inner.len()
        )
    }
}

/// A process of a slice.
#[pyclass(frozen, get_all, module = "stowplan", name = "SliceProc")]
pub(crate) struct SliceProc {
    rank: u32,
    app: u32,
    app_rank: u32,
    local_rank: u32,
    node_rank: u32,
    node: String,
    object: Option<String>,
    cpus: String,
    cpu_list: Vec<u32>,
    gpus: Vec<u32>,
}

/// A place in a sequence. A negative number counts from the end.
///
/// # Errors
/// `IndexError`.
pub(crate) fn index(at: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let outside = || PyIndexError::new_err(format!("{at} is out of range, there are {len}"));
    let number = at.extract::<isize>().map_err(|error| {
        // A number that is too large for an index is out of range.
        if error.is_instance_of::<PyOverflowError>(at.py()) {
            outside()
        } else {
            error
        }
    })?;
    let place = if number < 0 {
        len.checked_sub(number.unsigned_abs())
    } else {
        usize::try_from(number).ok()
    };
    place.filter(|&place| place < len).ok_or_else(outside)
}
