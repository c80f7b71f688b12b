//! Ending a long output cleanly when the user says so.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

/// Nothing is being written: an interrupt may end the process at once.
const IDLE: u8 = 0;
/// An output is being written: it ends at its next block.
const WRITING: u8 = 1;
/// It is to end.
const STOPPING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Listens for interrupts, once per process. Where that cannot be, an interrupt ends the process as it always does.
pub fn listen() {
    let heard = || {
        // The first interrupt of an output lets it clean up; any other ends the process.
        let first = STATE.compare_exchange(WRITING, STOPPING, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_err() {
            std::process::exit(i32::from(crate::report::STOPPED));
        }
    };
    // Nothing depends on it.
    let _ = ctrlc::set_handler(heard);
}

/// An output that is being written.
#[derive(Debug)]
pub struct Writing(());

impl Writing {
    /// From here on an interrupt ends the output at its next block.
    #[must_use]
    pub fn start() -> Self {
        STATE.store(WRITING, Ordering::SeqCst);
        Self(())
    }

    /// # Errors
    /// When an interrupt came.
    pub fn go_on(&self) -> io::Result<()> {
        if STATE.load(Ordering::SeqCst) == STOPPING {
            return Err(io::Error::other(Stop));
        }
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        STATE.store(IDLE, Ordering::SeqCst);
    }
}

/// The user ended it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it was interrupted")]
struct Stop;

/// Whether an error is an interrupt.
#[must_use]
pub fn is_stop(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stop>())
}
