//! Apps and jobs.

use crate::convert;
use crate::error::{bad_value, not_placed};
use crate::items::items;
use crate::words;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

/// The words of a command line, which is one text as typed in a shell, or a list of words.
pub(crate) fn line_words(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let Ok(line) = given.cast::<PyString>() else {
        return items(given, |word| word.extract());
    };
    words::split(line.to_str()?)
        .map_err(|error| bad_value(given.py(), &format!("the command line: {error}")))
}

/// How a text is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// It is the contents of a file.
    Contents,
    /// It is the contents of a file if it has several lines, otherwise words.
    Either,
}

/// The value of an option: words, or the name of a file whose contents are given.
fn given(
    text: Option<String>,
    name: &str,
    how: Given,
    files: &mut Vec<(String, String)>,
) -> Option<String> {
    let text = text?;
    if how == Given::Either && !text.contains('\n') {
        return Some(text);
    }
    files.push((name.to_owned(), text));
    Some(name.to_owned())
}

/// One program of a job: its number of processes, and where and how they are placed.
#[pyclass(
    frozen,
    get_all,
    eq,
    hash,
    module = "stowplan",
    name = "App",
    from_py_object
)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct App {
    /// The program.
    program: String,
    /// Its number of processes; None for as many as policy and slots give.
    procs: Option<u32>,
    /// The nodes that it names, with their slots.
    hosts: Option<String>,
    /// The contents of its hostfile.
    hostfile: Option<String>,
    /// Its map policy.
    map_by: Option<String>,
    /// Its rank policy.
    rank_by: Option<String>,
    /// Its bind policy.
    bind_to: Option<String>,
    /// Variables of its environment that place threads, in order.
    env: Vec<(String, String)>,
}

/// Reads a number of processes. An int out of range is a `PlacementError`, another type is a `TypeError`.
fn procs(py: Python<'_>, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u32>> {
    let Some(value) = value else {
        return Ok(None);
    };
    if !value.is_instance_of::<PyInt>() {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("procs is an int, not {kind}")));
    }
    match value.extract::<u32>() {
        // In C, the largest number means "as many as policy and slots give".
        Ok(procs) if procs < u32::MAX => Ok(Some(procs)),
        Ok(_) | Err(_) => Err(bad_value(
            py,
            &format!("procs {value} is no number of processes"),
        )),
    }
}

#[pymethods]
impl App {
    #[new]
    #[pyo3(signature = (program, *, procs=None, hosts=None, hostfile=None, map_by=None, rank_by=None, bind_to=None, env=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        program: String,
        procs: Option<&Bound<'_, PyAny>>,
        hosts: Option<String>,
        hostfile: Option<String>,
        map_by: Option<String>,
        rank_by: Option<String>,
        bind_to: Option<String>,
        env: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let procs = self::procs(py, procs)?;
        let env = convert::texts(env)?;
        Ok(Self {
            program,
            procs,
            hosts,
            hostfile,
            map_by,
            rank_by,
            bind_to,
            env,
        })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("procs", self.procs)?;
        options.set_item("hosts", &self.hosts)?;
        options.set_item("hostfile", &self.hostfile)?;
        options.set_item("map_by", &self.map_by)?;
        options.set_item("rank_by", &self.rank_by)?;
        options.set_item("bind_to", &self.bind_to)?;
        let env = PyDict::new(py);
        for (name, value) in &self.env {
            env.set_item(name, value)?;
        }
        options.set_item("env", env)?;
        Ok(((self.program.clone(),), options))
    }

    fn __repr__(&self) -> String {
        format!("<App {}>", self.program)
    }
}

impl App {
    fn build(&self) -> stowplan::App {
        let mut app = stowplan::App::new(self.program.clone());
        if let Some(procs) = self.procs {
            app = app.procs(procs);
        }
        if let Some(hosts) = &self.hosts {
            app = app.hosts(hosts.clone());
        }
        if let Some(hostfile) = &self.hostfile {
            app = app.hostfile(hostfile.clone());
        }
        if let Some(map_by) = &self.map_by {
            app = app.map_by(map_by.as_str());
        }
        if let Some(rank_by) = &self.rank_by {
            app = app.rank_by(rank_by.as_str());
        }
        if let Some(bind_to) = &self.bind_to {
            app = app.bind_to(bind_to.as_str());
        }
        for (name, value) in &self.env {
            app = app.env(name.as_str(), value.as_str());
        }
        app
    }
}

