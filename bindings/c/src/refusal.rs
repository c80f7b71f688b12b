//! An error, with its parts as C strings.

use std::ffi::CString;
use std::ops::Range;

/// An error; opaque to callers.
pub struct StowError {
    pub(crate) class: CString,
    pub(crate) message: CString,
    pub(crate) hint: CString,
    pub(crate) text: CString,
    pub(crate) span: Option<Range<usize>>,
}

/// Text as a C string; a NUL in it becomes `?`.
pub(crate) fn string(text: &str) -> CString {
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

    /// The error of the job at a place among several, which its message names.
    pub(crate) fn of_job(at: usize, error: &face::Error) -> Self {
        Self {
            message: string(&format!("job {at}: {}", error.message())),
            ..Self::of(error)
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
