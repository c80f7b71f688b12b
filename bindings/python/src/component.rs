//! Mapping components of a caller's own, as functions of Python.

use crate::asked::{self, Asked, AskedApp, Room, SeenApp, Shown};
use crate::cluster::Cluster;
use crate::error::{not_placed, refused};
use crate::job::{Job, line_words};
use crate::machine::Machine;
use crate::plan::Plan;
use crate::planner::Planner;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PySequence;
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use stowplan::ObjKind;
use stowplan::component::{self as face, Component, Declined as Passed, Registry, Share};

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

/// What was said of a component.
struct Said {
    name: String,
    priority: u8,
    word: Option<String>,
    count: Py<PyAny>,
    objects: Option<(ObjKind, Py<PyAny>)>,
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
    fn run<T: Send>(
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
fn answer<T: for<'a, 'py> FromPyObject<'a, 'py>>(
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

impl Said {
    /// The component, for a call that waits for its exceptions.
    fn component(self: &Arc<Self>, raised: &Raised) -> Component {
        let (said, slot) = (Arc::clone(self), raised.clone());
        let mut component = Component::new(&self.name, self.priority).count(move |app, rooms| {
            let nodes: usize = rooms.iter().map(|room| room.nodes() as usize).sum();
            let shares = slot.run(app, &Shown::Rooms(rooms), |app, rooms| {
                let py = app.py();
                let given = said.count.bind(py).call1((app, asked::list(py, rooms)?))?;
                answer::<(u32, u32)>(&said.name, &given, nodes, "pairs (nodes, procs)")
            })?;
            Ok(shares
                .into_iter()
                .map(|(nodes, procs)| Share { nodes, procs })
                .collect())
        });
        if let Some(word) = &self.word {
            component = component.word(word);
        }
        let Some((kind, _)) = self.objects else {
            return component;
        };
        let (said, slot) = (Arc::clone(self), raised.clone());
        component.objects(kind, move |app, node, procs| {
            slot.run(app, &Shown::Node(node), |app, mut rooms| {
                let py = app.py();
                let own = said.objects.as_ref().zip(rooms.pop());
                let (own, room) = own.ok_or_else(|| PyRuntimeError::new_err("there is no node"))?;
                let given = own.1.bind(py).call1((app, room, procs))?;
                answer(&said.name, &given, procs as usize, "numbers of objects")
            })
        })
    }
}

/// Mapping components of a caller's own, beside the engine's: lsf (100), rank_file, ppr, mpibind, seq and round_robin (10).
#[pyclass(frozen, module = "stowplan", name = "Components")]
pub(crate) struct Components {
    said: Mutex<Vec<Arc<Said>>>,
}

impl Components {
    /// The engine's components and those that were added.
    fn registry(&self, raised: &Raised) -> Result<Registry, stowplan::Error> {
        let said = self
            .said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut registry = Registry::standard();
        for own in &said {
            registry.register(own.component(raised))?;
        }
        Ok(registry)
    }

    fn ready(&self, py: Python<'_>) -> PyResult<(Registry, Raised)> {
        outside()?;
        let raised = Raised::default();
        let registry = self
            .registry(&raised)
            .map_err(|error| refused(py, &error))?;
        Ok((registry, raised))
    }

    /// A job, or one that is said as words, those of components too.
    fn job_of(given: &Bound<'_, PyAny>, registry: &Registry) -> PyResult<stowplan::Job> {
        if let Ok(job) = given.cast::<Job>() {
            return Ok(job.get().inner.clone());
        }
        if !Job::is_line(given) {
            // The refusal of another type.
            return Ok(Job::of(given)?.inner);
        }
        let job = registry.job(line_words(given)?);
        job.map_err(|error| not_placed(given.py(), &error))
    }
}

#[pymethods]
impl Components {
    #[new]
    fn new() -> Self {
        Self {
            said: Mutex::default(),
        }
    }

    /// Adds a component; the highest priority is asked first, 255 at most.
    ///
    /// `count(app, rooms)` looks at an `AskedApp` and its nodes, which are a list of `Room`, and says how many processes they get: pairs
    /// (nodes, procs), each for the next nodes. The pairs cover all nodes, and may begin and end inside rooms. It raises
    /// `TakeNextOption` for the next component to be asked, `ResourceBusy` if nobody may place the app. Any other exception ends the
    /// call that places, and is raised there.
    ///
    /// `objects(app, node, procs)` says the number of an object of the kind `object` for each of the processes of a node, a `Room` of one.
    /// Without it, processes lie as under `--map-by slot`. With a `word`, the component is asked about apps that say it in `--map-by`,
    /// and about no others. Functions run on a thread of their own, and cannot use components, clusters and planners.
    #[pyo3(signature = (name, priority, count, *, word=None, object="core", objects=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add(
        &self,
        py: Python<'_>,
        name: &str,
        priority: u8,
        count: Py<PyAny>,
        word: Option<String>,
        object: &str,
        objects: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let kind = asked::kind(py, object)?;
        for own in [Some(&count), objects.as_ref()].into_iter().flatten() {
            if !own.bind(py).is_callable() {
                let type_name = own.bind(py).get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "a function of a component is needed, not {type_name}"
                )));
            }
        }
        let own = Arc::new(Said {
            name: name.to_owned(),
            priority,
            word,
            count,
            objects: objects.map(|objects| (kind, objects)),
        });
        let raised = Raised::default();
        let registered = self
            .registry(&raised)
            .and_then(|mut registry| registry.register(own.component(&raised)));
        registered.map_err(|error| refused(py, &error))?;
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(own);
        Ok(())
    }

    /// Names and priorities, in the order in which the components are asked.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<(String, u8)>> {
        let registry = self
            .registry(&Raised::default())
            .map_err(|error| refused(py, &error))?;
        Ok(registry
            .names()
            .map(|(name, priority)| (name.to_owned(), priority))
            .collect())
    }

    /// As `Job.from_command_line`, where `--map-by` also takes the words of these components.
    fn job(&self, words: &Bound<'_, PyAny>) -> PyResult<Job> {
        let py = words.py();
        let registry = self
            .registry(&Raised::default())
            .map_err(|error| refused(py, &error))?;
        Job::made(py, registry.job(line_words(words)?))
    }

    /// As `stowplan.place`, with these components.
    fn place(&self, job: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Plan> {
        let py = job.py();
        let (registry, raised) = self.ready(py)?;
        let job = Self::job_of(job, &registry)?;
        let placed = py.detach(|| face::place(&job, &machine.inner, &registry));
        raised.or_refused(py, placed).map(Plan::from)
    }

    /// As `Cluster.place`, with these components. Other calls of the cluster wait until the job is placed.
    fn place_in(&self, cluster: &Cluster, job: &Bound<'_, PyAny>) -> PyResult<Plan> {
        let py = job.py();
        let (registry, raised) = self.ready(py)?;
        let job = Self::job_of(job, &registry)?;
        let placed = cluster.place_with(py, &job, &registry)?;
        raised.or_refused(py, placed).map(Plan::from)
    }

    /// As `stowplan.Planner`, with these components: they are asked again for every plan.
    fn planner(&self, job: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Planner> {
        let py = job.py();
        let (registry, raised) = self.ready(py)?;
        let job = Self::job_of(job, &registry)?;
        let made = stowplan::Planner::with(&job, &machine.inner, &registry);
        let made = made.map_err(|error| not_placed(py, &error))?;
        Ok(Planner::of(made, raised))
    }

    fn __repr__(&self) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<&str> = said.iter().map(|own| own.name.as_str()).collect();
        format!("<Components {}>", names.join(", "))
    }
}
