//! Sessions and reservations: who holds which nodes, and which of them a job may use.

use crate::asking::outside;
use crate::convert;
use crate::error::{not_placed, refused};
use crate::items::items;
use crate::job::Job;
use crate::machine::Machine;
use crate::plan::Plan;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::{Mutex, PoisonError};
use stowplan::session::{By, Channel, State, candidates};

/// Sessions and reservations: who holds which nodes, and which of them a job may use. It is made from what the DVM begins with.
///
/// Events and answers are dicts, with the words of `docs/session.schema.json`; an event may also be a line of JSON.
#[pyclass(frozen, module = "stowplan", name = "Session")]
pub(crate) struct Session {
    channel: Mutex<Channel>,
}

/// An event as a line of JSON: a text, or what `json.dumps` writes.
fn line(event: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = event.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    let json = event.py().import("json")?;
    json.call_method1("dumps", (event,))?.extract()
}

/// Who spawns a job, and the sessions that it names.
pub(crate) struct Spawn {
    spawner: Option<String>,
    targets: Vec<String>,
}

impl Spawn {
    pub(crate) fn new(
        spawner: Option<String>,
        targets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let targets = match targets {
            None => Vec::new(),
            Some(one) if one.is_instance_of::<PyString>() => vec![one.extract()?],
            Some(given) => items(given, |target| target.extract())?,
        };
        Ok(Self { spawner, targets })
    }

    pub(crate) fn by(&self) -> By<'_> {
        self.spawner.as_deref().map_or(By::Scheduler, By::Namespace)
    }

    pub(crate) fn targets(&self) -> Vec<&str> {
        self.targets.iter().map(String::as_str).collect()
    }
}

impl Session {
    fn of(py: Python<'_>, channel: Result<Channel, impl Into<stowplan::Error>>) -> PyResult<Self> {
        let channel = channel.map_err(|error| refused(py, &error.into()))?;
        let channel = Mutex::new(channel);
        Ok(Self { channel })
    }

    /// Works on the sessions without holding the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Channel) -> T + Send,
    ) -> PyResult<T> {
        outside()?;
        Ok(py.detach(|| work(&mut self.channel.lock().unwrap_or_else(PoisonError::into_inner))))
    }

    /// Does something with the sessions as they stand.
    pub(crate) fn look<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&State) -> T + Send,
    ) -> PyResult<T> {
        self.with(py, |channel| look(channel.state()))
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new(first: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = line(first)?;
        Self::of(first.py(), Channel::begin(&text))
    }

    /// Goes on where a journal ends. Its last frame may be cut off: nothing of it counts.
    #[staticmethod]
    fn from_journal(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = bytes.py();
        let bytes = convert::bytes(bytes)?;
        Self::of(py, py.detach(|| Channel::resume(&bytes)))
    }

    /// Judges an event and applies it: the answer. A refusal by the rules is an answer; what is no event is an `Error` and changes
    /// nothing.
    fn event<'py>(&self, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = event.py();
        let text = line(event)?;
        let answer = self.with(py, |channel| channel.answer(&text))?;
        let answer = answer.map_err(|error| refused(py, &error.into()))?;
        convert::json(py, &answer)
    }

    /// The bytes of the journal that wait to be kept. Append them to the journal, make them safe, and call `kept`; then the answers may
    /// leave. All that ever waited, one behind the other, is the journal.
    fn journal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |channel| channel.journal())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Says that the bytes that waited are safe.
    fn kept(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Channel::kept)
    }

    /// A short journal that leads to the same sessions. It may replace the one kept so far.
    fn compact<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |channel| channel.compact())?;
        let bytes = bytes.map_err(|error| refused(py, &error.into()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Places a job on the nodes of a machine that its sessions let it see, as `stowplan map --session` does. `spawner` is the namespace
    /// that spawns the job, None for the scheduler; `targets` are the sessions that it names, none for those of its spawner.
    #[pyo3(signature = (job, machine, *, spawner=None, targets=None))]
    fn place(
        &self,
        job: &Bound<'_, PyAny>,
        machine: &Machine,
        spawner: Option<String>,
        targets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Plan> {
        let py = job.py();
        let spawn = Spawn::new(spawner, targets)?;
        let job = Job::of(job)?;
        let within = self.look(py, |state| {
            let seen = candidates(state, spawn.by(), &spawn.targets());
            seen.map(|seen| machine.inner.within(&seen, state))
        })?;
        let within = within.map_err(|error| not_placed(py, &error.into()))?;
        let placed = py.detach(|| stowplan::Plan::new(&job.inner, &within));
        placed
            .map(Plan::from)
            .map_err(|error| not_placed(py, &error))
    }

    fn __repr__(&self) -> &'static str {
        "<Session>"
    }
}
