//! Refusals as exceptions: `Error` is a `ValueError`. Its subclass `PlacementError` is for a job's words and placement.

use crate::convert;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};
use stowplan::Class;

create_exception!(stowplan, Error, PyValueError, "What stowplan refuses.");
create_exception!(
    stowplan,
    PlacementError,
    Error,
    "A job's words, or its placement, refused."
);

/// What helps against a refusal: it is worked out when it is first asked for, since it may cost a hundred plans.
#[pyclass(frozen, module = "stowplan", name = "_Help")]
struct Help(stowplan::Error);

#[pymethods]
impl Help {
    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Vec<String>,)> {
        let list = py.get_type::<PyList>().into_any();
        Ok((list, (py.detach(|| self.0.help()),)))
    }
}

/// All that would work, as the command prints it behind `help:`, a list with a line each. Changes of a job that has no room are planned
/// before they are told, up to a hundred plans, when this is first read.
#[pyfunction]
fn help<'py>(error: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = error.py();
    let Some(kept) = error.getattr_opt("_help")? else {
        return Ok(PyList::empty(py));
    };
    let Ok(asked) = kept.cast::<Help>() else {
        return PyList::new(py, kept.extract::<Vec<String>>()?);
    };
    let asked = asked.get();
    let lines = py.detach(|| asked.0.help());
    error.setattr("_help", &lines)?;
    PyList::new(py, lines)
}

/// Adds the exceptions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let error = py.get_type::<Error>();
    let property = py.import("builtins")?.getattr("property")?;
    error.setattr("help", property.call1((wrap_pyfunction!(help, py)?,))?)?;
    module.add("Error", error)?;
    module.add("PlacementError", py.get_type::<PlacementError>())
}

/// The attributes of an exception.
struct Refusal<'e> {
    class: Class,
    message: &'e str,
    app: Option<u32>,
    asked: Option<&'e stowplan::Error>,
    hint: Option<&'e str>,
    text: Option<&'e str>,
    /// In characters, as Python counts.
    span: Option<(usize, usize)>,
}

impl<'e> From<&'e stowplan::Error> for Refusal<'e> {
    fn from(error: &'e stowplan::Error) -> Self {
        let characters = |text: &str, byte: usize| text.get(..byte).unwrap_or(text).chars().count();
        let span = error.text().zip(error.span());
        Self {
            class: error.kind(),
            message: error.message(),
            app: error.app(),
            asked: Some(error),
            hint: error.hint(),
            text: error.text(),
            span: span
                .map(|(text, span)| (characters(text, span.start), characters(text, span.end))),
        }
    }
}

fn raise(class: &Bound<'_, PyType>, refusal: &Refusal<'_>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let value = class.call1((refusal.message,))?;
        value.setattr("kind", refusal.class.word())?;
        value.setattr("number", refusal.class.number())?;
        value.setattr("docs", refusal.class.docs())?;
        value.setattr("message", refusal.message)?;
        value.setattr("app", refusal.app)?;
        if let Some(error) = refusal.asked {
            value.setattr("_help", Help(error.clone()))?;
        }
        value.setattr("hint", refusal.hint)?;
        value.setattr("text", refusal.text)?;
        value.setattr("span", refusal.span)?;
        Ok(PyErr::from_value(value))
    };
    made().unwrap_or_else(|error| error)
}

/// A refusal of a topology, a machine, bytes or a plan.
pub(crate) fn refused(py: Python<'_>, error: &stowplan::Error) -> PyErr {
    raise(&py.get_type::<Error>(), &Refusal::from(error))
}

/// A refusal of a job's words or of its placement.
pub(crate) fn not_placed(py: Python<'_>, error: &stowplan::Error) -> PyErr {
    raise(&py.get_type::<PlacementError>(), &Refusal::from(error))
}

/// A sentence of this package.
const fn told(class: Class, message: &str) -> Refusal<'_> {
    Refusal {
        class,
        message,
        app: None,
        asked: None,
        hint: None,
        text: None,
        span: None,
    }
}

/// A value that no job can have.
pub(crate) fn bad_value(py: Python<'_>, message: &str) -> PyErr {
    let class = py.get_type::<PlacementError>();
    raise(&class, &told(Class::BadValue, message))
}

/// A word that a call does not know.
pub(crate) fn bad_word(py: Python<'_>, message: &str) -> PyErr {
    raise(&py.get_type::<Error>(), &told(Class::BadValue, message))
}

/// A question that a plan from a broadcast cannot answer.
pub(crate) fn not_known(py: Python<'_>) -> PyErr {
    let message =
        "the plan was read from a broadcast, which does not know why ranks are where they are";
    raise(&py.get_type::<Error>(), &told(Class::BadPlan, message))
}

/// The refusal of the job at a place among several: its sentence names the place, `plans` has what became of each job.
pub(crate) fn of_many(refused: &PyErr, at: usize, plans: &Bound<'_, PyList>) -> PyErr {
    let py = plans.py();
    let value = refused.value(py);
    let told = || -> PyResult<PyErr> {
        let message: String = value.getattr("message")?.extract()?;
        let own = value.get_type().call1((format!("job {at}: {message}"),))?;
        let known = own.getattr("__dict__")?;
        known.call_method1("update", (value.getattr("__dict__")?,))?;
        own.setattr("index", at)?;
        own.setattr("plans", plans)?;
        Ok(PyErr::from_value(own))
    };
    told().unwrap_or_else(|error| error)
}
