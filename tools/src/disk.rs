//! Reads the files that a request names from the disk: one reader and one limit for all of them. `-` is standard input.

use crate::bounded::{Unread, bounded};
use crate::stdin;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

/// The most bytes read from a device: no job is kept in one, and some devices never end.
pub const DEVICE_BYTES_MAX: usize = 1 << 20;

/// How long to wait for the writer of a named pipe.
pub const PIPE_WAIT: Duration = Duration::from_secs(5);

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

    fn is_plan(&self, path: &str) -> bool {
        // Devices and pipes are no plans, and reading them would take something away.
        let plain = std::fs::metadata(path).is_ok_and(|about| about.is_file());
        let mut start = [0; 7];
        plain
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
            && Plan::is_sealed(&start)
    }
}

/// Opens a file for reading. A named pipe without a writer is given up after [`PIPE_WAIT`].
///
/// # Errors
/// In words: why the file cannot be read.
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

/// Opens a named pipe. As this blocks until a writer comes, another thread does it; it is left behind if none comes.
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

/// The message of a system error, without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
