//! Where the threads of an OpenMP program run.

use crate::convert;
use crate::error::refused;
use crate::indices;
use crate::topology::Topology;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

/// A thread: its number, its place in the list of places, and the cpus on which it may run.
type Threaded = (Number, Option<usize>, String);

/// The number of a thread: an int, or with two levels a text.
#[derive(Clone, PartialEq, Eq, Hash, IntoPyObject, FromPyObject)]
enum Number {
    One(u32),
    Two(String),
}

/// Where the OpenMP threads of a process run: a sequence of (thread, place, cpus), by number. It equals a list of these tuples.
///
/// A thread is an int, or with two levels of regions a text ("3.1"); its place is an index of `places`, or None.
#[pyclass(frozen, sequence, module = "stowplan", name = "Threads")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Threads {
    each: Vec<Threaded>,
    /// The places, in the order of the runtime's list: the cpus of each. Empty where nothing is bound to places.
    #[pyo3(get)]
    places: Vec<String>,
    /// What `omp_get_proc_bind` says: `false`, `true`, `primary`, `close` or `spread`; `kmp` where another variable binds.
    #[pyo3(get)]
    bind: String,
    /// The cpus on which the first thread may run before any parallel region, and with it all that it starts.
    #[pyo3(get)]
    start: String,
    /// Threads of the outer team.
    #[pyo3(get)]
    number: u32,
}

impl From<stowplan::openmp::Threads> for Threads {
    fn from(found: stowplan::openmp::Threads) -> Self {
        let each = found.iter().map(|(thread, place, cpus)| {
            let number = match thread.inner() {
                None => Number::One(thread.outer()),
                Some(_) => Number::Two(thread.to_string()),
            };
            (number, place, cpus.to_string())
        });
        Self {
            each: each.collect(),
            places: found.places().map(|cpus| cpus.to_string()).collect(),
            bind: found.bind().to_owned(),
            start: found.start().to_string(),
            number: found.number(),
        }
    }
}

impl Threads {
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.each.iter().cloned())
    }
}

#[pymethods]
impl Threads {
    /// Threads from their parts: what pickle calls.
    #[staticmethod]
    fn _of(
        each: Vec<Threaded>,
        places: Vec<String>,
        bind: String,
        start: String,
        number: u32,
    ) -> Self {
        Self {
            each,
            places,
            bind,
            start,
            number,
        }
    }

    fn __len__(&self) -> usize {
        self.each.len()
    }

    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        indices::items(at, self.each.len(), |at| Ok(self.each[at].clone()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py)?.try_iter()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => Ok(self == other.get()),
            Err(_) => self.list(other.py())?.eq(other),
        }
    }

    fn __hash__(&self) -> u64 {
        convert::hash(self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = py.get_type::<Self>().getattr("_of")?;
        let parts = (
            self.each.clone(),
            self.places.clone(),
            self.bind.clone(),
            self.start.clone(),
            self.number,
        );
        (made, parts).into_bound_py_any(py)
    }

    fn __repr__(&self) -> String {
        format!("<Threads: {}, {}>", self.each.len(), self.bind)
    }
}

/// Where the threads of a rank run.
pub(crate) fn of_rank(
    py: Python<'_>,
    plan: &stowplan::Plan,
    rank: u32,
    omp: &str,
) -> PyResult<Threads> {
    let runtime: stowplan::openmp::Runtime = omp.parse().map_err(|error| refused(py, &error))?;
    let found = py.detach(|| plan.threads(stowplan::Rank::new(rank), &runtime));
    found
        .map(Threads::from)
        .map_err(|error| refused(py, &error))
}

/// Where the threads of an OpenMP program run whose process has these cpus and variables, by the rules of a runtime (`gnu`, `llvm@19`,
/// `intel`).
#[pyfunction]
#[pyo3(signature = (topology, cpus, env=None, *, omp="gnu"))]
pub(crate) fn threads(
    py: Python<'_>,
    topology: &Topology,
    cpus: &str,
    env: Option<&Bound<'_, PyAny>>,
    omp: &str,
) -> PyResult<Threads> {
    let env = convert::texts(env)?;
    let runtime: stowplan::openmp::Runtime = omp.parse().map_err(|error| refused(py, &error))?;
    let found = py.detach(|| stowplan::openmp::threads(&topology.inner, cpus, env, &runtime));
    found
        .map(Threads::from)
        .map_err(|error| refused(py, &error))
}
