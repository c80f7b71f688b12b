//! Jobs side by side on the same nodes.

use crate::asking::outside;
use crate::convert;
use crate::error::{not_placed, refused};
use crate::job::Job;
use crate::machine::Machine;
use crate::plan::Plan;
use crate::session::{Session, Spawn};
use crate::topology::Topology;
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use stowplan::component::Registry;
use stowplan::{JobId, Standing};

/// Nodes that jobs share: each job gets what earlier jobs left free.
///
/// Nodes are added with `add_nodes`, or come with the jobs that name them. Jobs have numbers from 0; no number is given twice.
#[pyclass(frozen, module = "stowplan", name = "Cluster")]
pub(crate) struct Cluster {
    machine: Machine,
    inner: Mutex<stowplan::Cluster>,
}

impl Cluster {
    fn of(machine: Machine, inner: stowplan::Cluster) -> Self {
        let inner = Mutex::new(inner);
        Self { machine, inner }
    }

    /// Works on the cluster without holding the interpreter's lock, which components may need while another thread waits here.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut stowplan::Cluster) -> T + Send,
    ) -> PyResult<T> {
        outside()?;
        Ok(py.detach(|| work(&mut self.held())))
    }

    fn held(&self) -> MutexGuard<'_, stowplan::Cluster> {
        // Neither a refused job nor a panic changes the cluster.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for work that may be refused.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut stowplan::Cluster) -> Result<T, stowplan::Error> + Send,
    ) -> PyResult<T> {
        let done = self.with(py, work)?;
        done.map_err(|error| refused(py, &error))
    }

    /// Places a job by components.
    pub(crate) fn place_with(
        &self,
        py: Python<'_>,
        job: &stowplan::Job,
        registry: &Registry,
    ) -> PyResult<Result<stowplan::Plan, stowplan::Error>> {
        self.with(py, |cluster| cluster.place_with(job, registry))
    }
}

fn numbers(jobs: impl IntoIterator<Item = JobId>) -> Vec<u64> {
    jobs.into_iter().map(u64::from).collect()
}

#[pymethods]
impl Cluster {
    #[new]
    fn new(machine: Machine) -> Self {
        let inner = stowplan::Cluster::new(machine.inner.clone());
        Self::of(machine, inner)
    }

    /// Places a job on the slots and cpus that are free.
    fn place(&self, job: &Bound<'_, PyAny>) -> PyResult<Plan> {
        let py = job.py();
        let job = Job::of(job)?;
        let placed = self.with(py, |cluster| cluster.place(&job.inner))?;
        let placed = placed.map_err(|error| not_placed(py, &error))?;
        Ok(Plan::from(placed))
    }

    /// Places a job on the nodes that its sessions let it see. `spawner` and `targets` are those of `Session.place`.
    #[pyo3(signature = (job, session, *, spawner=None, targets=None))]
    fn place_in_session(
        &self,
        job: &Bound<'_, PyAny>,
        session: &Session,
        spawner: Option<String>,
        targets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Plan> {
        let py = job.py();
        let spawn = Spawn::new(spawner, targets)?;
        let job = Job::of(job)?;
        let placed = session.look(py, |state| {
            self.held()
                .place_in_session(&job.inner, state, spawn.by(), &spawn.targets())
        })?;
        placed
            .map(Plan::from)
            .map_err(|error| not_placed(py, &error))
    }

    /// Where a job would be placed now. Nothing changes.
    fn try_place(&self, job: &Bound<'_, PyAny>) -> PyResult<Plan> {
        let py = job.py();
        let job = Job::of(job)?;
        let placed = self.with(py, |cluster| cluster.try_place(&job.inner))?;
        let placed = placed.map_err(|error| not_placed(py, &error))?;
        Ok(Plan::from(placed))
    }

    /// Why a job does not start now, and what it waits for. None if it does.
    fn explain(&self, job: &Bound<'_, PyAny>) -> PyResult<Option<Waiting>> {
        let py = job.py();
        let job = Job::of(job)?;
        let told = self.with(py, |cluster| cluster.explain(&job.inner))?;
        Ok(told.map(|told| Waiting {
            kind: told.error().class().to_owned(),
            message: told.error().message().to_owned(),
            waits_for: told.waits_for().map(|jobs| numbers(jobs.iter().copied())),
            text: told.to_string(),
        }))
    }

    /// Frees what a job of this cluster took: its plan, or its number.
    fn release(&self, job: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = job.py();
        if let Ok(plan) = job.cast::<Plan>() {
            let plan = plan.get();
            return self.work(py, |cluster| cluster.release(&plan.inner));
        }
        let job: u64 = job.extract()?;
        self.work(py, |cluster| cluster.release_job(JobId::from(job)))
    }

    /// The plans of the jobs that run, by number: a dict.
    fn jobs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let running: Vec<(JobId, stowplan::Plan)> = self.with(py, |cluster| {
            let each = cluster.jobs();
            each.map(|(job, plan)| (job, plan.clone())).collect()
        })?;
        let jobs = PyDict::new(py);
        for (job, plan) in running {
            jobs.set_item(u64::from(job), Plan::from(plan))?;
        }
        Ok(jobs)
    }

