//! `stow_refused`: what a refused job lacks, and which jobs would fit in its place.

use crate::answer::{count, part};
use crate::fail::Fail;
use crate::machine::StowMachine;
use crate::pointer::{Out, free, read, words};
use crate::refusal::{StowError, string};
use crate::status::{call, call_with};
use face::Refused;
use std::ffi::{CString, c_char};

/// What a refused job lacks; opaque to callers.
pub struct StowRefused {
    told: Refused,
    page: CString,
    class: CString,
    message: CString,
    missing: CString,
    nearest: Vec<Near>,
}

/// A job that fits.
struct Near {
    change: CString,
    words: Vec<CString>,
}

/// Explains why a command line is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_explain(
    line: *const *const c_char,
    count: usize,
    machine: *const StowMachine,
    out: *mut *mut StowRefused,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (words, machine, out) =
            unsafe { (words(line, count)?, read(machine)?, Out::new(out)?) };
        face::Job::from_command_line(&words)?;
        let told = Refused::explain(words, &machine.0).ok_or_else(|| {
            let why = "the job is placed, or refused for another reason than a lack of room";
            Fail::NotFound(why.to_owned())
        })?;
        let near = told.nearest().map(|near| Near {
            change: string(near.change()),
            words: near.words().iter().map(|word| string(word)).collect(),
        });
        out.give(StowRefused {
            nearest: near.collect(),
            page: string(&told.to_string()),
            class: string(told.class()),
            message: string(told.message()),
            missing: string(told.missing()),
            told,
        })
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

unsafe fn number(
    refused: *const StowRefused,
    out: *mut u64,
    number: fn(&Refused) -> Option<u64>,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (refused, out) = unsafe { (read(refused)?, Out::new(out)?) };
        let found = number(&refused.told);
        out.put(found.ok_or_else(|| Fail::NotFound("it is no number".to_owned()))?)
    })
}

/// How many are asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_asked(refused: *const StowRefused, out: *mut u64) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(refused, out, Refused::asked) }
}

/// How many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_there(refused: *const StowRefused, out: *mut u64) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(refused, out, Refused::there) }
}

/// The page that `stowplan explain` prints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_text(refused: *const StowRefused) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(refused, |refused| Some(&refused.page)) }
}

/// The class of the refusal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_class(refused: *const StowRefused) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(refused, |refused| Some(&refused.class)) }
}

/// Its message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_message(refused: *const StowRefused) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(refused, |refused| Some(&refused.message)) }
}

/// What is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_missing(refused: *const StowRefused) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(refused, |refused| Some(&refused.missing)) }
}

/// How many jobs that fit were found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_nearest(refused: *const StowRefused) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(refused, |refused| refused.nearest.len()) }
}

/// The option in which a job that fits differs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_change(
    refused: *const StowRefused,
    near: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(refused, |refused| {
            Some(&refused.nearest.get(near as usize)?.change)
        })
    }
}

/// How many words its command line has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_words(refused: *const StowRefused, near: u32) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(refused, |refused| {
            refused
                .nearest
                .get(near as usize)
                .map_or(0, |near| near.words.len())
        })
    }
}

/// A word of its command line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_word(
    refused: *const StowRefused,
    near: u32,
    word: u32,
) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe {
        part(refused, |refused| {
            refused.nearest.get(near as usize)?.words.get(word as usize)
        })
    }
}

/// Frees what is known of a refused job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_refused_free(refused: *mut StowRefused) {
    // SAFETY: the caller guarantees it.
    unsafe { free(refused) }
}
