//! `stow_error`: what a refusal says.

use crate::pointer::{Out, free, read};
use crate::status::{Fail, call};
use std::ffi::{CString, c_char};
use std::ops::Range;

/// A refusal; opaque to callers.
pub struct StowError {
    class: CString,
    message: CString,
    hint: CString,
    text: CString,
    span: Option<Range<usize>>,
}

fn string(text: &str) -> CString {
    let text: Vec<u8> = text
        .bytes()
        .map(|byte| if byte == 0 { b'?' } else { byte })
        .collect();
    CString::new(text).unwrap_or_default()
}

impl StowError {
    pub(crate) fn of(error: &face::Error) -> Self {
        Self {
            class: string(error.class()),
            message: string(error.message()),
            hint: string(error.hint().unwrap_or_default()),
            text: string(error.text().unwrap_or_default()),
            span: error.span(),
        }
    }

    pub(crate) fn told(class: &str, message: &str) -> Self {
        Self {
            class: string(class),
            message: string(message),
            hint: CString::default(),
            text: CString::default(),
            span: None,
        }
    }
}

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
