//! What is in a list of Python, one by one: what a class says about its length is no reason to ask for memory.

use pyo3::prelude::*;
use pyo3::types::PySequence;

/// The items of a sequence.
pub(crate) fn items<'py, T>(
    given: &Bound<'py, PyAny>,
    mut read: impl FnMut(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    given.cast::<PySequence>()?;
    let mut items = Vec::new();
    for item in given.try_iter()? {
        items.push(read(&item?)?);
    }
    Ok(items)
}
