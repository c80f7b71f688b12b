//! What is slow, told while it goes on, and ended where the user says so.

use std::io;

/// Hears now and then how far a long output has come.
pub trait Watch {
    /// `done` of `all` ranks are written.
    ///
    /// # Errors
    /// When the output is to end here, as after an interrupt.
    fn at(&mut self, done: u32, all: u32) -> io::Result<()>;
}

/// Nobody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn at(&mut self, _done: u32, _all: u32) -> io::Result<()> {
        Ok(())
    }
}
