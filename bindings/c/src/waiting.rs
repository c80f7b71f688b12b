//! `stow_waiting`: why a job does not start now.

use crate::answer::{list, part};
use crate::cluster::{StowCluster, numbers};
use crate::fail::Fail;
use crate::job::StowJob;
use crate::pointer::{Out, Space, free, read};
use crate::refusal::{StowError, string};
use crate::status::call_with;
use std::ffi::{CString, c_char};

/// Why a job does not start now; opaque to callers.
pub struct StowWaiting {
    page: CString,
    class: CString,
    message: CString,
    jobs: Option<Vec<u64>>,
}

/// Explains why a job does not start now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_explain(
    cluster: *const StowCluster,
    job: *const StowJob,
    out: *mut *mut StowWaiting,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, job, out) = unsafe { (read(cluster)?, read(job)?, Out::new(out)?) };
        let told = cluster.cluster.explain(job.job()?);
        let starts = || Fail::NotFound("the job starts now".to_owned());
        let told = told.ok_or_else(starts)?;
        out.give(StowWaiting {
            page: string(&told.to_string()),
            class: string(told.error().class()),
            message: string(told.error().message()),
            jobs: told.waits_for().map(|jobs| numbers(jobs.iter().copied())),
        })
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The refusal, and what the job waits for, as sentences.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_waiting_text(waiting: *const StowWaiting) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(waiting, |waiting| Some(&waiting.page)) }
}

/// The class of the refusal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_waiting_class(waiting: *const StowWaiting) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(waiting, |waiting| Some(&waiting.class)) }
}

/// The sentence of the refusal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_waiting_message(waiting: *const StowWaiting) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(waiting, |waiting| Some(&waiting.message)) }
}

/// The jobs after whose end it starts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_waiting_jobs(
    waiting: *const StowWaiting,
    out: *mut u64,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(waiting, space, |waiting| {
            let never = || Fail::NotFound("it does not start even if all jobs end".to_owned());
            waiting.jobs.clone().ok_or_else(never)
        })
    }
}

/// Frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_waiting_free(waiting: *mut StowWaiting) {
    // SAFETY: the caller guarantees it.
    unsafe { free(waiting) }
}
