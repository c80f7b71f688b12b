//! `stow_taskmap`: task maps, read and written.

use crate::answer::say_with;
use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::{Out, Room, Space, bytes, free, read};
use crate::refusal::StowError;
use crate::status::call_with;
use face::taskmap::{Encoder, FORM_WORDS, JobNode, Limits, TaskMap};
use std::ffi::c_char;

/// A task map; opaque to callers.
pub struct StowTaskmap(TaskMap);

/// Reads a task map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_read(
    text: *const c_char,
    len: usize,
    out: *mut *mut StowTaskmap,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (text, out) = unsafe { (bytes(text.cast(), len)?, Out::new(out)?) };
        out.give(StowTaskmap(TaskMap::read(text).map_err(face::Error::from)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The task map of a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_of_plan(
    plan: *const StowPlan,
    out: *mut *mut StowTaskmap,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (plan, out) = unsafe { (read(plan)?, Out::new(out)?) };
        out.give(StowTaskmap(plan.plan.task_map()?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

unsafe fn number(
    map: *const StowTaskmap,
    out: *mut u32,
    error: *mut *mut StowError,
    number: impl FnOnce(&TaskMap) -> Result<u32, face::Error>,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (map, out) = unsafe { (read(map)?, Out::new(out)?) };
        out.put(number(&map.0)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// How many tasks there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_tasks(
    map: *const StowTaskmap,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(map, out, error, |map| Ok(map.task_count()?.0)) }
}

/// How many nodes there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_nodes(
    map: *const StowTaskmap,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(map, out, error, |map| Ok(map.node_count()?)) }
}

/// The node of a task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_node_of(
    map: *const StowTaskmap,
    task: u32,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        number(map, out, error, |map| {
            Ok(map.node_of(stowplan_engine::count::Rank(task))?.0)
        })
    }
}

/// The tasks of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_tasks_of(
    map: *const StowTaskmap,
    node: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    let work = || {
        // SAFETY: the caller guarantees it.
        let (map, room) = unsafe { (read(map)?, Room::new(&space)?) };
        let node = JobNode(node);
        // A short text may say more tasks than there is memory for: they are made only where there is room for them.
        let count = map.0.count_of(node).map_err(face::Error::from)?.0 as usize;
        if !room.holds(count) {
            return room.too_small(count);
        }
        let ranges = map.0.tasks_of(node).map_err(face::Error::from)?;
        room.put(&ranges.flatten().collect::<Vec<u32>>())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The map as text in one of the forms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_text(
    map: *const StowTaskmap,
    form: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say_with(map, space, error, |map| {
            let form = FORM_WORDS.get(form as usize).map(|(_, form)| *form);
            let form = form.ok_or(Fail::Invalid("there is no such form"))?;
            let text = map.0.text(form, Encoder::Best, Limits::default());
            Ok(text.map_err(face::Error::from)?.to_string())
        })
    }
}

/// Frees a task map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_taskmap_free(map: *mut StowTaskmap) {
    // SAFETY: the caller guarantees it.
    unsafe { free(map) }
}
