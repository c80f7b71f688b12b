//! Questions about a plan or a slice whose answer goes into the caller's memory: one function for each kind of answer.

use crate::fail::Fail;
use crate::pointer::{Room, Space, read};
use crate::proc::{self, StowProc};
use crate::refusal::StowError;
use crate::status::{call, call_with};
use std::ffi::c_char;

/// Where a question tells no more than its status.
pub(crate) const UNTOLD: *mut *mut StowError = std::ptr::null_mut();

/// Text about a handle.
pub(crate) unsafe fn say<'h, H: 'h, S: AsRef<str>>(
    handle: *const H,
    space: Space<c_char>,
    error: *mut *mut StowError,
    text: impl FnOnce(&'h H) -> Result<S, Fail>,
) -> u32 {
    let work = || {
        // SAFETY: handed on.
        let (handle, room) = unsafe { (read(handle)?, Room::new(&space)?) };
        room.put_text(text(handle)?.as_ref())
    };
    // SAFETY: handed on.
    unsafe { call_with(error, work) }
}

/// Several items about a handle.
pub(crate) unsafe fn list<H, T: Copy>(
    handle: *const H,
    space: Space<T>,
    error: *mut *mut StowError,
    items: impl FnOnce(&H) -> Result<Vec<T>, Fail>,
) -> u32 {
    let work = || {
        // SAFETY: handed on.
        let (handle, room) = unsafe { (read(handle)?, Room::new(&space)?) };
        room.put(&items(handle)?)
    };
    // SAFETY: handed on.
    unsafe { call_with(error, work) }
}

/// One process of a handle.
pub(crate) unsafe fn tell<H>(
    handle: *const H,
    out: *mut StowProc,
    proc: impl FnOnce(&H) -> Result<StowProc, Fail>,
) -> u32 {
    call(|| {
        // SAFETY: handed on; NULL and a wrong size come before what is not found.
        let handle = unsafe {
            let handle = read(handle)?;
            proc::judge(out)?;
            handle
        };
        let told = proc(handle)?;
        // SAFETY: handed on.
        unsafe { proc::put(out, told) }
    })
}
