//! How a function of a component is asked: on a thread of its own, with a place for the exception that it raises.

use crate::asked::{Asked, AskedApp, Room, SeenApp, Shown};
use crate::error::not_placed;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PySequence;
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use stowplan::component::{self as face, Declined as Passed};

create_exception!(
    stowplan,
    Declined,
    PyException,
    "Why a component does not place an app."
);
create_exception!(
    stowplan,
    TakeNextOption,
    Declined,
    "Raised by a component: after a look the app is not for it, and the next component is asked."
);
create_exception!(
    stowplan,
    ResourceBusy,
    Declined,
    "Raised by a component: nobody may place the app. The job is refused in the words of the exception."
);

/// Room for the interpreter's own recursion: what a function of Python may use.
const STACK: usize = 16 << 20;

thread_local! {
    /// Whether a function of a component runs on this thread.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Nothing that waits for a placement may be called while components are asked for it.
///
/// # Errors
/// `RuntimeError` inside a function of a component.
pub(crate) fn outside() -> PyResult<()> {
    if INSIDE.get() {
        let why = "a function of a component was called for a placement, and cannot use components, clusters and planners itself";
        return Err(PyRuntimeError::new_err(why));
    }
    Ok(())
}

/// Where an exception of a component waits for the call that asked it.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.get_or_insert(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.take()
    }

    /// What a call answers: the exception of a component goes before the refusal that it led to.
    pub(crate) fn or_refused<T>(
        &self,
        py: Python<'_>,
        done: Result<T, stowplan::Error>,
    ) -> PyResult<T> {
        let raised = self.take();
        done.map_err(|error| raised.unwrap_or_else(|| not_placed(py, &error)))
    }

    /// Runs a function of Python on a thread of its own, and answers what it asks of what is shown.
    pub(crate) fn run<T: Send>(
        &self,
        app: face::AskedApp<'_>,
        shown: &Shown<'_>,
        call: impl Fn(Bound<'_, AskedApp>, Vec<Room>) -> PyResult<T> + Send,
    ) -> Result<T, Passed> {
        let (ask, questions) = mpsc::channel();
        let (seen, outlines) = (SeenApp::of(app), shown.outlines());
        let own = move |py: Python<'_>| {
            let ask = Asking(ask);
            INSIDE.set(true);
            let done = AskedApp::of(py, &seen)
                .and_then(|app| Bound::new(py, app))
                .and_then(|app| call(app, Room::all(outlines, &ask.0)));
            done.map_err(|error| self.declined(py, error))
        };
        let gone = || Passed::from("its function did not return: the interpreter ends");
        std::thread::scope(|threads| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.name("stowplan-component".to_owned());
            let thread = thread.spawn_scoped(threads, move || {
                Python::try_attach(own).unwrap_or_else(|| Err(gone()))
            });
            let thread = thread
                .map_err(|error| Passed::from(format!("no thread was started for it: {error}")))?;
            shown.answer_all(&questions);
            thread.join().unwrap_or_else(|_| Err(gone()))
        })
    }

    fn declined(&self, py: Python<'_>, error: PyErr) -> Passed {
        if error.is_instance_of::<TakeNextOption>(py) {
            return Passed::TakeNextOption;
        }
        if error.is_instance_of::<ResourceBusy>(py) {
            return Passed::ResourceBusy(error.value(py).to_string());
        }
        self.keep(error);
        // The exception is raised in place of the refusal that these words are for.
        Passed::from("its function raised an exception")
    }
}

/// The engine waits until this is dropped, whatever objects the function kept.
struct Asking(mpsc::Sender<Asked>);

impl Drop for Asking {
    fn drop(&mut self) {
        let _ = self.0.send(Asked::Nothing);
    }
}

/// The items of an answer, at most this many.
pub(crate) fn answer<T: for<'a, 'py> FromPyObject<'a, 'py>>(
    name: &str,
    given: &Bound<'_, PyAny>,
    most: usize,
    wanted: &str,
) -> PyResult<Vec<T>> {
    let wrong = |what: String| {
        PyTypeError::new_err(format!(
            "the component {name} answers with {what}; a sequence of {wanted} is its answer"
        ))
    };
    if given.cast::<PySequence>().is_err() {
        return Err(wrong(given.get_type().name()?.to_string()));
    }
    let mut items = Vec::new();
    for item in given.try_iter()? {
        let item = item?;
        if items.len() == most {
            return Err(wrong(format!("more than {most} items")));
        }
        let seen = || format!("{item:?}").chars().take(60).collect::<String>();
        items.push(item.extract().map_err(|_| wrong(seen()))?);
    }
    Ok(items)
}
