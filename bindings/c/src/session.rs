//! `stow_session`: sessions and reservations, as lines of JSON.

use crate::answer::{list, list_with, say};
use crate::machine::StowMachine;
use crate::pointer::{Out, Space, bytes, change, free, read, text, words};
use crate::refusal::StowError;
use crate::status::call_with;
use face::session::{By, Channel, State, candidates};
use std::ffi::c_char;

/// Sessions, and the answer to the last event; opaque to callers.
pub struct StowSession {
    channel: Channel,
    answer: String,
}

impl StowSession {
    pub(crate) fn state(&self) -> &State {
        self.channel.state()
    }
}

/// Who spawns a job: a namespace, or the scheduler for none.
pub(crate) fn spawner(namespace: &str) -> By<'_> {
    if namespace.is_empty() {
        By::Scheduler
    } else {
        By::Namespace(namespace)
    }
}

fn session(channel: Channel) -> StowSession {
    StowSession {
        channel,
        answer: String::new(),
    }
}

/// Begins sessions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_new(
    first: *const c_char,
    len: usize,
    out: *mut *mut StowSession,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (first, out) = unsafe { (text(first, len)?, Out::new(out)?) };
        out.give(session(Channel::begin(first).map_err(face::Error::from)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Goes on where a journal ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_from_journal(
    start: *const u8,
    len: usize,
    out: *mut *mut StowSession,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (bytes, out) = unsafe { (bytes(start, len)?, Out::new(out)?) };
        out.give(session(Channel::resume(bytes).map_err(face::Error::from)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Judges an event and applies it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_event(
    session: *mut StowSession,
    event: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (session, event) = unsafe { (change(session)?, text(event, len)?) };
        session.answer = session.channel.answer(event).map_err(face::Error::from)?;
        Ok(())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// The answer to the last event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_answer(
    session: *const StowSession,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(session, space, |session| Ok(&session.answer)) }
}

/// The bytes of the journal that wait to be kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_journal(
    session: *const StowSession,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { list(session, space, |session| Ok(session.channel.journal())) }
}

/// Says that the bytes that waited are safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_kept(
    session: *mut StowSession,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        unsafe { change(session)? }.channel.kept();
        Ok(())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// A short journal that leads to the same sessions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_compact(
    session: *const StowSession,
    out: *mut u8,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        list_with(session, space, error, |session| {
            Ok(session.channel.compact().map_err(face::Error::from)?)
        })
    }
}

/// The machine for a job that may use only the nodes that its sessions let it see.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_within(
    machine: *const StowMachine,
    session: *const StowSession,
    namespace: *const c_char,
    len: usize,
    targets: *const *const c_char,
    count: usize,
    out: *mut *mut StowMachine,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, session, out) = unsafe { (read(machine)?, read(session)?, Out::new(out)?) };
        // SAFETY: the caller guarantees it.
        let (namespace, targets) = unsafe { (text(namespace, len)?, words(targets, count)?) };
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let state = session.state();
        let seen = candidates(state, spawner(namespace), &targets).map_err(face::Error::from)?;
        out.give(StowMachine(machine.0.within(&seen, state)))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees sessions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_session_free(session: *mut StowSession) {
    // SAFETY: the caller guarantees it.
    unsafe { free(session) }
}
