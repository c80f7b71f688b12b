//! Networks above the nodes.

use crate::convert;
use crate::error::refused;
use pyo3::prelude::*;

/// A network above the nodes: words (`tree switch:4 node:16 n[0-63]`, `builtin:NAME HOSTS`, `names TEMPLATE`), or the contents of a
/// `topology.conf`, a `topology.yaml` (`name` picks one of its topologies), rows or addresses. `levels` names its levels, from the
/// lowest up.
#[pyclass(frozen, module = "stowplan", name = "Network", from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Network {
    said: (String, Option<String>, Option<String>),
}

impl Network {
    pub(crate) fn inner(&self) -> stowplan::Network {
        let (text, name, levels) = &self.said;
        let mut network = stowplan::Network::new(text);
        if let Some(name) = name {
            network = network.named(name);
        }
        if let Some(levels) = levels {
            network = network.levels(levels);
        }
        network
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (text, *, name=None, levels=None))]
    fn new(
        py: Python<'_>,
        text: String,
        name: Option<String>,
        levels: Option<String>,
    ) -> PyResult<Self> {
        let by_names = text.trim_start().starts_with("names ") || text.starts_with("builtin:");
        let network = Self {
            said: (text, name, levels),
        };
        // What goes by the names of hosts is read when these are known.
        if !by_names {
            let read = py.detach(|| network.inner().to_json(None));
            read.map_err(|error| refused(py, &error))?;
        }
        Ok(network)
    }

    /// The shape as `stowplan topo show --network` says it, a dict: kind, levels with their objects, order. `hosts` is a host list,
    /// for networks that go by names.
    #[pyo3(signature = (hosts=None))]
    fn shape<'py>(&self, py: Python<'py>, hosts: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let text = py.detach(|| self.inner().to_json(hosts));
        convert::json(py, &text.map_err(|error| refused(py, &error))?)
    }

    /// The tree as Slurm's `topology.conf`.
    #[pyo3(signature = (hosts=None))]
    fn topology_conf(&self, py: Python<'_>, hosts: Option<&str>) -> PyResult<String> {
        let text = py.detach(|| self.inner().topology_conf(hosts));
        text.map_err(|error| refused(py, &error))
    }

    /// The text that it was made from.
    #[getter]
    fn text(&self) -> &str {
        &self.said.0
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self == other.get())
    }

    fn __hash__(&self) -> u64 {
        convert::hash(self)
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((String,), Bound<'py, pyo3::types::PyDict>)> {
        let (text, name, levels) = self.said.clone();
        let options = pyo3::types::PyDict::new(py);
        options.set_item("name", name)?;
        options.set_item("levels", levels)?;
        Ok(((text,), options))
    }

    fn __repr__(&self) -> String {
        let text: String = self.said.0.chars().take(60).collect();
        format!("<Network {}>", text.lines().next().unwrap_or_default())
    }
}
