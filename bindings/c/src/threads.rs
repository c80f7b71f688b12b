//! `stow_threads`: where an OpenMP runtime puts the threads of a process.

use crate::answer::{count, part, say};
use crate::constants::STOW_NONE;
use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::{Out, Space, free, read, text, words};
use crate::refusal::{StowError, string};
use crate::status::{call, call_with};
use crate::topology::StowTopology;
use face::openmp::{self, Runtime, Threads};
use std::ffi::{CString, c_char};

/// The threads of a process; opaque to callers.
pub struct StowThreads {
    each: Vec<Placed>,
    places: Vec<String>,
    bind: CString,
}

/// A thread.
struct Placed {
    name: CString,
    place: u32,
    cpus: String,
}

impl From<Threads> for StowThreads {
    fn from(found: Threads) -> Self {
        let each = found.iter().map(|(thread, place, cpus)| Placed {
            name: string(&thread.to_string()),
            place: place
                .and_then(|place| u32::try_from(place).ok())
                .unwrap_or(STOW_NONE),
            cpus: cpus.list(),
        });
        Self {
            each: each.collect(),
            places: found.places().map(|cpus| cpus.list()).collect(),
            bind: string(found.bind()),
        }
    }
}

/// The threads of a rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_new(
    plan: *const StowPlan,
    rank: u32,
    runtime: *const c_char,
    len: usize,
    out: *mut *mut StowThreads,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (plan, runtime, out) = unsafe { (read(plan)?, text(runtime, len)?, Out::new(out)?) };
        let rank = plan.proc(rank)?.rank();
        let runtime: Runtime = runtime.parse()?;
        out.give(StowThreads::from(plan.plan.threads(rank, &runtime)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The threads of a process that has these cpus and variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_from_cpus(
    topology: *const StowTopology,
    cpus: *const c_char,
    cpus_len: usize,
    variables: *const *const c_char,
    count: usize,
    runtime: *const c_char,
    len: usize,
    out: *mut *mut StowThreads,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (topology, cpus, out) =
            unsafe { (read(topology)?, text(cpus, cpus_len)?, Out::new(out)?) };
        // SAFETY: the caller guarantees it.
        let (variables, runtime) = unsafe { (words(variables, count)?, text(runtime, len)?) };
        let mut env = Vec::new();
        for word in &variables {
            let variable = word.split_once('=');
            env.push(variable.ok_or(Fail::Invalid("a variable is not NAME=VALUE"))?);
        }
        let runtime: Runtime = runtime.parse()?;
        out.give(StowThreads::from(openmp::threads(
            &topology.0,
            cpus,
            env,
            &runtime,
        )?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// How many threads there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_count(threads: *const StowThreads) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(threads, |threads| threads.each.len()) }
}

/// The name of a thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_name(
    threads: *const StowThreads,
    thread: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(threads, |threads| {
            Some(&threads.each.get(thread as usize)?.name)
        })
    }
}

fn placed(threads: &StowThreads, thread: u32) -> Result<&Placed, Fail> {
    threads.each.get(thread as usize).ok_or_else(|| {
        let count = threads.each.len();
        Fail::NotFound(format!("there is no thread {thread}; there are {count}"))
    })
}

/// The place of a thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_place(
    threads: *const StowThreads,
    thread: u32,
    place: *mut u32,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (threads, place) = unsafe { (read(threads)?, Out::new(place)?) };
        place.put(placed(threads, thread)?.place)
    })
}

/// The cpus of a thread, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_cpus(
    threads: *const StowThreads,
    thread: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(threads, space, |threads| Ok(&placed(threads, thread)?.cpus)) }
}

/// How many places the place list has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_places(threads: *const StowThreads) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(threads, |threads| threads.places.len()) }
}

/// The cpus of a place, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_place_cpus(
    threads: *const StowThreads,
    place: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(threads, space, |threads| {
            let found = threads.places.get(place as usize);
            found.ok_or_else(|| Fail::NotFound(format!("there is no place {place}")))
        })
    }
}

/// What `omp_get_proc_bind` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_bind(threads: *const StowThreads) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(threads, |threads| Some(&threads.bind)) }
}

/// Frees threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_threads_free(threads: *mut StowThreads) {
    // SAFETY: the caller guarantees it.
    unsafe { free(threads) }
}
