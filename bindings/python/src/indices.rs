//! Places in a sequence: an index, or a slice.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

/// A place in a sequence. A negative number counts from the end.
///
/// # Errors
/// `IndexError`.
pub(crate) fn index(at: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let outside = || PyIndexError::new_err(format!("{at} is out of range, there are {len}"));
    let number = at.extract::<isize>().map_err(|error| {
        // A number that is too large for an index is out of range.
        if error.is_instance_of::<PyOverflowError>(at.py()) {
            outside()
        } else {
            error
        }
    })?;
    let place = if number < 0 {
        len.checked_sub(number.unsigned_abs())
    } else {
        usize::try_from(number).ok()
    };
    place.filter(|&place| place < len).ok_or_else(outside)
}

/// One item, or the list of those in a slice.
///
/// # Errors
/// `IndexError`, `TypeError`.
pub(crate) fn items<'py, T: IntoPyObject<'py>>(
    at: &Bound<'py, PyAny>,
    len: usize,
    item: impl Fn(usize) -> PyResult<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = at.py();
    let object = |at| -> PyResult<Bound<'py, PyAny>> { item(at)?.into_bound_py_any(py) };
    let Ok(slice) = at.cast::<PySlice>() else {
        return object(index(at, len)?);
    };
    let found = slice.indices(isize::try_from(len)?)?;
    let list = PyList::empty(py);
    let mut place = found.start;
    for _ in 0..found.slicelength {
        list.append(object(usize::try_from(place)?)?)?;
        place += found.step;
    }
    Ok(list.into_any())
}
