//! The hardware of a node.

use crate::convert;
use crate::error::refused;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;

/// The hardware of a node: hwloc XML, a synthetic string, or `builtin:NAME`.
#[pyclass(frozen, eq, module = "stowplan", name = "Topology", from_py_object)]
#[derive(Clone)]
pub(crate) struct Topology {
    text: String,
    /// The cpus that it was restricted to, one list after another.
    kept: Vec<String>,
    pub(crate) inner: stowplan::Topology,
}

impl PartialEq for Topology {
    fn eq(&self, other: &Self) -> bool {
        self.said() == other.said()
    }
}

impl Topology {
    /// What it was made from.
    pub(crate) fn said(&self) -> (&str, &[String]) {
        (&self.text, &self.kept)
    }
}

#[pymethods]
impl Topology {
    #[new]
    fn new(py: Python<'_>, text: String) -> PyResult<Self> {
        let inner = py.detach(|| stowplan::Topology::parse(&text));
        let inner = inner.map_err(|error| refused(py, &error))?;
        let kept = Vec::new();
        Ok(Self { text, kept, inner })
    }

    /// The text that it was read from.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The same hardware with these hardware threads alone, by OS number ("0-3,7"), as hwloc restricts a topology to a cpu set.
    fn restrict(&self, py: Python<'_>, cpus: String) -> PyResult<Self> {
        let inner = self.inner.restrict(&cpus);
        let inner = inner.map_err(|error| refused(py, &error))?;
        let kept = self.kept.iter().cloned().chain([cpus]).collect();
        Ok(Self {
            text: self.text.clone(),
            kept,
            inner,
        })
    }

    /// A topology from what it was made from: what pickle calls.
    #[staticmethod]
    fn _of(py: Python<'_>, text: String, kept: Vec<String>) -> PyResult<Self> {
        let whole = Self::new(py, text)?;
        let mut kept = kept.into_iter();
        kept.try_fold(whole, |left, cpus| left.restrict(py, cpus))
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&self.said())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = py.get_type::<Self>().getattr("_of")?;
        let from = (self.text.clone(), self.kept.clone());
        (made, from).into_bound_py_any(py)
    }

    pub(crate) fn __repr__(&self) -> String {
        let text: String = self.text.chars().take(60).collect();
        let more = if text.len() < self.text.len() {
            "…"
        } else {
            ""
        };
        format!("<Topology {text}{more}>")
    }
}
