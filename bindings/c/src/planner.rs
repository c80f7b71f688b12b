//! `stow_planner`: plans one job again each time it loses nodes.

use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::pointer::{Out, change, free, read, text};
use crate::refusal::StowError;
use crate::status::call_with;
use std::ffi::c_char;

/// A planner; opaque to callers.
pub struct StowPlanner(pub(crate) face::Planner);

/// A planner for a job on the nodes that it names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_planner_new(
    job: *const StowJob,
    machine: *const StowMachine,
    out: *mut *mut StowPlanner,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, machine, out) = unsafe { (read(job)?, read(machine)?, Out::new(out)?) };
        out.give(StowPlanner(face::Planner::new(job.job()?, &machine.0)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Places the job on the nodes that are left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_planner_plan(
    planner: *mut StowPlanner,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (planner, out) = unsafe { (change(planner)?, Out::new(out)?) };
        out.give(StowPlan::new(planner.0.plan()?.clone()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Takes a node away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_planner_lose(
    planner: *mut StowPlanner,
    node: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (planner, node) = unsafe { (change(planner)?, text(node, len)?) };
        Ok(planner.0.lose(node)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a planner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_planner_free(planner: *mut StowPlanner) {
    // SAFETY: the caller guarantees it.
    unsafe { free(planner) }
}
