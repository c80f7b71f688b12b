//! Why a rank is where it is, what a refused job lacks, and what moved between two plans.

use crate::convert;
use crate::error::not_placed;
use crate::job::line_words;
use crate::machine::Machine;
use crate::process::Proc;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Why a rank is where it is.
#[pyclass(frozen, module = "stowplan", name = "Explanation")]
pub(crate) struct Explanation {
    told: stowplan::Explanation,
    plan: stowplan::Plan,
    rank: u32,
}

impl Explanation {
    pub(crate) fn new(plan: &stowplan::Plan, rank: u32) -> Option<Self> {
        let told = plan.explain(stowplan::Rank::new(rank))?;
        let plan = plan.clone();
        Some(Self { told, plan, rank })
    }
}

#[pymethods]
impl Explanation {
    /// The process.
    #[getter]
    fn proc(&self) -> Proc {
        Proc::new(&self.plan, self.rank)
    }

    /// The sentences of the explanation, from the map word to the cpus.
    #[getter]
    fn why(&self) -> Vec<String> {
        self.told.why().to_vec()
    }

    /// The policy words that decided where the rank is, each a dict: option, value, from, rule.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let words = self.told.words().map(|word| {
            let dict = PyDict::new(py);
            dict.set_item("option", word.option())?;
            dict.set_item("value", word.value())?;
            dict.set_item("from", word.from())?;
            dict.set_item("rule", word.rule())?;
            Ok(dict)
        });
        words.collect()
    }

    /// A change of one option that puts the rank elsewhere, as a dict: change, rank, node, `local_rank`, cpus. None if no change does.
    #[getter]
    fn instead<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(other) = self.told.instead() else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("change", other.change())?;
        dict.set_item("rank", self.rank)?;
        dict.set_item("node", other.node())?;
        dict.set_item("local_rank", other.local_rank())?;
        dict.set_item("cpus", other.cpus())?;
        Ok(Some(dict))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.rank == other.rank && self.told == other.told
        })
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&(self.rank, self.told.why()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Bound<'py, PyAny>, u32)> {
        let read = convert::class(py, "Plan")?.getattr("explain")?;
        Ok((read, (convert::plan(py, &self.plan)?, self.rank)))
    }

    fn __str__(&self) -> String {
        self.told.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Explanation of rank {}>", self.rank)
    }
}

/// What moved between two plans, counted by rank.
#[pyclass(frozen, module = "stowplan", name = "Difference")]
pub(crate) struct Difference {
    told: stowplan::Difference,
    plans: [stowplan::Plan; 2],
}

impl Difference {
    pub(crate) fn new(a: &stowplan::Plan, b: &stowplan::Plan) -> Self {
        let plans = [a.clone(), b.clone()];
        let told = a.diff(b);
        Self { told, plans }
    }
}

#[pymethods]
impl Difference {
    /// Ranks with the same node, local rank and cpus.
    #[getter]
    fn same(&self) -> u32 {
        self.told.same()
    }

    /// How many ranks moved, as a dict: to another node, to other cpus of the same node, only to another local rank.
    #[getter]
    fn moved<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("node", self.told.moved_node())?;
        dict.set_item("cpus", self.told.moved_cpus())?;
        dict.set_item("local_rank", self.told.moved_local_rank())?;
        dict.set_item("gpus", self.told.moved_gpus())?;
        dict.set_item("nics", self.told.moved_nics())?;
        dict.set_item("threads", self.told.moved_threads())?;
        Ok(dict)
    }

    /// Whether both plans have the same places, with other ranks on them.
    #[getter]
    fn reordered(&self) -> bool {
        self.told.is_reordered()
    }

    /// Ranks that the other plan does not have.
    #[getter]
    fn gone(&self) -> u32 {
        self.told.gone()
    }

    /// Ranks that this plan does not have.
    #[getter(new)]
    fn added(&self) -> u32 {
        self.told.added()
    }

    /// The one option in which the requests differ, as a dict: option, app, a, b. None unless exactly one option differs.
    #[getter]
    fn cause<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(cause) = self.told.cause() else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("option", cause.option())?;
        dict.set_item("app", cause.app())?;
        dict.set_item("a", cause.before())?;
        dict.set_item("b", cause.after())?;
        Ok(Some(dict))
    }

    /// Both plans as one SVG image, with the ranks that moved marked.
    fn picture(&self) -> String {
        self.told.picture()
    }

    /// Both plans as a page for a browser.
    fn html(&self) -> String {
        self.told.html()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.told == other.get().told)
    }

    fn __hash__(&self) -> u64 {
        let told = &self.told;
        convert::hash(&(told.same(), told.moved(), told.gone(), told.added()))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> convert::Again<'py, (Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let read = convert::class(py, "Plan")?.getattr("diff")?;
        let [a, b] = &self.plans;
        Ok((read, (convert::plan(py, a)?, convert::plan(py, b)?)))
    }

    /// Whether anything differs.
    fn __bool__(&self) -> bool {
        !self.told.is_same()
    }

    fn __str__(&self) -> String {
        self.told.to_string()
    }

    fn __repr__(&self) -> String {
        let told = &self.told;
        let (same, moved) = (told.same(), told.moved());
        format!(
            "<{same} same, {moved} moved, {} gone, {} new>",
            told.gone(),
            told.added()
        )
    }

    /// The picture, for a notebook.
    fn _repr_html_(&self) -> String {
        self.told.picture()
    }
}

/// What a refused job lacks, and the nearest jobs that fit.
#[pyclass(frozen, module = "stowplan", name = "Refused")]
pub(crate) struct Refused {
    told: stowplan::Refused,
    asked: (Vec<String>, Machine),
}

#[pymethods]
impl Refused {
    /// Explains why a command line is refused. None if its job is placed, or refused for an error in its words.
    #[staticmethod]
    fn explain(line: &Bound<'_, PyAny>, machine: &Machine) -> PyResult<Option<Self>> {
        let py = line.py();
        let words = line_words(line)?;
        stowplan::Job::from_command_line(&words).map_err(|error| not_placed(py, &error))?;
        let told = py.detach(|| stowplan::Refused::explain(&words, &machine.inner));
        let asked = (words, machine.clone());
        Ok(told.map(|told| Self { told, asked }))
    }

    /// The class of the refusal.
    #[getter]
    fn kind(&self) -> &'static str {
        self.told.class()
    }

    /// The message of the refusal.
    #[getter]
    fn message(&self) -> &str {
        self.told.message()
    }

    /// What is missing, as a dict: what, asked, there.
    #[getter]
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("what", self.told.missing())?;
        dict.set_item("asked", self.told.asked())?;
        dict.set_item("there", self.told.there())?;
        Ok(dict)
    }

    /// Jobs that fit and differ from the refused job in one option, each a dict: change, words.
    #[getter]
    fn nearest<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let near = self.told.nearest().map(|near| {
            let dict = PyDict::new(py);
            dict.set_item("change", near.change())?;
            dict.set_item("words", near.words())?;
            Ok(dict)
        });
        near.collect()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.told == other.get().told)
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&self.told.message())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> convert::Again<'py, (Vec<String>, Machine)> {
        let read = py.get_type::<Self>().getattr("explain")?;
        Ok((read, self.asked.clone()))
    }

    fn __str__(&self) -> String {
        self.told.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Refused {}>", self.told.class())
    }
}
