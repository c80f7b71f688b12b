//! The files that a request names, read from the disk: one reader for all of them, with one limit; `-` is standard input.

use crate::stdin;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::stage::resolve::Files;

/// Bytes that are read from a device: nobody keeps a job in one, and some never end.
pub const DEVICE_BYTES_MAX: usize = 1 << 20;

/// How long a named pipe may be without a writer.
pub const PIPE_WAIT: Duration = Duration::from_secs(5);

/// Bytes of a piece, where nobody knows how many come.
const STEP: usize = 1 << 20;

/// Reads files by path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if path == stdin::STDIN {
            return stdin::bytes().map(<[u8]>::to_vec);
        }
        let (file, about) = open(path)?;
        let limit = limit_of(about.file_type());
        let size = usize::try_from(about.len()).unwrap_or(usize::MAX);
        if about.is_file() && size > limit {
            return Err(too_long(limit));
        }
        bounded(file, limit, size).map_err(|error| match error {
            Unread::TooLong => too_long(limit),
            Unread::Io(error) => plain(&error),
        })
    }
}

/// Opens a file to read it: a named pipe that nobody writes to is given up after [`PIPE_WAIT`].
///
/// # Errors
/// Why it cannot be read, in words.
pub fn open(path: &str) -> Result<(File, Metadata), String> {
    let about = std::fs::metadata(path).map_err(|error| plain(&error))?;
    if about.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let file = if is_pipe(about.file_type()) {
        open_pipe(path)?
    } else {
        File::open(path).map_err(|error| plain(&error))?
    };
    let about = file.metadata().map_err(|error| plain(&error))?;
    Ok((file, about))
}

/// Opening a named pipe waits for its writer: another thread does, and is left behind if none comes.
fn open_pipe(path: &str) -> Result<File, String> {
    let (give, take) = channel();
    let name = path.to_owned();
    std::thread::spawn(move || drop(give.send(File::open(name))));
    match take.recv_timeout(PIPE_WAIT) {
        Ok(opened) => opened.map_err(|error| plain(&error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(format!(
            "it is a pipe that nobody writes to, for {} seconds",
            PIPE_WAIT.as_secs()
        )),
    }
}

/// Why something was not read to its end.
#[derive(Debug)]
pub enum Unread {
    /// It has more bytes than may be.
    TooLong,
    /// The system says why.
    Io(io::Error),
}

/// Reads all that is there, at most `limit` bytes. `expected`: how many there may be, 0 if nobody knows. Memory: the bytes,
/// and where more come than were expected, the latter again while they are joined.
///
/// # Errors
/// [`Unread`].
pub fn bounded(mut from: impl Read, limit: usize, expected: usize) -> Result<Vec<u8>, Unread> {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut step = expected.min(limit) + 1;
    let mut had = 0;
    loop {
        let more = step.min(limit + 1 - had);
        let mut piece = with_room(more)?;
        let read = from.by_ref().take(more as u64).read_to_end(&mut piece);
        let read = read.map_err(Unread::Io)?;
        had += read;
        if had > limit {
            return Err(Unread::TooLong);
        }
        pieces.push(piece);
        if read < more {
            return joined(pieces, had);
        }
        step = STEP;
    }
}

fn with_room(bytes: usize) -> Result<Vec<u8>, Unread> {
    let mut room = Vec::new();
    room.try_reserve_exact(bytes)
        .map_err(|error| Unread::Io(io::Error::other(error)))?;
    Ok(room)
}

fn joined(mut pieces: Vec<Vec<u8>>, bytes: usize) -> Result<Vec<u8>, Unread> {
    if let [_] = pieces.as_slice() {
        return Ok(pieces.swap_remove(0));
    }
    let mut whole = with_room(bytes)?;
    for piece in pieces {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

fn too_long(limit: usize) -> String {
    format!("it has more than {limit} bytes")
}

#[cfg(unix)]
fn is_pipe(file: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&file)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

#[cfg(unix)]
fn limit_of(file: FileType) -> usize {
    use std::os::unix::fs::FileTypeExt as _;
    if file.is_char_device() || file.is_block_device() {
        DEVICE_BYTES_MAX
    } else {
        TEXT_BYTES_MAX
    }
}

#[cfg(not(unix))]
fn limit_of(_: FileType) -> usize {
    TEXT_BYTES_MAX
}

/// What the system said, without the number of the error.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_bounded() {
        let read = |bytes: usize, limit| bounded(io::repeat(7).take(bytes as u64), limit, 0);
        assert_eq!(read(300_000, 300_000).unwrap().len(), 300_000);
        assert!(matches!(read(300_001, 300_000), Err(Unread::TooLong)));
        assert_eq!(read(0, 0).unwrap().len(), 0);
        let endless = bounded(io::repeat(7), 1 << 20, 0);
        assert!(matches!(endless, Err(Unread::TooLong)));
    }
}