/// A job to be placed: apps, and the policies that they share.
#[pyclass(frozen, eq, module = "stowplan", name = "Job", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Job {
    pub(crate) inner: stowplan::Job,
}

#[pymethods]
impl Job {
    #[new]
    #[pyo3(signature = (apps, *, map_by=None, rank_by=None, bind_to=None, files=None, env=None))]
    fn new(
        py: Python<'_>,
        apps: &Bound<'_, PyAny>,
        map_by: Option<&str>,
        rank_by: Option<&str>,
        bind_to: Option<&str>,
        files: Option<&Bound<'_, PyAny>>,
        env: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut job = stowplan::Job::builder();
        if let Some(map_by) = map_by {
            job = job.map_by(map_by);
        }
        if let Some(rank_by) = rank_by {
            job = job.rank_by(rank_by);
        }
        if let Some(bind_to) = bind_to {
            job = job.bind_to(bind_to);
        }
        let apps = items(apps, |app| Ok(app.extract::<App>()?))?;
        for app in &apps {
            job = job.app(app.build());
        }
        for (name, text) in convert::texts(files)? {
            job = job.file(name, text);
        }
        for (name, value) in convert::texts(env)? {
            job = job.env(name, value);
        }
        Self::made(py, job.build())
    }

    /// Reads the words after `prterun` on a command line, or a launcher's own line (`srun -N2 -n8 ./a`): one text as typed in a
    /// shell, or a list of words.
    ///
    /// What the command says before a launcher's line are keywords here: `as_` (whose rules hold: `slurm@24.11`), `hosts` and
    /// `hostfile` (the contents) of the allocation, `alloc` (the words of salloc or sbatch), `granted` (what of each node the job
    /// was given), `site` (settings of the site), `env` (variables that the launcher would see). `files` has the contents of files
    /// that words name.
    #[staticmethod]
    #[pyo3(signature = (words, *, as_=None, hosts=None, hostfile=None, alloc=None, granted=None, site=None, env=None, files=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn from_command_line(
        words: &Bound<'_, PyAny>,
        as_: Option<String>,
        hosts: Option<String>,
        hostfile: Option<String>,
        alloc: Option<String>,
        granted: Option<String>,
        site: Option<String>,
        env: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = words.py();
        let mut files = convert::texts(files)?;
        let mut line = Vec::new();
        let mut say = |option: &str, value: Option<String>| {
            line.extend(
                value
                    .into_iter()
                    .flat_map(|value| [option.to_owned(), value]),
            );
        };
        say("--as", as_);
        say("-H", hosts);
        say(
            "--hostfile",
            given(hostfile, "hostfile", Given::Contents, &mut files),
        );
        say("--alloc", alloc);
        say(
            "--granted",
            given(granted, "granted", Given::Either, &mut files),
        );
        say("--site", given(site, "site", Given::Either, &mut files));
        for (name, value) in convert::texts(env)? {
            say("--env", Some(format!("{name}={value}")));
        }
        line.extend(line_words(words)?);
        Self::made(py, stowplan::Job::from_command_line_with(line, files))
    }

    /// Reads a spawn request in JSON.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::made(py, stowplan::Job::from_json(text))
    }

    /// Reads what `to_bytes` wrote. If the job is refused later, the error has the same kind, but no text.
    #[staticmethod]
    fn from_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = bytes.py();
        Self::made(py, stowplan::Job::from_bytes(&convert::bytes(bytes)?))
    }

    /// The job and its files in bytes, for another process to read.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py),)))
    }

    fn __hash__(&self) -> u64 {
        convert::hash(&self.inner.to_bytes())
    }

    fn __repr__(&self) -> &'static str {
        "<Job>"
    }
}

impl Job {
    pub(crate) fn made(
        py: Python<'_>,
        job: Result<stowplan::Job, stowplan::Error>,
    ) -> PyResult<Self> {
        match job {
            Ok(inner) => Ok(Self { inner }),
            Err(error) => Err(not_placed(py, &error)),
        }
    }

    /// Whether a command line is given: a text, or a list of words.
    pub(crate) fn is_line(given: &Bound<'_, PyAny>) -> bool {
        given.is_instance_of::<PyString>() || given.is_instance_of::<PyList>()
    }

    /// A job that is given as one, or as a command line.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(job) = given.cast::<Self>() {
            return Ok(job.get().clone());
        }
        if Self::is_line(given) {
            return Self::made(
                given.py(),
                stowplan::Job::from_command_line(line_words(given)?),
            );
        }
        let kind = given.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a Job or a command line is needed, not {kind}"
        )))
    }
}