    /// The number of the job of a plan. None if it is no plan of this cluster, or was released.
    fn job_of(&self, py: Python<'_>, plan: &Plan) -> PyResult<Option<u64>> {
        let job = self.with(py, |cluster| cluster.job_of(&plan.inner))?;
        Ok(job.map(u64::from))
    }

    /// The plan of a job.
    fn plan(&self, py: Python<'_>, job: u64) -> PyResult<Plan> {
        let plan = self.with(py, |cluster| cluster.plan(JobId::from(job)).cloned())?;
        plan.map(Plan::from).ok_or_else(|| PyKeyError::new_err(job))
    }

    /// Takes a running job over: a plan that was saved, or that another cluster placed. Its number here.
    fn adopt(&self, py: Python<'_>, plan: &Plan) -> PyResult<u64> {
        self.work(py, |cluster| cluster.adopt(&plan.inner))
            .map(u64::from)
    }

    /// Adds nodes: `n[0-127]:16,m:4`. They have the hardware of `machine`, or of the cluster's machine.
    #[pyo3(signature = (hosts, machine=None))]
    fn add_nodes(&self, py: Python<'_>, hosts: &str, machine: Option<&Machine>) -> PyResult<()> {
        self.work(py, |cluster| match machine {
            Some(machine) => cluster.add_nodes_of(hosts, &machine.inner),
            None => cluster.add_nodes(hosts),
        })
    }

    /// Removes nodes on which no job has processes.
    fn remove(&self, py: Python<'_>, hosts: &str) -> PyResult<()> {
        self.work(py, |cluster| cluster.remove(hosts))
    }

    /// Says that nodes failed: no job starts on them.
    fn down(&self, py: Python<'_>, hosts: &str) -> PyResult<()> {
        self.work(py, |cluster| cluster.down(hosts))
    }

    /// Says that jobs may start on nodes again.
    fn up(&self, py: Python<'_>, hosts: &str) -> PyResult<()> {
        self.work(py, |cluster| cluster.up(hosts))
    }

    /// Says that no job starts on nodes any more. Jobs that run there go on.
    fn drain(&self, py: Python<'_>, hosts: &str) -> PyResult<()> {
        self.work(py, |cluster| cluster.drain(hosts))
    }

    /// Says that a node failed, as `down` does, and which jobs that hits: their numbers. They are not released.
    fn lose(&self, py: Python<'_>, node: &str) -> PyResult<Vec<u64>> {
        self.work(py, |cluster| cluster.lose(node)).map(numbers)
    }

    /// The nodes, in order of first mention.
    fn nodes(own: &Bound<'_, Self>) -> PyResult<Vec<ClusterNode>> {
        let py = own.py();
        let nodes: Vec<Now> = own.get().with(py, |cluster| {
            let nodes = cluster.nodes();
            nodes.map(|node| Now::of(&node)).collect()
        })?;
        let cluster = || own.clone().unbind();
        let nodes = nodes.into_iter().map(|now| ClusterNode {
            cluster: cluster(),
            now,
        });
        Ok(nodes.collect())
    }

    /// A node by its name.
    fn node(own: &Bound<'_, Self>, name: &str) -> PyResult<ClusterNode> {
        let found = own.get().with(own.py(), |cluster| {
            cluster.node(name).map(|node| Now::of(&node))
        })?;
        let now = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let cluster = own.clone().unbind();
        Ok(ClusterNode { cluster, now })
    }

    /// The slots of a node that no process has.
    fn free_slots(&self, py: Python<'_>, node: &str) -> PyResult<u32> {
        self.work(py, |cluster| cluster.free_slots(node))
    }

    /// The cpus of a node by OS number that no process took, ascending.
    fn free_cpus(&self, py: Python<'_>, node: &str) -> PyResult<Vec<u32>> {
        self.work(py, |cluster| cluster.free_cpus(node))
    }

    /// The GPUs of a node by visible number that no job holds, ascending.
    fn free_gpus(&self, py: Python<'_>, node: &str) -> PyResult<Vec<u32>> {
        self.work(py, |cluster| cluster.free_gpus(node))
    }

    /// The numbers of the jobs that have processes on a node.
    fn jobs_on(&self, py: Python<'_>, node: &str) -> PyResult<Vec<u64>> {
        self.work(py, |cluster| cluster.jobs_on(node)).map(numbers)
    }

    /// Another cluster in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let inner = self.with(py, |cluster| cluster.clone())?;
        Ok(Self::of(self.machine.clone(), inner))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(memo.py())
    }

    /// The nodes and all jobs in bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |cluster| cluster.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads what `to_bytes` wrote. `machine` is what is known about nodes that come later.
    #[staticmethod]
    fn from_bytes(bytes: &Bound<'_, PyAny>, machine: Machine) -> PyResult<Self> {
        let py = bytes.py();
        let bytes = convert::bytes(bytes)?;
        let inner = py.detach(|| stowplan::Cluster::from_bytes(&bytes, &machine.inner));
        let inner = inner.map_err(|error| refused(py, &error))?;
        Ok(Self::of(machine, inner))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> convert::Again<'py, (Bound<'py, PyBytes>, Machine)> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py)?, self.machine.clone())))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |cluster| format!("<{cluster:?}>"))
    }
}

