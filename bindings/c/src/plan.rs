//! `stow_plan`: places a job (`stow_plan_new`), and answers questions about the plan.

use crate::answer::{count, list, list_with, say, say_with, tell};
use crate::fail::Fail;
use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::pointer::{Out, Space, bytes, free, read, text};
use crate::proc::{self, StowProc};
use crate::refusal::StowError;
use crate::status::{call, call_with};
use face::{GpuColumn, Node, Plan, Proc, Rank, Table};
use std::ffi::c_char;
use std::sync::OnceLock;

/// A plan, and its columns, which are made when they are first asked for; opaque to callers.
pub struct StowPlan {
    pub(crate) plan: Plan,
    table: OnceLock<Table>,
    gpus: OnceLock<GpuColumn>,
}

impl StowPlan {
    pub(crate) fn new(plan: Plan) -> Self {
        Self {
            plan,
            table: OnceLock::new(),
            gpus: OnceLock::new(),
        }
    }

    pub(crate) fn table(&self) -> &Table {
        self.table.get_or_init(|| self.plan.table())
    }

    pub(crate) fn gpus(&self) -> &GpuColumn {
        self.gpus.get_or_init(|| self.plan.gpu_column())
    }

    pub(crate) fn proc(&self, rank: u32) -> Result<Proc<'_>, Fail> {
        self.plan.proc(Rank::new(rank)).ok_or_else(|| {
            Fail::NotFound(format!(
                "there is no rank {rank}; the job has {}",
                self.plan.len()
            ))
        })
    }

    pub(crate) fn node(&self, node: u32) -> Result<Node<'_>, Fail> {
        self.plan.nodes().nth(node as usize).ok_or_else(|| {
            let nodes = self.plan.nodes().len();
            Fail::NotFound(format!("there is no node {node}; the plan has {nodes}"))
        })
    }
}

/// Places a job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_new(
    job: *const StowJob,
    machine: *const StowMachine,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (job, machine, out) = unsafe { (read(job)?, read(machine)?, Out::new(out)?) };
        out.give(StowPlan::new(Plan::new(job.job()?, &machine.0)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Processes of the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_ranks(plan: *const StowPlan) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(plan, |plan| plan.plan.len()) }
}

/// Nodes of the pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_nodes(plan: *const StowPlan) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(plan, |plan| plan.plan.nodes().len()) }
}

/// Apps of the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_apps(plan: *const StowPlan) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(plan, |plan| plan.plan.apps() as usize) }
}

/// Ids of cpu sets are below this number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_cpusets(plan: *const StowPlan) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(plan, |plan| plan.plan.cpusets() as usize) }
}

/// One process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_proc(
    plan: *const StowPlan,
    rank: u32,
    out: *mut StowProc,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { tell(plan, out, |plan| Ok(plan.proc(rank)?.into())) }
}

/// The cpus of a process, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_cpus(
    plan: *const StowPlan,
    rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.proc(rank)?.cpus().list())) }
}

/// The GPUs of a process, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_gpus(
    plan: *const StowPlan,
    rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(proc::list(plan.proc(rank)?.gpus()))) }
}

/// The network cards that a process is mapped to, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_nics(
    plan: *const StowPlan,
    rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.proc(rank)?.nics().join(","))) }
}

/// The cpus of a process, as bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_cpu_words(
    plan: *const StowPlan,
    rank: u32,
    out: *mut u64,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list(plan, space, |plan| Ok(proc::words(plan.proc(rank)?.cpus()))) }
}

/// The name of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_name(
    plan: *const StowPlan,
    node: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.node(node)?.name().to_owned())) }
}

/// Finds the number of a node by its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_find(
    plan: *const StowPlan,
    name: *const c_char,
    len: usize,
    node: *mut u32,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (plan, name, out) = unsafe { (read(plan)?, text(name, len)?, Out::new(node)?) };
        let found = plan.plan.node(name);
        let found = found.ok_or_else(|| Fail::NotFound(format!("there is no node {name:?}")))?;
        out.put(found.number())
    })
}

/// The ranks on a node, by local rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_ranks(
    plan: *const StowPlan,
    node: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(plan, space, |plan| {
            let procs = plan.node(node)?.procs();
            Ok(procs.map(|proc| proc.rank().into()).collect())
        })
    }
}

/// A cpu set by its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_cpuset(
    plan: *const StowPlan,
    id: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(plan, space, |plan| {
            let cpus = plan.plan.cpus(id);
            let cpus = cpus.ok_or_else(|| Fail::NotFound(format!("there is no cpu set {id}")))?;
            Ok(cpus.list())
        })
    }
}

/// The notes, one in each line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_notes(
    plan: *const StowPlan,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(plan, space, |plan| {
            let notes = plan.plan.notes().iter();
            Ok(notes.map(|note| format!("{note}\n")).collect::<String>())
        })
    }
}

/// The task map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_task_map(
    plan: *const StowPlan,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say_with(plan, space, error, |plan| {
            Ok(plan.plan.task_map()?.to_string())
        })
    }
}

/// Verifies a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_check(plan: *const StowPlan, error: *mut *mut StowError) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, || Ok(read(plan)?.plan.check()?)) }
}

/// The plan in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_to_bytes(
    plan: *const StowPlan,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list_with(plan, space, error, |plan| Ok(plan.plan.to_bytes())) }
}

/// The part of the plan that every daemon needs, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_to_broadcast(
    plan: *const StowPlan,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list_with(plan, space, error, |plan| Ok(plan.plan.to_broadcast())) }
}

/// The part of the plan that the daemon of one node needs, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_slice(
    plan: *const StowPlan,
    node: u32,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list_with(plan, space, error, |plan| Ok(plan.node(node)?.to_bytes())) }
}

/// Reads a plan from its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_from_bytes(
    start: *const u8,
    len: usize,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (bytes, out) = unsafe { (bytes(start, len)?, Out::new(out)?) };
        out.give(StowPlan::new(Plan::from_bytes(bytes)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_free(plan: *mut StowPlan) {
    // SAFETY: the caller guarantees it.
    unsafe { free(plan) }
}
