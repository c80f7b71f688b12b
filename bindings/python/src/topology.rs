//! The hardware of a node.

use crate::error::{not_known, refused};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::hash::{Hash, Hasher};

/// The hardware of a node: hwloc XML, a synthetic string, or `builtin:NAME`. Equal hardware is equal, whatever text says it.
#[pyclass(
    frozen,
    eq,
    hash,
    module = "stowplan",
    name = "Topology",
    from_py_object
)]
#[derive(Clone)]
pub(crate) struct Topology {
    /// `None` for the hardware of a node.
    said: Option<Said>,
    pub(crate) inner: stowplan::Topology,
}

/// What a topology was made from: a text, and the cpus that it was restricted to, one list after another.
#[derive(Clone)]
struct Said {
    text: String,
    kept: Vec<String>,
}

impl PartialEq for Topology {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Topology {}

impl Hash for Topology {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl Topology {
    /// The hardware of a node.
    pub(crate) const fn of_node(inner: stowplan::Topology) -> Self {
        Self { said: None, inner }
    }
}

#[pymethods]
impl Topology {
    #[new]
    fn new(py: Python<'_>, text: String) -> PyResult<Self> {
        let inner = py.detach(|| stowplan::Topology::parse(&text));
        let inner = inner.map_err(|error| refused(py, &error))?;
        let kept = Vec::new();
        let said = Some(Said { text, kept });
        Ok(Self { said, inner })
    }

    /// The text that it was read from. None for the hardware of a node.
    #[getter]
    fn text(&self) -> Option<&str> {
        Some(&self.said.as_ref()?.text)
    }

    /// The same hardware with these hardware threads alone, by OS number ("0-3,7"), as hwloc restricts a topology to a cpu set.
    fn restrict(&self, py: Python<'_>, cpus: String) -> PyResult<Self> {
        let inner = self.inner.restrict(&cpus);
        let inner = inner.map_err(|error| refused(py, &error))?;
        let said = self.said.clone().map(|mut said| {
            said.kept.push(cpus);
            said
        });
        Ok(Self { said, inner })
    }

    /// A topology from what it was made from: what pickle calls.
    #[staticmethod]
    fn _of(py: Python<'_>, text: String, kept: Vec<String>) -> PyResult<Self> {
        let whole = Self::new(py, text)?;
        let mut kept = kept.into_iter();
        kept.try_fold(whole, |left, cpus| left.restrict(py, cpus))
    }

    /// A topology from a plan of one node: what pickle calls for the hardware of a node.
    #[staticmethod]
    fn _of_plan(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let plan = stowplan::Plan::from_bytes(bytes).map_err(|error| refused(py, &error))?;
        let found = plan.nodes().next().and_then(|node| node.topology());
        found.map(Self::of_node).ok_or_else(|| not_known(py))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.get_type::<Self>();
        if let Some(Said { text, kept }) = self.said.clone() {
            return (class.getattr("_of")?, (text, kept)).into_bound_py_any(py);
        }
        let alone = || {
            let job = stowplan::Job::from_command_line(["-n", "1", "-H", "n:1", "./x"])?;
            stowplan::Plan::new(&job, &stowplan::Machine::uniform(self.inner.clone()))
        };
        let plan = alone().map_err(|error| refused(py, &error))?;
        let bytes = PyBytes::new(py, &plan.to_bytes());
        (class.getattr("_of_plan")?, (bytes,)).into_bound_py_any(py)
    }

    pub(crate) fn __repr__(&self) -> String {
        let Some(text) = self.text() else {
            return format!("<{:?}>", self.inner);
        };
        let start: String = text.chars().take(60).collect();
        let more = if start.len() < text.len() { "…" } else { "" };
        format!("<Topology {start}{more}>")
    }
}
