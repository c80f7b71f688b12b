//! `stow_error`: what a refusal says.

use crate::fail::Fail;
use crate::pointer::{Out, free, read};
pub use crate::refusal::StowError;
use crate::status::call;
use std::ffi::{CString, c_char};

unsafe fn part(error: *const StowError, part: fn(&StowError) -> &CString) -> *const c_char {
    // SAFETY: handed on.
    match unsafe { read(error) } {
        Ok(error) => part(error).as_ptr(),
        Err(_) => c"".as_ptr(),
    }
}

/// Its class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_class(error: *const StowError) -> *const c_char {
    // SAFETY: handed on.
    unsafe { part(error, |error| &error.class) }
}

/// Its sentence.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_message(error: *const StowError) -> *const c_char {
    // SAFETY: handed on.
    unsafe { part(error, |error| &error.message) }
}

/// What would work.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_hint(error: *const StowError) -> *const c_char {
    // SAFETY: handed on.
    unsafe { part(error, |error| &error.hint) }
}

/// The text in which the words meant stand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_text(error: *const StowError) -> *const c_char {
    // SAFETY: handed on.
    unsafe { part(error, |error| &error.text) }
}

/// The bytes of the text that are meant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_span(
    error: *const StowError,
    start: *mut usize,
    end: *mut usize,
) -> u32 {
    call(|| {
        // SAFETY: handed on.
        let (error, start, end) = unsafe { (read(error)?, Out::new(start)?, Out::new(end)?) };
        let span = error.span.clone();
        let span = span.ok_or_else(|| Fail::NotFound("no words are meant".to_owned()))?;
        start.put(span.start)?;
        end.put(span.end)
    })
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_free(error: *mut StowError) {
    // SAFETY: handed on.
    unsafe { free(error) }
}
