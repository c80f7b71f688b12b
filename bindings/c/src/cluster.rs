//! `stow_cluster`.

use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::pointer::{Out, change, free, read};
use crate::refusal::StowError;
use crate::status::call_with;

/// A cluster; opaque to callers.
pub struct StowCluster(face::Cluster);

/// A cluster on which nothing is placed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_new(
    machine: *const StowMachine,
    out: *mut *mut StowCluster,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, out) = unsafe { (read(machine)?, Out::new(out)?) };
        out.give(StowCluster(face::Cluster::new(machine.0.clone())))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Places a job on the slots and cpus that are left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_place(
    cluster: *mut StowCluster,
    job: *const StowJob,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, job, out) = unsafe { (change(cluster)?, read(job)?, Out::new(out)?) };
        out.give(StowPlan::new(cluster.0.place(job.job()?)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Takes a job back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_release(
    cluster: *mut StowCluster,
    plan: *const StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, plan) = unsafe { (change(cluster)?, read(plan)?) };
        Ok(cluster.0.release(&plan.plan)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a cluster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_free(cluster: *mut StowCluster) {
    // SAFETY: the caller guarantees it.
    unsafe { free(cluster) }
}
