//! Values of Python: bytes of any buffer, mappings, files by name, JSON, hashes.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyMemoryView};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The bytes of a bytes-like object.
///
/// # Errors
/// `TypeError` for an object without a buffer.
pub(crate) fn bytes(given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let bytes = PyMemoryView::from(given)?.call_method0("tobytes")?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// Names and texts: what a mapping has.
///
/// # Errors
/// `TypeError` for what is no mapping of str to str.
pub(crate) fn texts(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(String, String)>> {
    pairs(given, |value| value.extract())
}

/// Names and values: what a mapping has.
///
/// # Errors
/// `TypeError` for what is no mapping of str to such values.
pub(crate) fn pairs<'py, T>(
    given: Option<&Bound<'py, PyAny>>,
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<(String, T)>> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    let mapping = given.cast::<PyMapping>()?;
    let dict = PyDict::new(given.py());
    dict.update(mapping)?;
    let pairs = dict.iter();
    pairs
        .map(|(name, value)| Ok((name.extract()?, read(&value)?)))
        .collect()
}

/// A plan as an object of Python, for pickles.
pub(crate) fn plan<'py>(py: Python<'py>, plan: &stowplan::Plan) -> PyResult<Bound<'py, PyAny>> {
    class(py, "Plan")?.call_method1("from_bytes", (PyBytes::new(py, &plan.to_bytes()),))
}

/// A class of this package.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("stowplan")?.getattr(name)
}

/// How a value is made again: what is called, and its arguments.
pub(crate) type Again<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// A line of JSON as a value of Python.
pub(crate) fn json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// A hash that is the same for equal values.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