/// A node of a cluster, as it was when it was asked for.
#[pyclass(frozen, eq, hash, module = "stowplan", name = "ClusterNode")]
pub(crate) struct ClusterNode {
    /// Knows the hardware, which is large.
    cluster: Py<Cluster>,
    now: Now,
}

/// What a node was like.
#[derive(Clone, PartialEq, Eq, Hash, IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
struct Now {
    name: String,
    standing: String,
    slots: u32,
    max_slots: Option<u32>,
    free_slots: u32,
    procs: u32,
    free_cpus: Vec<u32>,
    free_gpus: Vec<u32>,
}

impl Now {
    fn of(node: &stowplan::ClusterNode<'_>) -> Self {
        Self {
            name: node.name(),
            standing: match node.standing() {
                Standing::Up => "up",
                Standing::Down => "down",
                Standing::Drained => "drained",
            }
            .to_owned(),
            slots: node.slots(),
            max_slots: node.max_slots(),
            free_slots: node.free_slots(),
            procs: node.procs(),
            free_cpus: node.free_cpus(),
            free_gpus: node.free_gpus(),
        }
    }
}

impl PartialEq for ClusterNode {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now
    }
}

impl Eq for ClusterNode {}

impl Hash for ClusterNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.now.hash(state);
    }
}

#[pymethods]
impl ClusterNode {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.now.name
    }
    /// How it stands: `up`, `down` or `drained`.
    #[getter]
    fn standing(&self) -> &str {
        &self.now.standing
    }
    /// Its slots, taken ones too.
    #[getter]
    const fn slots(&self) -> u32 {
        self.now.slots
    }
    /// How many processes it may hold at most, or None.
    #[getter]
    const fn max_slots(&self) -> Option<u32> {
        self.now.max_slots
    }
    /// The slots that no process has.
    #[getter]
    const fn free_slots(&self) -> u32 {
        self.now.free_slots
    }
    /// Processes on it, of all jobs.
    #[getter]
    const fn procs(&self) -> u32 {
        self.now.procs
    }
    /// The cpus by OS number that no process took, ascending.
    #[getter]
    fn free_cpus(&self) -> Vec<u32> {
        self.now.free_cpus.clone()
    }
    /// The GPUs by visible number that no job holds, ascending.
    #[getter]
    fn free_gpus(&self) -> Vec<u32> {
        self.now.free_gpus.clone()
    }
    /// Its hardware, with the GPUs that jobs hold: that of the cluster's node of this name. `KeyError` if the cluster has no such node
    /// any more.
    #[getter]
    fn topology(&self, py: Python<'_>) -> PyResult<Topology> {
        let name = &self.now.name;
        let found = self.cluster.get().with(py, |cluster| {
            let node = cluster.node(name);
            node.map(|node| node.topology())
        })?;
        let gone = || PyKeyError::new_err(name.clone());
        found.map(Topology::of_node).ok_or_else(gone)
    }

    /// A node from what it was like: what pickle calls.
    #[staticmethod]
    fn _of(cluster: Py<Cluster>, now: Now) -> Self {
        Self { cluster, now }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Py<Cluster>, Now)> {
        let made = py.get_type::<Self>().getattr("_of")?;
        Ok((made, (self.cluster.clone_ref(py), self.now.clone())))
    }

    fn __repr__(&self) -> String {
        let Now {
            name,
            standing,
            slots,
            free_slots,
            ..
        } = &self.now;
        format!("<node {name} is {standing}, {free_slots} of {slots} slots free>")
    }
}

/// Why a job does not start now. `str` has it as sentences.
#[pyclass(frozen, eq, hash, module = "stowplan", name = "Waiting")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Waiting {
    /// The class of the refusal.
    #[pyo3(get)]
    kind: String,
    /// The sentence of the refusal.
    #[pyo3(get)]
    message: String,
    /// The jobs, oldest first, after whose end it starts: this was tried. None if it does not start even when all jobs end.
    #[pyo3(get)]
    waits_for: Option<Vec<u64>>,
    text: String,
}

#[pymethods]
impl Waiting {
    /// An answer from its parts: what pickle calls.
    #[staticmethod]
    const fn _of(kind: String, message: String, waits_for: Option<Vec<u64>>, text: String) -> Self {
        Self {
            kind,
            message,
            waits_for,
            text,
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = py.get_type::<Self>().getattr("_of")?;
        let Self { kind, message, .. } = self;
        (made, (kind, message, &self.waits_for, &self.text)).into_bound_py_any(py)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Waiting: {}>", self.kind)
    }
}
