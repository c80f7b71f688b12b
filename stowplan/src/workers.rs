//! The threads that work is shared between.
//!
//! The work of large jobs is shared between rayon's threads. A child of `fork` does not have these threads, so it would wait for
//! them forever. A child therefore starts a thread of its own for each call.

use crate::Error;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that called first; rayon's own threads belong to it. This is the only state that calls share. It changes only once,
/// from 0 to the id of that process.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// Runs work that may be shared between threads.
///
/// # Errors
/// `internal` when a child of `fork` cannot start a thread.
pub(crate) fn run<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let here = std::process::id();
    let first = FIRST.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed);
    if first.map_or_else(|first| first == here, |_| true) || rayon::current_thread_index().is_some()
    {
        return Ok(work());
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let threads = threads.map_err(|error| Error::told("internal", &error.to_string()))?;
    Ok(threads.install(work))
}
