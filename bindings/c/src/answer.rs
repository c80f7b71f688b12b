//! Answers about a handle that are written into the caller's memory: one function for each kind of answer.

use crate::fail::Fail;
use crate::pointer::{Room, Space, read};
use crate::proc::{self, StowProc};
use crate::refusal::StowError;
use crate::status::{ask, call, call_with};
use std::ffi::{CString, c_char};
use std::ptr::null_mut;

/// Writes text about a handle, for a function that returns no error.
pub(crate) unsafe fn say<'h, H: 'h, S: AsRef<str>>(
    handle: *const H,
    space: Space<c_char>,
    text: impl FnOnce(&'h H) -> Result<S, Fail>,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { say_with(handle, space, null_mut(), text) }
}

/// Writes text about a handle.
pub(crate) unsafe fn say_with<'h, H: 'h, S: AsRef<str>>(
    handle: *const H,
    space: Space<c_char>,
    error: *mut *mut StowError,
    text: impl FnOnce(&'h H) -> Result<S, Fail>,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (handle, room) = unsafe { (read(handle)?, Room::new(&space)?) };
        room.put_text(text(handle)?.as_ref())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Writes several items about a handle, for a function that returns no error.
pub(crate) unsafe fn list<H, T: Copy>(
    handle: *const H,
    space: Space<T>,
    items: impl FnOnce(&H) -> Result<Vec<T>, Fail>,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { list_with(handle, space, null_mut(), items) }
}

/// Writes several items about a handle.
pub(crate) unsafe fn list_with<H, T: Copy>(
    handle: *const H,
    space: Space<T>,
    error: *mut *mut StowError,
    items: impl FnOnce(&H) -> Result<Vec<T>, Fail>,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (handle, room) = unsafe { (read(handle)?, Room::new(&space)?) };
        room.put(&items(handle)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Writes one process of a handle.
pub(crate) unsafe fn tell<H>(
    handle: *const H,
    out: *mut StowProc,
    proc: impl FnOnce(&H) -> Result<StowProc, Fail>,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it. NULL and a wrong size are reported before a process that is not found.
        let handle = unsafe {
            let handle = read(handle)?;
            proc::judge(out)?;
            handle
        };
        let told = proc(handle)?;
        // SAFETY: the caller guarantees it.
        unsafe { proc::put(out, told) }
    })
}

/// A part of a handle that is a C string and lives as long as the handle; "" if there is none.
pub(crate) unsafe fn part<H>(
    handle: *const H,
    part: impl FnOnce(&H) -> Option<&CString>,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    let found = unsafe { read(handle) }.ok().and_then(part);
    found.map_or_else(|| c"".as_ptr(), |text| text.as_ptr())
}

/// How many there are of something; 0 for NULL.
pub(crate) unsafe fn count<H>(handle: *const H, count: impl FnOnce(&H) -> usize) -> u32 {
    ask(|| {
        // SAFETY: the caller guarantees it.
        let handle = unsafe { read(handle) }.ok()?;
        u32::try_from(count(handle)).ok()
    })
}
