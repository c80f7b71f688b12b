//! `stow_cluster`: jobs that come and go on the same nodes. `cluster_nodes.rs` has the nodes, `waiting.rs` the jobs that do not start
//! now.

use crate::answer::{list, list_with};
use crate::fail::Fail;
use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::pointer::{Out, Space, bytes, change, free, read, text, words};
use crate::refusal::StowError;
use crate::session::{StowSession, spawner};
use crate::status::{call, call_with};
use face::{Cluster, JobId};
use std::ffi::c_char;
use std::sync::OnceLock;

/// A cluster, and the names of its nodes, which are listed when one is asked for; opaque to callers.
pub struct StowCluster {
    pub(crate) cluster: Cluster,
    names: OnceLock<Vec<String>>,
}

impl StowCluster {
    const fn new(cluster: Cluster) -> Self {
        Self {
            cluster,
            names: OnceLock::new(),
        }
    }

    /// The cluster for changing.
    pub(crate) fn change(&mut self) -> &mut Cluster {
        self.names = OnceLock::new();
        &mut self.cluster
    }

    pub(crate) fn names(&self) -> &[String] {
        let all = || self.cluster.nodes().map(|node| node.name()).collect();
        self.names.get_or_init(all)
    }
}

/// Numbers of jobs as C has them.
pub(crate) fn numbers(jobs: impl IntoIterator<Item = JobId>) -> Vec<u64> {
    jobs.into_iter().map(u64::from).collect()
}

/// A cluster without nodes and jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_new(
    machine: *const StowMachine,
    out: *mut *mut StowCluster,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, out) = unsafe { (read(machine)?, Out::new(out)?) };
        out.give(StowCluster::new(Cluster::new(machine.0.clone())))
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
        out.give(StowPlan::new(cluster.change().place(job.job()?)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Where a job would be placed now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_try_place(
    cluster: *const StowCluster,
    job: *const StowJob,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, job, out) = unsafe { (read(cluster)?, read(job)?, Out::new(out)?) };
        out.give(StowPlan::new(cluster.cluster.try_place(job.job()?)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Places a job on the nodes that its sessions let it see.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_place_in_session(
    cluster: *mut StowCluster,
    job: *const StowJob,
    session: *const StowSession,
    namespace: *const c_char,
    len: usize,
    targets: *const *const c_char,
    count: usize,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, job, session) = unsafe { (change(cluster)?, read(job)?, read(session)?) };
        // SAFETY: the caller guarantees it.
        let (namespace, targets) = unsafe { (text(namespace, len)?, words(targets, count)?) };
        // SAFETY: the caller guarantees it.
        let out = unsafe { Out::new(out) }?;
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let (state, by) = (session.state(), spawner(namespace));
        let job = job.job()?;
        let placed = cluster
            .change()
            .place_in_session(job, state, by, &targets)?;
        out.give(StowPlan::new(placed))
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
        Ok(cluster.change().release(&plan.plan)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Takes a job back by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_release_job(
    cluster: *mut StowCluster,
    job: u64,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let cluster = unsafe { change(cluster) }?;
        Ok(cluster.change().release_job(JobId::from(job))?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Takes a running job over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_adopt(
    cluster: *mut StowCluster,
    plan: *const StowPlan,
    job: *mut u64,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, plan, job) = unsafe { (change(cluster)?, read(plan)?, Out::new(job)?) };
        job.put(cluster.change().adopt(&plan.plan)?.into())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The jobs that run, by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_jobs(
    cluster: *const StowCluster,
    out: *mut u64,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(cluster, space, |cluster| {
            Ok(numbers(cluster.cluster.jobs().map(|(job, _)| job)))
        })
    }
}

/// The number of the job of a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_job_of(
    cluster: *const StowCluster,
    plan: *const StowPlan,
    job: *mut u64,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (cluster, plan, job) = unsafe { (read(cluster)?, read(plan)?, Out::new(job)?) };
        let found = cluster.cluster.job_of(&plan.plan);
        let why = || Fail::NotFound("the plan is not that of a job of this cluster".to_owned());
        job.put(found.ok_or_else(why)?.into())
    })
}

/// The plan of a job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_plan(
    cluster: *const StowCluster,
    job: u64,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, out) = unsafe { (read(cluster)?, Out::new(out)?) };
        let plan = cluster.cluster.plan(JobId::from(job));
        let why = || Fail::NotFound(format!("no job {job} runs on this cluster"));
        out.give(StowPlan::new(plan.ok_or_else(why)?.clone()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Another cluster in the same state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_clone(
    cluster: *const StowCluster,
    out: *mut *mut StowCluster,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, out) = unsafe { (read(cluster)?, Out::new(out)?) };
        out.give(StowCluster::new(cluster.cluster.clone()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The nodes and all jobs in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_to_bytes(
    cluster: *const StowCluster,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list_with(cluster, space, error, |own| Ok(own.cluster.to_bytes())) }
}

/// Reads a cluster from its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_from_bytes(
    start: *const u8,
    len: usize,
    machine: *const StowMachine,
    out: *mut *mut StowCluster,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (bytes, machine, out) = unsafe { (bytes(start, len)?, read(machine)?, Out::new(out)?) };
        out.give(StowCluster::new(Cluster::from_bytes(bytes, &machine.0)?))
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
