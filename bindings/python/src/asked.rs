//! What a component sees: the app, and its nodes as rooms.
//!
//! The engine lends what it shows only for a while. So it is asked by messages: it answers them while a function of a component runs
//! on a thread of its own, and no longer when that function has returned.

use crate::error::bad_word;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::mpsc;
use stowplan::ObjKind;
use stowplan::component as face;
use stowplan::prte::Value;

/// The app that a component is asked about.
#[pyclass(frozen, get_all, module = "stowplan", name = "AskedApp")]
pub(crate) struct AskedApp {
    /// The number of the app, from 0.
    number: u32,
    /// The program, empty if the job names none.
    program: String,
    /// The arguments of the program.
    argv: Vec<String>,
    /// The processes that the app asks for, or that the engine counted. None: the component counts them.
    procs: Option<u32>,
    /// Its map policy with parameters: `ppr:2:package`.
    map_by: String,
    /// The order of its ranks: `slot`, `node`, `fill`, `span`, or `listed`.
    rank_by: &'static str,
    /// What its processes are bound to: `none`, or the word of a kind of objects.
    bind_to: &'static str,
    /// Cpus per process.
    pe: u16,
    /// Its attributes by the number of their key, those that are known, and those from 35 to 100 that are not.
    attributes: Py<PyDict>,
}

impl AskedApp {
    pub(crate) fn of(py: Python<'_>, app: &SeenApp) -> PyResult<Self> {
        let attributes = PyDict::new(py);
        for (key, value) in &app.attributes {
            let value = match value {
                Value::Bool(own) => own.into_bound_py_any(py)?,
                Value::Uint16(own) => own.into_bound_py_any(py)?,
                Value::Uint32(own) => own.into_bound_py_any(py)?,
                Value::String(own) => own.into_bound_py_any(py)?,
                _ => {
                    return Err(PyRuntimeError::new_err(format!(
                        "attribute {key} has a type that Python does not know"
                    )));
                }
            };
            attributes.set_item(key, value)?;
        }
        Ok(Self {
            number: app.number,
            program: app.program.clone(),
            argv: app.argv.clone(),
            procs: app.procs,
            map_by: app.map_by.clone(),
            rank_by: app.rank_by,
            bind_to: app.bind_to,
            pe: app.pe,
            attributes: attributes.unbind(),
        })
    }
}

#[pymethods]
impl AskedApp {
    fn __repr__(&self) -> String {
        format!("<app {}: {}>", self.number, self.program)
    }
}

/// What the engine lends of an app, kept.
pub(crate) struct SeenApp {
    number: u32,
    program: String,
    argv: Vec<String>,
    procs: Option<u32>,
    map_by: String,
    rank_by: &'static str,
    bind_to: &'static str,
    pe: u16,
    attributes: Vec<(u16, Value)>,
}

impl SeenApp {
    pub(crate) fn of(app: face::AskedApp<'_>) -> Self {
        let options = app.options();
        Self {
            number: app.number(),
            program: app.program().to_owned(),
            argv: app.argv().to_vec(),
            procs: app.procs(),
            map_by: options.map(),
            rank_by: options.rank(),
            bind_to: options.bind(),
            pe: options.pe(),
            attributes: app
                .attributes()
                .map(|own| (own.key(), own.value()))
                .collect(),
        }
    }
}

/// What a component is shown: the rooms of an app, or one node.
pub(crate) enum Shown<'a> {
    Rooms(&'a [face::Room<'a>]),
    Node(face::Hardware<'a>),
}

impl Shown<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Rooms(rooms) => rooms.len(),
            Self::Node(_) => 1,
        }
    }

    fn room(&self, at: usize) -> Option<face::Room<'_>> {
        match self {
            Self::Rooms(rooms) => rooms.get(at).copied(),
            Self::Node(_) => None,
        }
    }

    fn hardware(&self, at: usize) -> Option<face::Hardware<'_>> {
        match self {
            Self::Rooms(rooms) => Some(rooms.get(at)?.hardware()),
            Self::Node(node) => Some(*node),
        }
    }

    /// What is known of each room from the beginning.
    pub(crate) fn outlines(&self) -> Vec<Outline> {
        let each = (0..self.len()).filter_map(|at| {
            let (room, node) = (self.room(at), self.hardware(at)?);
            Some(Outline {
                at,
                nodes: room.map_or(1, face::Room::nodes),
                avail: room.map(face::Room::avail),
                slots: node.slots(),
                max_slots: node.max_slots(),
                used: node.used(),
                free_hwthreads: node.free_pus(),
            })
        });
        each.collect()
    }

    /// Answers a question about a room.
    fn answer(&self, asked: &What, at: usize) -> Answer {
        match *asked {
            What::Name(node) => Answer::Text(
                self.room(at)
                    .map_or_else(String::new, |room| room.name(node)),
            ),
            What::Objects(kind) => {
                Answer::Count(self.hardware(at).map_or(0, |node| node.objects(kind)) as usize)
            }
            What::FreeInside(kind, object) => Answer::Count(
                self.hardware(at)
                    .map_or(0, |node| node.free_inside(kind, object)),
            ),
        }
    }

    /// Answers questions until the function of the component has returned.
    pub(crate) fn answer_all(&self, questions: &mpsc::Receiver<Asked>) {
        while let Ok(Asked::About { room, what, tell }) = questions.recv() {
            // Who asks waits for the answer.
            let _ = tell.send(self.answer(&what, room));
        }
    }
}

