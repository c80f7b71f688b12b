//! `stow_slice`.

use crate::answer::{count, list, say, tell};
use crate::fail::Fail;
use crate::pointer::{Out, Space, bytes, free};
use crate::proc::{self, StowProc};
use crate::refusal::StowError;
use crate::status::call_with;
use face::{NodeSlice, SliceProc};
use std::ffi::c_char;

/// One node of a plan; opaque to callers.
pub struct StowSlice(NodeSlice);

impl StowSlice {
    pub(crate) fn proc(&self, local_rank: u32) -> Result<SliceProc<'_>, Fail> {
        self.0.proc(local_rank).ok_or_else(|| {
            let procs = self.0.len();
            Fail::NotFound(format!(
                "there is no local rank {local_rank}; the node has {procs} processes"
            ))
        })
    }
}

/// Reads a slice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_read(
    start: *const u8,
    len: usize,
    out: *mut *mut StowSlice,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (bytes, out) = unsafe { (bytes(start, len)?, Out::new(out)?) };
        out.give(StowSlice(NodeSlice::from_bytes(bytes)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Processes of the whole job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_ranks(slice: *const StowSlice) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(slice, |slice| slice.0.ranks() as usize) }
}

/// Processes on this node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_procs(slice: *const StowSlice) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(slice, |slice| slice.0.len()) }
}

/// The node's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_node_name(
    slice: *const StowSlice,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(slice, space, |slice| Ok(slice.0.name())) }
}

/// One process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_proc(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut StowProc,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { tell(slice, out, |slice| Ok(slice.proc(local_rank)?.into())) }
}

/// The cpus of a process, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_cpus(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(slice, space, |slice| {
            Ok(slice.proc(local_rank)?.cpus().list())
        })
    }
}

/// The GPUs of a process, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_gpus(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(slice, space, |slice| {
            Ok(proc::list(slice.proc(local_rank)?.gpus()))
        })
    }
}

/// The network cards that a process is mapped to, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_nics(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(slice, space, |slice| {
            Ok(slice.proc(local_rank)?.nics().join(","))
        })
    }
}

/// The cpus of a process, as bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_cpu_words(
    slice: *const StowSlice,
    local_rank: u32,
    out: *mut u64,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list(slice, space, |slice| {
            Ok(proc::words(slice.proc(local_rank)?.cpus()))
        })
    }
}

/// Frees a slice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_slice_free(slice: *mut StowSlice) {
    // SAFETY: the caller guarantees it.
    unsafe { free(slice) }
}
