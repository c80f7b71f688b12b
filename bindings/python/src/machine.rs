//! The hardware of all nodes, and what is known of them.

use crate::convert;
use crate::error::refused;
use crate::topology::Topology;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The hardware of all nodes: a topology for all nodes, and other topologies for some; what is known of some nodes.
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
    cpus: Cpus,
    devices: Vec<(String, String)>,
    slots: Vec<(String, u32)>,
    max_slots: Vec<(String, u32)>,
    taken: Vec<(String, (u32, String))>,
}

/// Which cpus may be used.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Cpus {
    /// All.
    All,
    /// These of every node.
    OfEvery(String),
    /// These of some nodes, by host list.
    Of(Vec<(String, String)>),
}

impl Cpus {
    fn read(given: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match given {
            None => Ok(Self::All),
            Some(list) if list.is_instance_of::<PyString>() => Ok(Self::OfEvery(list.extract()?)),
            some => Ok(Self::Of(convert::texts(some)?)),
        }
    }
}

impl Said {
    /// The machine that they describe.
    fn machine(&self) -> Result<stowplan::Machine, stowplan::Error> {
        let mut machine = stowplan::Machine::uniform(self.topology.inner.clone());
        for (nodes, own) in &self.nodes {
            machine.set_topology(nodes, own.inner.clone())?;
        }
        if let Some(head) = &self.head {
            machine.set_head(head)?;
        }
        match &self.cpus {
            Cpus::All => {}
            Cpus::OfEvery(list) => machine.set_cpu_list(list)?,
            Cpus::Of(lists) => {
                for (nodes, list) in lists {
                    machine.set_cpus(nodes, list)?;
                }
            }
        }
        for (nodes, devices) in &self.devices {
            machine.set_devices(nodes, devices)?;
        }
        for (nodes, slots) in &self.slots {
            machine.set_slots(nodes, *slots)?;
        }
        for (nodes, max) in &self.max_slots {
            machine.set_max_slots(nodes, *max)?;
        }
        for (nodes, (slots, cpus)) in &self.taken {
            machine.set_taken(nodes, *slots, cpus)?;
        }
        Ok(machine)
    }
}

/// A dict of these pairs, in their order.
fn dict<'py, T: IntoPyObject<'py> + Clone>(
    py: Python<'py>,
    pairs: &[(String, T)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in pairs {
        dict.set_item(name, value.clone())?;
    }
    Ok(dict)
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (topology, *, nodes=None, head=None, cpus=None, devices=None, slots=None, max_slots=None, taken=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        topology: Topology,
        nodes: Option<&Bound<'_, PyAny>>,
        head: Option<String>,
        cpus: Option<&Bound<'_, PyAny>>,
        devices: Option<&Bound<'_, PyAny>>,
        slots: Option<&Bound<'_, PyAny>>,
        max_slots: Option<&Bound<'_, PyAny>>,
        taken: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let number = |own: &Bound<'_, PyAny>| own.extract::<u32>();
        let said = Said {
            topology,
            nodes: convert::pairs(nodes, |own| own.extract::<Topology>().map_err(PyErr::from))?,
            head,
            cpus: Cpus::read(cpus)?,
            devices: convert::texts(devices)?,
            slots: convert::pairs(slots, number)?,
            max_slots: convert::pairs(max_slots, number)?,
            taken: convert::pairs(taken, |own| own.extract::<(u32, String)>())?,
        };
        let inner = said.machine().map_err(|error| refused(py, &error))?;
        Ok(Self { said, inner })
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Topology,), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("nodes", self.nodes(py)?)?;
        options.set_item("head", &self.said.head)?;
        options.set_item("cpus", self.cpus(py)?)?;
        options.set_item("devices", self.devices(py)?)?;
        options.set_item("slots", self.slots(py)?)?;
        options.set_item("max_slots", self.max_slots(py)?)?;
        options.set_item("taken", self.taken(py)?)?;
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
        dict(py, &self.said.nodes)
    }

    /// The node that the launcher runs on, or None.
    #[getter]
    fn head(&self) -> Option<&str> {
        self.said.head.as_deref()
    }

    /// The cores that may be used: of every node, or by host list, or None.
    #[getter]
    fn cpus<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.said.cpus {
            Cpus::All => None,
            Cpus::OfEvery(list) => Some(PyString::new(py, list).into_any()),
            Cpus::Of(lists) => Some(dict(py, lists)?.into_any()),
        })
    }

    /// The devices of some nodes in place of those of their topologies, by host list.
    #[getter]
    fn devices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.said.devices)
    }

    /// How many slots some nodes have, by host list.
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.said.slots)
    }

    /// How many processes some nodes may hold at most, by host list.
    #[getter]
    fn max_slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.said.max_slots)
    }

    /// What others have of some nodes, by host list: slots of each, and cpus by OS number.
    #[getter]
    fn taken<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, &self.said.taken)
    }

    fn __hash__(&self) -> u64 {
        let said = &self.said;
        let rest = (&said.devices, &said.slots, &said.max_slots, &said.taken);
        convert::hash(&(&said.topology, &said.nodes, &said.head, &said.cpus, rest))
    }

    fn __repr__(&self) -> String {
        format!("<Machine of {}>", self.said.topology.__repr__())
    }
}
