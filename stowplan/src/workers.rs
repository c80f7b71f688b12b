//! The threads that work is shared between.
//!
//! Large jobs are shared between rayon's threads. These do not live on in a child of `fork`, where waiting for them would never
//! end; a child brings threads of its own to each call.

use crate::Error;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that called first: rayon's own threads are its. The one thing here that calls have in common; it only ever goes
/// from nothing to that process.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// Does work that may be shared.
///
/// # Errors
/// `internal` where a child of `fork` cannot start a thread.
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
