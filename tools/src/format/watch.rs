//! Watches slow outputs: shows their progress, and ends them if the user asks for it.

use std::io;

/// Is called now and then with the progress of a long output.
pub trait Watch {
    /// `done` of `all` ranks have been written.
    ///
    /// # Errors
    /// When the output is to end here, for example after an interrupt.
    fn at(&mut self, done: u32, all: u32) -> io::Result<()>;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn at(&mut self, _done: u32, _all: u32) -> io::Result<()> {
        Ok(())
    }
}
