//! GPUs of processes, as numbers.

use crate::answer::{count, list};
use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::Space;
use crate::slice::StowSlice;

/// The GPUs of a process, as numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_gpu_numbers(
    plan: *const StowPlan,
    rank: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list(plan, space, |plan| Ok(plan.proc(rank)?.gpus().to_vec())) }
}

/// The GPUs of a process of a slice, as numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_gpu_numbers(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(slice, space, |slice| {
            Ok(slice.proc(local_rank)?.gpus().to_vec())
        })
    }
}

/// Ids of sets of GPUs are below this number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_gpusets(plan: *const StowPlan) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(plan, |plan| plan.gpus().sets() as usize) }
}

/// A set of GPUs by its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_gpuset(
    plan: *const StowPlan,
    id: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(plan, space, |plan| {
            let set = plan.gpus().set(id).map(<[u32]>::to_vec);
            set.ok_or_else(|| Fail::NotFound(format!("there is no set of GPUs {id}")))
        })
    }
}
