//! Topologies, and the nodes that have them.

use crate::convert;
use crate::error::refused;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The hardware of a node: hwloc XML, a synthetic string, or `builtin:NAME`.
#[pyclass(frozen, eq, module = "stowplan", name = "Topology", from_py_object)]
#[derive(Clone)]
pub(crate) struct Topology {
    text: String,
    pub(crate) inner: stowplan::Topology,
}

impl PartialEq for Topology {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[pymethods]
impl Topology {
    #[new]
    fn new(py: Python<'_>, text: String) -> PyResult<Self> {
        let inner = py.detach(|| stowplan::Topology::parse(&text));
        let inner = inner.map_err(|error| refused(py, &error))?;
        Ok(Self { text, inner })
    }

    /// The text that it was read from.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&self.text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Self>().into_any(), (self.text.clone(),))
    }

    fn __repr__(&self) -> String {
        let text: String = self.text.chars().take(60).collect();
        let more = if text.len() < self.text.len() {
            "…"
        } else {
            ""
        };
        format!("<Topology {text}{more}>")
    }
}

/// The hardware of all nodes: a topology for all nodes, and other topologies for some.
#[pyclass(frozen, eq, module = "stowplan", name = "Machine", from_py_object)]
#[derive(Clone)]
pub(crate) struct Machine {
    said: Said,
    pub(crate) inner: stowplan::Machine,
}

impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        self.said == other.said
    }
}

/// The arguments that a machine was made from.
#[derive(Clone, PartialEq)]
struct Said {
    topology: Topology,
    nodes: Vec<(String, Topology)>,
    head: Option<String>,
    cpus: Option<String>,
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (topology, *, nodes=None, head=None, cpus=None))]
    fn new(
        py: Python<'_>,
        topology: Topology,
        nodes: Option<&Bound<'_, PyAny>>,
        head: Option<String>,
        cpus: Option<String>,
    ) -> PyResult<Self> {
        let mut inner = stowplan::Machine::uniform(topology.inner.clone());
        let mut said = Vec::new();
        let nodes = convert::pairs(nodes, |own| own.extract::<Topology>().map_err(PyErr::from))?;
        for (list, own) in nodes {
            let set = inner.set_topology(&list, own.inner.clone());
            set.map_err(|error| refused(py, &error))?;
            said.push((list, own));
        }
        if let Some(head) = &head {
            inner.set_head(head).map_err(|error| refused(py, &error))?;
        }
        if let Some(cpus) = &cpus {
            inner.set_cpus(cpus).map_err(|error| refused(py, &error))?;
        }
        let said = Said {
            topology,
            nodes: said,
            head,
            cpus,
        };
        Ok(Self { said, inner })
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Topology,), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("nodes", self.nodes(py)?)?;
        options.set_item("head", &self.said.head)?;
        options.set_item("cpus", &self.said.cpus)?;
        Ok(((self.said.topology.clone(),), options))
    }

    /// The topology of the nodes that have no other.
    #[getter]
    fn topology(&self) -> Topology {
        self.said.topology.clone()
    }

    /// The topologies of other nodes, by host list.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let nodes = PyDict::new(py);
        for (list, topology) in &self.said.nodes {
            nodes.set_item(list, topology.clone())?;
        }
        Ok(nodes)
    }

    /// The node that the launcher runs on, or None.
    #[getter]
    fn head(&self) -> Option<&str> {
        self.said.head.as_deref()
    }

    /// The cores that may be used on every node, or None.
    #[getter]
    fn cpus(&self) -> Option<&str> {
        self.said.cpus.as_deref()
    }

    fn __hash__(&self) -> u64 {
        let said = &self.said;
        let nodes: Vec<(&str, &str)> = said
            .nodes
            .iter()
            .map(|(list, own)| (list.as_str(), own.text.as_str()))
            .collect();
        convert::hash(&(&said.topology.text, nodes, &said.head, &said.cpus))
    }

    fn __repr__(&self) -> String {
        format!("<Machine of {}>", self.said.topology.__repr__())
    }
}
