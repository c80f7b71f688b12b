//! An answer takes so many bytes and so much time. What a connection may send, and how many at once: `serve.rs`.

use super::inline::Inline;
use crate::Console;
use crate::format::screen::Screen;
use crate::progress::Audience;
use crate::report::Refused;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The longest answer, in bytes.
pub const ANSWER_BYTES_MAX: usize = 1 << 25;
/// How long an answer may take.
pub const TIME: Duration = Duration::from_secs(10);

/// Memory that ends: at a size, and at a time.
#[derive(Debug)]
pub struct Bounded {
    /// What was written.
    pub bytes: Vec<u8>,
    until: Instant,
}

impl Default for Bounded {
    /// Memory for an answer that begins now.
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            until: Instant::now() + TIME,
        }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > ANSWER_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if Instant::now() > self.until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a command writes. The first line of standard error is the refusal's affair.
///
/// # Errors
/// Those of the command; `output` beyond the bounds.
pub fn written(
    files: &Inline<'_>,
    command: impl FnOnce(&mut Console<'_>) -> Result<(), Refused>,
) -> Result<Vec<u8>, Refused> {
    let mut out = Bounded::default();
    command(&mut Console {
        out: &mut out,
        err: &mut io::sink(),
        files,
        screen: Screen::page(),
        audience: Audience::Nobody,
    })?;
    Ok(out.bytes)
}

/// Text into bounded memory.
#[derive(Debug)]
pub struct Texted(pub Bounded);

impl std::fmt::Write for Texted {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0
            .write_all(text.as_bytes())
            .map_err(|_| std::fmt::Error)
    }
}
