//! An error, with its parts as C strings.

use face::Class;
use std::ffi::CString;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// An error; opaque to callers.
pub struct StowError {
    pub(crate) class: CString,
    pub(crate) message: CString,
    pub(crate) hint: CString,
    pub(crate) text: CString,
    pub(crate) span: Option<Range<usize>>,
    pub(crate) number: u32,
    pub(crate) docs: CString,
    pub(crate) app: Option<u32>,
    /// What is asked for help when somebody wants it: help may cost many plans.
    asked: Option<face::Error>,
    help: OnceLock<CString>,
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
            number: u32::from(error.kind().number()),
            docs: string(error.docs()),
            app: error.app(),
            asked: Some(error.clone()),
            help: OnceLock::new(),
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
        let known = Class::of_word(class);
        Self {
            class: string(class),
            message: string(message),
            hint: CString::default(),
            text: CString::default(),
            span: None,
            number: known.map_or(0, |class| u32::from(class.number())),
            docs: string(known.map_or("", Class::docs)),
            app: None,
            asked: None,
            help: OnceLock::new(),
        }
    }

    /// What would work, a line each.
    pub(crate) fn help(&self) -> &CString {
        self.help.get_or_init(|| {
            let asked = self.asked.as_ref();
            let lines = || asked.map(|error| string(&error.help().join("\n")));
            let told = catch_unwind(AssertUnwindSafe(lines));
            told.ok().flatten().unwrap_or_default()
        })
    }
}
