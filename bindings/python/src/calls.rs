//! Scores and advice, as calls.

use crate::convert;
use crate::error::{not_placed, refused};
use crate::job::{Job, line_words};
use crate::machine::Machine;
use crate::network::Network;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What is asked of traffic.
///
/// # Errors
/// `Error` for a wrong pattern, `TypeError`.
pub(crate) fn traffic(
    pattern: &Bound<'_, PyAny>,
    network: Option<&Network>,
    distances: Option<&str>,
    files: Option<&Bound<'_, PyAny>>,
) -> PyResult<stowplan::Traffic> {
    let py = pattern.py();
    let patterns: Vec<String> = if pattern.is_instance_of::<PyString>() {
        vec![pattern.extract()?]
    } else {
        crate::items::items(pattern, |word| word.extract())?
    };
    let mut words = patterns.iter();
    let first = words.next().map_or("", String::as_str);
    let mut traffic = stowplan::Traffic::new(first).map_err(|error| refused(py, &error))?;
    for word in words {
        traffic = traffic.and(word).map_err(|error| refused(py, &error))?;
    }
    for (name, text) in convert::texts(files)? {
        traffic = traffic.file(&name, &text);
    }
    if let Some(network) = network {
        traffic = traffic.network(network.inner());
    }
    if let Some(distances) = distances {
        traffic = traffic.distances(distances);
    }
    Ok(traffic)
}

/// The score of a plan, as a dict.
pub(crate) fn score<'py>(
    py: Python<'py>,
    plan: &stowplan::Plan,
    traffic: &stowplan::Traffic,
) -> PyResult<Bound<'py, PyAny>> {
    let found = py.detach(|| plan.score(traffic));
    let found = found.map_err(|error| refused(py, &error))?;
    convert::json(py, found.json())
}

/// How much of a pattern's traffic leaves nodes and other objects, if a job is placed on a machine. As `Plan.score`.
#[pyfunction]
#[pyo3(name = "score", signature = (job, machine, pattern, *, network=None, distances=None, files=None))]
pub(crate) fn score_job<'py>(
    job: &Bound<'py, PyAny>,
    machine: &Machine,
    pattern: &Bound<'py, PyAny>,
    network: Option<&Network>,
    distances: Option<&str>,
    files: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = job.py();
    let traffic = traffic(pattern, network, distances, files)?;
    let job = Job::of(job)?;
    let placed = py.detach(|| stowplan::Plan::new(&job.inner, &machine.inner));
    score(
        py,
        &placed.map_err(|error| not_placed(py, &error))?,
        &traffic,
    )
}

/// Placements of a job that send less traffic between nodes, the best first.
#[pyclass(frozen, module = "stowplan", name = "Advice")]
pub(crate) struct Advice {
    told: Told,
}

/// Where an advice comes from.
enum Told {
    Now(stowplan::Advice),
    /// A pickle: the line of JSON, and the order of ranks of each answer.
    Again(String, Vec<String>),
}

impl Advice {
    fn json(&self) -> &str {
        match &self.told {
            Told::Now(inner) => inner.json(),
            Told::Again(json, _) => json,
        }
    }

    fn order_of(&self, answer: usize) -> Option<String> {
        match &self.told {
            Told::Now(inner) => inner.order(answer),
            Told::Again(_, orders) => orders.get(answer).cloned(),
        }
    }

    fn orders(&self) -> Vec<String> {
        let all = 0..self.__len__();
        all.filter_map(|answer| self.order_of(answer)).collect()
    }
}

#[pymethods]
impl Advice {
    /// The answers, each a dict: words, order, leave, worst, asked, and more on a network.
    #[getter]
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("answers")
    }

    /// What is counted: `edges` or `bytes`.
    #[getter]
    fn unit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("unit")
    }

    /// All of it, as `stowplan advise --format json` says it: a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::json(py, self.json())
    }

    /// The order of ranks of an answer, a line a node: the text of the file that MPICH reads as `MPICH_RANK_ORDER`.
    #[pyo3(signature = (answer=0))]
    fn order(&self, py: Python<'_>, answer: usize) -> PyResult<String> {
        let order = py.detach(|| self.order_of(answer));
        order.ok_or_else(|| PyIndexError::new_err(format!("there is no answer {answer}")))
    }

    fn __len__(&self) -> usize {
        match &self.told {
            Told::Now(inner) => inner.len(),
            Told::Again(_, orders) => orders.len(),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let (py, other) = (other.py(), other.get());
            py.detach(|| self.json() == other.json() && self.orders() == other.orders())
        })
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&self.json())
    }

    /// An advice from its parts: what pickle calls.
    #[staticmethod]
    const fn _of(json: String, orders: Vec<String>) -> Self {
        let told = Told::Again(json, orders);
        Self { told }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (String, Vec<String>)> {
        let orders = py.detach(|| self.orders());
        let made = py.get_type::<Self>().getattr("_of")?;
        Ok((made, (self.json().to_owned(), orders)))
    }

    fn __str__(&self) -> &str {
        self.json()
    }

    fn __repr__(&self) -> String {
        format!("<Advice of {} answers>", self.__len__())
    }
}

/// Tries all policies that can place the job of a command line as asked, and orders of its ranks: which send less of a pattern's
/// traffic between nodes, and on a network between its switches. `by` is what answers on a network are sorted by.
#[pyfunction]
#[pyo3(signature = (line, machine, pattern, *, network=None, by=None, distances=None, files=None))]
pub(crate) fn advise(
    line: &Bound<'_, PyAny>,
    machine: &Machine,
    pattern: &Bound<'_, PyAny>,
    network: Option<&Network>,
    by: Option<&str>,
    distances: Option<&str>,
    files: Option<&Bound<'_, PyAny>>,
) -> PyResult<Advice> {
    let py = line.py();
    let mut traffic = traffic(pattern, network, distances, files)?;
    if let Some(by) = by {
        traffic = traffic.by(by);
    }
    let words = line_words(line)?;
    let inner = py.detach(|| traffic.advise(words, &machine.inner));
    let inner = inner.map_err(|error| not_placed(py, &error))?;
    let told = Told::Now(inner);
    Ok(Advice { told })
}
