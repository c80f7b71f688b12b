//! Ends a long output cleanly when the user asks for it.

use std::io;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use stowplan::answers::file_draft::end_without;

/// Nothing is being written: an interrupt may end the process at once.
const IDLE: u8 = 0;
/// An output is being written: an interrupt ends it at its next block.
const WRITING: u8 = 1;
/// The output is to end.
const STOPPING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Listens for signals that end the process, once per process: incomplete files are removed first. If listening fails, signals
/// end the process as usual.
///
/// A signal that was ignored when the process began, as under `nohup`, stays ignored.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    // Exceeding the file size limit is then an error of the write, like a full disk.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let ignored = ignored();
    let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    if let Ok(mut signals) = Signals::new(heard) {
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if signal == SIGINT {
                    interrupted();
                } else {
                    end_without(|| {
                        let _ = signal_hook::low_level::emulate_default_handler(signal);
                    });
                }
            }
        });
    }
}

/// The ignored signals as bits, from signal 1 on; none if the system does not tell.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok())
        .unwrap_or(0)
}

/// Listens for interrupts, once per process. If listening fails, an interrupt ends the process as usual.
#[cfg(not(unix))]
pub fn listen() {
    // Nothing depends on success.
    let _ = ctrlc::set_handler(interrupted);
}

/// The first interrupt of a long output ends the output at its next block; any other ends the process.
fn interrupted() {
    let first = STATE.compare_exchange(WRITING, STOPPING, Ordering::SeqCst, Ordering::SeqCst);
    if first.is_err() {
        end_without(|| std::process::exit(i32::from(crate::report::STOPPED)));
    }
}

/// An output that is being written.
#[derive(Debug)]
pub struct Writing(());

impl Writing {
    /// From now on, an interrupt ends the output at its next block.
    #[must_use]
    pub fn start() -> Self {
        STATE.store(WRITING, Ordering::SeqCst);
        Self(())
    }

    /// # Errors
    /// If there was an interrupt.
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

/// The user ended the output.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it was interrupted")]
struct Stop;

/// Whether an error is an interrupt.
#[must_use]
pub fn is_stop(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stop>())
}
