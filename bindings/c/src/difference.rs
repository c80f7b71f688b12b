//! `stow_difference`: what moved between two plans.

use crate::answer::{count, part, say};
use crate::plan::StowPlan;
use crate::pointer::{Out, Space, free, read};
use crate::refusal::{StowError, string};
use crate::status::call_with;
use face::Difference;
use std::ffi::{CString, c_char};

/// What moved between two plans; opaque to callers.
pub struct StowDifference {
    told: Difference,
    page: CString,
    cause: Option<Cause>,
}

/// The one option in which the requests differ.
struct Cause {
    option: CString,
    app: u32,
    before: CString,
    after: CString,
}

/// Compares two plans.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_diff(
    before: *const StowPlan,
    after: *const StowPlan,
    out: *mut *mut StowDifference,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (before, after, out) = unsafe { (read(before)?, read(after)?, Out::new(out)?) };
        let told = before.plan.diff(&after.plan);
        let cause = told.cause().map(|cause| Cause {
            option: string(cause.option()),
            app: cause.app(),
            before: string(cause.before().unwrap_or_default()),
            after: string(cause.after().unwrap_or_default()),
        });
        let page = string(&told.to_string());
        out.give(StowDifference { told, page, cause })
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The page that `stowplan diff` prints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_text(difference: *const StowDifference) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(difference, |difference| Some(&difference.page)) }
}

/// Ranks with the same node, local rank, cpus, GPUs and threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_same(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(difference, |difference| difference.told.same() as usize) }
}

/// Ranks that moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(difference, |difference| difference.told.moved() as usize) }
}

/// Those on another node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_node(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_node() as usize
        })
    }
}

/// Those on other cpus of the same node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_cpus(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_cpus() as usize
        })
    }
}

/// Those with only another local rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_local_rank(
    difference: *const StowDifference,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_local_rank() as usize
        })
    }
}

/// Those with only other GPUs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_gpus(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_gpus() as usize
        })
    }
}

/// Those with only other network cards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_nics(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_nics() as usize
        })
    }
}

/// Those of which only threads have other cpus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_moved_threads(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference.told.moved_threads() as usize
        })
    }
}

/// Ranks that the second plan does not have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_gone(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(difference, |difference| difference.told.gone() as usize) }
}

/// Ranks that the first plan does not have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_added(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(difference, |difference| difference.told.added() as usize) }
}

/// 1 if both plans have the same places with other ranks on them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_reordered(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            usize::from(difference.told.is_reordered())
        })
    }
}

/// The one option in which the requests differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_cause(difference: *const StowDifference) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(difference, |difference| {
            Some(&difference.cause.as_ref()?.option)
        })
    }
}

/// Its value in the first plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_cause_before(
    difference: *const StowDifference,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(difference, |difference| {
            Some(&difference.cause.as_ref()?.before)
        })
    }
}

/// Its value in the second plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_cause_after(
    difference: *const StowDifference,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(difference, |difference| {
            Some(&difference.cause.as_ref()?.after)
        })
    }
}

/// The app that has the option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_cause_app(difference: *const StowDifference) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(difference, |difference| {
            difference
                .cause
                .as_ref()
                .map_or(0, |cause| cause.app as usize)
        })
    }
}

/// Both plans as one SVG image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_picture(
    difference: *const StowDifference,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(difference, space, |difference| {
            Ok(difference.told.picture())
        })
    }
}

/// Both plans as a page for a browser.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_html(
    difference: *const StowDifference,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(difference, space, |difference| Ok(difference.told.html())) }
}

/// Frees a difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_difference_free(difference: *mut StowDifference) {
    // SAFETY: the caller guarantees it.
    unsafe { free(difference) }
}
