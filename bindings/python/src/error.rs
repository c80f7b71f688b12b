//! Refusals as exceptions: `Error` is a `ValueError`. Its subclass `PlacementError` is for a job's words and placement.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

create_exception!(stowplan, Error, PyValueError, "What stowplan refuses.");
create_exception!(
    stowplan,
    PlacementError,
    Error,
    "A job's words, or its placement, refused."
);

/// The attributes of an exception.
struct Refusal<'e> {
    kind: &'e str,
    message: &'e str,
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
            kind: error.class(),
            message: error.message(),
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
        value.setattr("kind", refusal.kind)?;
        value.setattr("message", refusal.message)?;
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

/// A value that no job can have.
pub(crate) fn bad_value(py: Python<'_>, message: &str) -> PyErr {
    let refusal = Refusal {
        kind: "bad-value",
        message,
        hint: None,
        text: None,
        span: None,
    };
    raise(&py.get_type::<PlacementError>(), &refusal)
}

/// A question that a plan from a broadcast cannot answer.
pub(crate) fn not_known(py: Python<'_>) -> PyErr {
    let refusal = Refusal {
        kind: "bad-plan",
        message: "the plan was read from a broadcast, which does not know why ranks are where they are",
        hint: None,
        text: None,
        span: None,
    };
    raise(&py.get_type::<Error>(), &refusal)
}

/// The refusal of the job at a place among several: its sentence names the place, `plans` has what became of each job.
pub(crate) fn of_many(refused: &PyErr, at: usize, plans: &Bound<'_, PyList>) -> PyErr {
    let py = plans.py();
    let value = refused.value(py);
    let told = || -> PyResult<PyErr> {
        let message: String = value.getattr("message")?.extract()?;
        let own = value.get_type().call1((format!("job {at}: {message}"),))?;
        for name in ["kind", "message", "hint", "text", "span"] {
            own.setattr(name, value.getattr(name)?)?;
        }
        own.setattr("index", at)?;
        own.setattr("plans", plans)?;
        Ok(PyErr::from_value(own))
    };
    told().unwrap_or_else(|error| error)
}