/// What is known of a room without asking.
pub(crate) struct Outline {
    at: usize,
    nodes: u32,
    avail: Option<u32>,
    slots: u32,
    max_slots: Option<u32>,
    used: u32,
    free_hwthreads: usize,
}

/// What a component asks of a room.
pub(crate) enum What {
    Name(u32),
    Objects(ObjKind),
    FreeInside(ObjKind, u32),
}

/// What the engine answers.
pub(crate) enum Answer {
    Text(String),
    Count(usize),
}

/// A message from a component that runs.
pub(crate) enum Asked {
    About {
        room: usize,
        what: What,
        tell: mpsc::Sender<Answer>,
    },
    /// Its function has returned: objects that it kept get no answers.
    Nothing,
}

/// Neighbouring nodes that are equal for an app; in `objects`, one node.
#[pyclass(frozen, module = "stowplan", name = "Room")]
pub(crate) struct Room {
    outline: Outline,
    ask: mpsc::Sender<Asked>,
}

impl Room {
    pub(crate) fn all(outlines: Vec<Outline>, ask: &mpsc::Sender<Asked>) -> Vec<Self> {
        let each = outlines.into_iter();
        each.map(|outline| Self {
            outline,
            ask: ask.clone(),
        })
        .collect()
    }

    fn ask(&self, py: Python<'_>, what: What) -> PyResult<Answer> {
        let room = self.outline.at;
        let (tell, told) = mpsc::channel();
        let asked = self.ask.send(Asked::About { room, what, tell });
        let answer = py.detach(move || asked.ok().and_then(|()| told.recv().ok()));
        answer.ok_or_else(|| {
            PyRuntimeError::new_err(
                "the room is gone: it is there until the component's function returns",
            )
        })
    }

    fn count(&self, py: Python<'_>, what: What) -> PyResult<usize> {
        Ok(match self.ask(py, what)? {
            Answer::Count(count) => count,
            Answer::Text(_) => 0,
        })
    }
}

/// The kind of objects with this word.
///
/// # Errors
/// `Error` of the kind `bad-value`.
pub(crate) fn kind(py: Python<'_>, word: &str) -> PyResult<ObjKind> {
    let kinds = || ObjKind::ALL.into_iter().chain([ObjKind::Gpu]);
    let found = kinds().find(|kind| kind.word() == word);
    found.ok_or_else(|| {
        let words: Vec<&str> = kinds().map(ObjKind::word).collect();
        let there = words.join(", ");
        bad_word(
            py,
            &format!("{word:?} is no kind of objects; there are {there}"),
        )
    })
}

#[pymethods]
impl Room {
    /// How many nodes.
    #[getter]
    fn nodes(&self) -> u32 {
        self.outline.nodes
    }
    /// How many processes each node may take. None in `objects`.
    #[getter]
    fn avail(&self) -> Option<u32> {
        self.outline.avail
    }
    /// The slots of each node.
    #[getter]
    fn slots(&self) -> u32 {
        self.outline.slots
    }
    /// The limit of slots of each node that oversubscribing does not lift, or None.
    #[getter]
    fn max_slots(&self) -> Option<u32> {
        self.outline.max_slots
    }
    /// Processes on each node, of any job.
    #[getter]
    fn used(&self) -> u32 {
        self.outline.used
    }
    /// How many hardware threads of each node no process has.
    #[getter]
    fn free_hwthreads(&self) -> usize {
        self.outline.free_hwthreads
    }
    /// The name of one of the nodes, counted from 0. In `objects` a node has no name.
    #[pyo3(signature = (node=0))]
    fn name(&self, py: Python<'_>, node: u32) -> PyResult<String> {
        if node >= self.outline.nodes || self.outline.avail.is_none() {
            return Err(PyIndexError::new_err(format!(
                "there is no node {node} with a name"
            )));
        }
        Ok(match self.ask(py, What::Name(node))? {
            Answer::Text(name) => name,
            Answer::Count(_) => String::new(),
        })
    }
    /// How many objects of a kind (`core`, `l3cache`) each node has.
    fn objects(&self, py: Python<'_>, kind: &str) -> PyResult<usize> {
        self.count(py, What::Objects(self::kind(py, kind)?))
    }
    /// How many hardware threads inside an object no process has. The object is named by its kind and its number, from 0; 0 if there
    /// is none.
    fn free_inside(&self, py: Python<'_>, kind: &str, number: u32) -> PyResult<usize> {
        self.count(py, What::FreeInside(self::kind(py, kind)?, number))
    }

    fn __len__(&self) -> usize {
        self.outline.nodes as usize
    }
    fn __repr__(&self) -> String {
        format!("<room of {} nodes>", self.outline.nodes)
    }
}

/// Rooms as a list of Python.
pub(crate) fn list(py: Python<'_>, rooms: Vec<Room>) -> PyResult<Bound<'_, PyList>> {
    PyList::new(py, rooms)
}
