//! Shows the progress of a long output: on a terminal, when it takes more than a second.

use crate::format::screen::grouped;
use crate::format::watch::Watch;
use crate::interrupt::Writing;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How long to wait before the first message.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait between messages.
const PACE: Duration = Duration::from_millis(200);

/// Whether somebody watches the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// A terminal.
    Terminal,
    /// A file, a pipe, a test.
    Nobody,
}

/// Watches an output: shows its progress on a terminal, and ends it after an interrupt.
pub struct Progress<'e> {
    audience: Audience,
    err: &'e mut dyn Write,
    next: Instant,
    shown: usize,
    writing: Writing,
}

impl<'e> Progress<'e> {
    /// Starts the clock.
    pub fn new(audience: Audience, err: &'e mut dyn Write) -> Self {
        Self {
            audience,
            err,
            next: Instant::now() + PATIENCE,
            shown: 0,
            writing: Writing::start(),
        }
    }
}

impl Watch for Progress<'_> {
    fn at(&mut self, done: u32, all: u32) -> io::Result<()> {
        self.writing.go_on()?;
        if self.audience == Audience::Nobody || Instant::now() < self.next {
            return Ok(());
        }
        self.next = Instant::now() + PACE;
        let percent = u64::from(done) * 100 / u64::from(all.max(1));
        let line = format!(
            "{percent:3}%  {} of {} ranks",
            grouped(u64::from(done)),
            grouped(u64::from(all))
        );
        self.shown = line.len();
        // It does not matter if nobody can see it.
        let _ = write!(self.err, "\r{line}").and_then(|()| self.err.flush());
        Ok(())
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if self.shown > 0 {
            let _ =
                write!(self.err, "\r{}\r", " ".repeat(self.shown)).and_then(|()| self.err.flush());
        }
    }
}
