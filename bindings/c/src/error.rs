//! `stow_error`: the parts of an error.

use crate::answer::part;
use crate::fail::Fail;
use crate::pointer::{Out, free, read};
pub use crate::refusal::StowError;
use crate::status::{ask, call};
use std::ffi::c_char;

/// The stable class of an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_class(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(&error.class)) }
}

/// The sentence of an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_message(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(&error.message)) }
}

/// What would work.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_hint(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(&error.hint)) }
}

/// All that would work, a line each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_help(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(error.help())) }
}

/// The number of the class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_number(error: *const StowError) -> u32 {
    ask(|| {
        // SAFETY: the caller guarantees it.
        let error = unsafe { read(error) }.ok()?;
        Some(error.number)
    })
}

/// When an error has this class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_docs(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(&error.docs)) }
}

/// The app that is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_app(error: *const StowError, app: *mut u32) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (error, app) = unsafe { (read(error)?, Out::new(app)?) };
        let found = error.app;
        app.put(found.ok_or_else(|| Fail::NotFound("no app is meant".to_owned()))?)
    })
}

/// The text that contains the words in question.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_text(error: *const StowError) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(error, |error| Some(&error.text)) }
}

/// The bytes of the text that the words in question take up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_error_span(
    error: *const StowError,
    start: *mut usize,
    end: *mut usize,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
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
    // SAFETY: the caller guarantees it.
    unsafe { free(error) }
}
