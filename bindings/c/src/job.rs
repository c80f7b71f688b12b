//! `stow_job`: describes a job. `plan.rs` and `cluster.rs` place it.

use crate::answer::list_with;
use crate::constants::{STOW_COUNT, STOW_JOB};
use crate::fail::Fail;
use crate::pointer::{Out, Space, bytes, change, free, text, words};
use crate::refusal::StowError;
use crate::status::call_with;
use face::job::draft::{Draft, Kind, Whose};
use face::job::error::JobError;
use std::ffi::c_char;
use std::sync::OnceLock;

/// The description of a job, and the job made from it, which is kept until something is set; opaque to callers.
pub struct StowJob {
    draft: Draft,
    made: OnceLock<Result<face::Job, face::Error>>,
    /// Whether it was read with the words of components, which a description does not have.
    fixed: bool,
}

impl StowJob {
    fn new(draft: Draft) -> Self {
        Self {
            draft,
            made: OnceLock::new(),
            fixed: false,
        }
    }

    /// A job that was read otherwise. Nothing can be set any more.
    pub(crate) fn fixed(job: face::Job) -> Self {
        Self {
            draft: Draft::default(),
            made: OnceLock::from(Ok(job)),
            fixed: true,
        }
    }

    /// The job as it is described now.
    pub(crate) fn job(&self) -> Result<&face::Job, Fail> {
        let made = self.made.get_or_init(|| face::Job::of_draft(&self.draft));
        made.as_ref().map_err(|error| error.clone().into())
    }

    fn set(&mut self, set: impl FnOnce(&mut Draft) -> Result<(), JobError>) -> Result<(), Fail> {
        self.open()?;
        set(&mut self.draft)?;
        self.made = OnceLock::new();
        Ok(())
    }

    /// Whether anything can be set.
    fn open(&self) -> Result<(), Fail> {
        match self.fixed {
            false => Ok(()),
            true => Err(Fail::Invalid(
                "a job that was read with components takes no more words",
            )),
        }
    }

    fn app(&self, app: u32) -> Result<(), Fail> {
        self.open()?;
        if self.draft.has_app(app) {
            return Ok(());
        }
        let apps = self.draft.apps();
        Err(Fail::NotFound(format!(
            "there is no app {app}; the job has {apps}"
        )))
    }

    fn whose(&self, app: u32) -> Result<Whose, Fail> {
        if app == STOW_JOB {
            return Ok(Whose::Job);
        }
        self.app(app)?;
        Ok(Whose::App(app))
    }

    fn set_policy(&mut self, kind: Kind, app: u32, policy: &str) -> Result<(), Fail> {
        let whose = self.whose(app)?;
        self.set(|draft| draft.set_policy(kind, whose, policy))
    }
}

/// A job without apps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_new(out: *mut *mut StowJob, error: *mut *mut StowError) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        call_with(error, || {
            Out::new(out)?.give(StowJob::new(Draft::default()))
        })
    }
}

/// Reads the words of a command line after the launcher's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_from_words(
    line: *const *const c_char,
    count: usize,
    out: *mut *mut StowJob,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (words, out) = unsafe { (words(line, count)?, Out::new(out)?) };
        out.give(StowJob::new(Draft::from_words(&words)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Reads a spawn request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_from_json(
    json: *const c_char,
    len: usize,
    out: *mut *mut StowJob,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (json, out) = unsafe { (text(json, len)?, Out::new(out)?) };
        out.give(StowJob::new(Draft::from_json(json)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Adds an app.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_add_app(
    job: *mut StowJob,
    program: *const c_char,
    len: usize,
    procs: u32,
    app: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, program, app) = unsafe { (change(job)?, text(program, len)?, Out::new(app)?) };
        let procs = (procs != STOW_COUNT).then_some(procs);
        let mut number = 0;
        job.set(|draft| {
            number = draft.add_app(program, procs)?;
            Ok(())
        })?;
        app.put(number)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Sets the nodes that an app names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_hosts(
    job: *mut StowJob,
    app: u32,
    list: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, list) = unsafe { (change(job)?, text(list, len)?) };
        job.app(app)?;
        job.set(|draft| draft.set_hosts(app, list))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Sets the contents of an app's hostfile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_hostfile(
    job: *mut StowJob,
    app: u32,
    contents: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, contents) = unsafe { (change(job)?, text(contents, len)?) };
        job.app(app)?;
        job.set(|draft| draft.set_hostfile(app, contents))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

unsafe fn set_policy(
    kind: Kind,
    job: *mut StowJob,
    app: u32,
    (policy, len): (*const c_char, usize),
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, policy) = unsafe { (change(job)?, text(policy, len)?) };
        job.set_policy(kind, app, policy)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Sets the map policy: where processes go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_map_by(
    job: *mut StowJob,
    app: u32,
    policy: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { set_policy(Kind::Map, job, app, (policy, len), error) }
}

/// Sets the rank policy: the order in which processes get their ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_rank_by(
    job: *mut StowJob,
    app: u32,
    policy: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { set_policy(Kind::Rank, job, app, (policy, len), error) }
}

/// Sets the bind policy: what processes are bound to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_bind_to(
    job: *mut StowJob,
    app: u32,
    policy: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { set_policy(Kind::Bind, job, app, (policy, len), error) }
}

/// Sets a variable of the environment of an app, or of the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_env(
    job: *mut StowJob,
    app: u32,
    name: *const c_char,
    name_len: usize,
    value: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, name, value) =
            unsafe { (change(job)?, text(name, name_len)?, text(value, len)?) };
        let whose = job.whose(app)?;
        job.set(|draft| draft.set_variable(whose, name, value))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Gives the contents of a file that the job's words name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_set_file(
    job: *mut StowJob,
    name: *const c_char,
    name_len: usize,
    contents: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, name, contents) =
            unsafe { (change(job)?, text(name, name_len)?, text(contents, len)?) };
        job.set(|draft| draft.set_file(name, contents))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The job in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_to_bytes(
    job: *const StowJob,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list_with(job, space, error, |job| Ok(job.job()?.to_bytes())) }
}

/// Reads a job from its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_from_bytes(
    start: *const u8,
    len: usize,
    out: *mut *mut StowJob,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (bytes, out) = unsafe { (bytes(start, len)?, Out::new(out)?) };
        out.give(StowJob::new(Draft::from_bytes(bytes)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_job_free(job: *mut StowJob) {
    // SAFETY: the caller guarantees it.
    unsafe { free(job) }
}
