//! How a call ends: with a status, and an error that says why.

use crate::fail::Fail;
use crate::refusal::StowError;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

/// The call succeeded.
pub const STOW_OK: u32 = 0;
/// The request, text or bytes are wrong.
pub const STOW_REFUSED: u32 = 1;
/// An argument is invalid.
pub const STOW_INVALID: u32 = 2;
/// The caller's memory is too small for the answer.
pub const STOW_TOO_SMALL: u32 = 3;
/// There is no such rank, node, app, id, name or span.
pub const STOW_NOT_FOUND: u32 = 4;
/// A panic was caught.
pub const STOW_INTERNAL: u32 = 5;

/// Sets a panic hook once that prints nothing, because the status reports a panic. It affects only this copy of the runtime.
static QUIET: Once = Once::new();

fn caught(work: impl FnOnce() -> Result<(), Fail>) -> (u32, Option<StowError>) {
    QUIET.call_once(|| set_hook(Box::new(|_| {})));
    // A panic can leave a handle half changed. Only this call borrowed the handle, and it stays safe to free.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => (STOW_OK, None),
        Ok(Err(Fail::TooSmall)) => (STOW_TOO_SMALL, None),
        Ok(Err(Fail::Refused(error))) if error.class() == "internal" => {
            (STOW_INTERNAL, Some(StowError::of(&error)))
        }
        Ok(Err(Fail::Refused(error))) => (STOW_REFUSED, Some(StowError::of(&error))),
        Ok(Err(Fail::RefusedOf(at, error))) => (STOW_REFUSED, Some(StowError::of_job(at, &error))),
        Ok(Err(Fail::Told(class, what))) => (STOW_REFUSED, Some(StowError::told(class, what))),
        Ok(Err(Fail::Invalid(what))) => (
            STOW_INVALID,
            Some(StowError::told("invalid-argument", what)),
        ),
        Ok(Err(Fail::NotFound(what))) => {
            (STOW_NOT_FOUND, Some(StowError::told("not-found", &what)))
        }
        Err(_) => {
            let what = "a fault of the library was caught; please report it with what was asked";
            (STOW_INTERNAL, Some(StowError::told("internal", what)))
        }
    }
}

/// Runs a call that returns a status but no error.
pub(crate) fn call(work: impl FnOnce() -> Result<(), Fail>) -> u32 {
    caught(work).0
}

/// Runs a call that returns a status, and an error if the caller wants one.
pub(crate) unsafe fn call_with(
    error: *mut *mut StowError,
    work: impl FnOnce() -> Result<(), Fail>,
) -> u32 {
    let (status, why) = caught(work);
    if !error.is_null() {
        let why = why.map_or(std::ptr::null_mut(), |why| Box::into_raw(Box::new(why)));
        // SAFETY: it is not NULL, and the header asks for a pointer that may be written to.
        unsafe { error.write_unaligned(why) };
    }
    status
}

/// Runs a question that returns no status: 0 if it cannot be answered.
pub(crate) fn ask(work: impl FnOnce() -> Option<u32>) -> u32 {
    catch_unwind(AssertUnwindSafe(work))
        .ok()
        .flatten()
        .unwrap_or(0)
}
