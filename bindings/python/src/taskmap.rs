//! Task maps: on which node each task of a job runs.

use crate::convert;
use crate::error::{bad_word, refused};
use crate::plan::Plan;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyRange, PyString};
use stowplan::Rank;
use stowplan::taskmap::{Encoder, FORM_WORDS, Form, JobNode, Limits};

/// On which node each task of a job runs. It reads RFC 34, PMI and raw forms.
#[pyclass(frozen, eq, module = "stowplan", name = "TaskMap")]
#[derive(PartialEq)]
pub(crate) struct TaskMap {
    inner: stowplan::taskmap::TaskMap,
}

impl TaskMap {
    fn told<T, E: Into<stowplan::Error>>(py: Python<'_>, done: Result<T, E>) -> PyResult<T> {
        done.map_err(|error| refused(py, &error.into()))
    }

    fn written(&self, py: Python<'_>, form: Form) -> PyResult<String> {
        let text = self.inner.text(form, Encoder::Best, Limits::default());
        Ok(Self::told(py, text)?.to_string())
    }
}

#[pymethods]
impl TaskMap {
    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = text.py();
        let bytes = match text.cast::<PyString>() {
            Ok(text) => text.to_str()?.as_bytes().to_vec(),
            Err(_) => convert::bytes(text)?,
        };
        let inner = py.detach(|| stowplan::taskmap::TaskMap::read(&bytes));
        Self::told(py, inner).map(|inner| Self { inner })
    }

    /// The task map of a plan.
    #[staticmethod]
    fn of_plan(py: Python<'_>, plan: &Plan) -> PyResult<Self> {
        let inner = plan.inner.task_map();
        Self::told(py, inner).map(|inner| Self { inner })
    }

    /// How many tasks there are.
    #[getter]
    fn tasks(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(Self::told(py, self.inner.task_count())?.0)
    }

    /// How many nodes there are, also those without tasks.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<u32> {
        Self::told(py, self.inner.node_count())
    }

    /// The number of the node of a task.
    fn node_of(&self, py: Python<'_>, task: u32) -> PyResult<u32> {
        Ok(Self::told(py, self.inner.node_of(Rank::new(task)))?.0)
    }

    /// How many tasks a node has.
    fn count_of(&self, py: Python<'_>, node: u32) -> PyResult<u32> {
        Ok(Self::told(py, self.inner.count_of(JobNode(node)))?.0)
    }

    /// The tasks of a node, ascending: a list of ranges.
    fn tasks_of<'py>(&self, py: Python<'py>, node: u32) -> PyResult<Vec<Bound<'py, PyRange>>> {
        // A short text may say more ranges than there is memory for.
        Self::told(py, self.inner.tasks_text(JobNode(node), Limits::default()))?;
        let ranges = Self::told(py, self.inner.tasks_of(JobNode(node)))?;
        let ranges = ranges.map(|range| {
            PyRange::new(
                py,
                isize::try_from(range.start)?,
                isize::try_from(range.end)?,
            )
        });
        ranges.collect()
    }

    /// The map in one of its forms: `map`, `wrapped`, `pmi`, `raw`, `deranged`, `multiline`.
    #[pyo3(signature = (form="map"))]
    fn text(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        let found = FORM_WORDS.iter().find(|(word, _)| *word == form);
        let (_, form) = found.ok_or_else(|| {
            let words: Vec<&str> = FORM_WORDS.iter().map(|(word, _)| *word).collect();
            bad_word(
                py,
                &format!(
                    "{form:?} is no form of a task map; there are {}",
                    words.join(", ")
                ),
            )
        })?;
        self.written(py, *form)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.tasks(py)? as usize)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(convert::hash(&(self.tasks(py).ok(), self.nodes(py).ok())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Bound<'py, PyBytes>,)> {
        let text = self.written(py, Form::Map)?;
        Ok((
            py.get_type::<Self>().into_any(),
            (PyBytes::new(py, text.as_bytes()),),
        ))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Form::Map)
    }

    fn __repr__(&self) -> String {
        match (self.inner.task_count(), self.inner.node_count()) {
            (Ok(tasks), Ok(nodes)) => format!("<TaskMap of {} tasks on {nodes} nodes>", tasks.0),
            _ => "<TaskMap that is not known>".to_owned(),
        }
    }
}
