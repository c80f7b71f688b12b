//! Mapping components of a caller's own, as functions of Python.

use crate::asked::{self, Shown};
use crate::asking::{Raised, answer, outside};
use crate::cluster::Cluster;
use crate::error::{not_placed, refused};
use crate::job::{Job, line_words};
use crate::machine::Machine;
use crate::plan::Plan;
use crate::planner::Planner;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use stowplan::ObjKind;
use stowplan::component::{self as face, Component, Registry, Share};

/// What was said of a component.
struct Said {
    name: String,
    priority: u8,
    word: Option<String>,
    count: Py<PyAny>,
    objects: Option<(ObjKind, Py<PyAny>)>,
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
