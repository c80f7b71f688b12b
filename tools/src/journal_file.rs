//! The journal on disk: one writer, synced before it answers, torn tails cut off, compacted by a new file.

use crate::draft::{Draft, resolve, sync_folder};
use crate::stdin;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_session::{
    Config, Initial, InitialError, Journal, JournalError, MAGIC, Mode, ReplayError, State, Store,
    recover,
};

/// Bytes of a journal that we read, and so that we write.
pub const JOURNAL_BYTES_MAX: u64 = 1 << 30;

/// Why a journal file cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file system says so.
    #[error("cannot be {doing}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why not.
        error: io::Error,
    },
    /// Another process writes it.
    #[error("is in use by another writer")]
    InUse,
    /// A directory, a pipe or a device.
    #[error("is no regular file")]
    NoFile,
    /// It does not begin as a journal does, and is too large to be anything else.
    #[error("is no journal, and has {bytes} bytes: a text has at most {TEXT_BYTES_MAX}")]
    NoJournal {
        /// Its size.
        bytes: u64,
    },
    /// Larger than we read.
    #[error("has {bytes} bytes, at most {JOURNAL_BYTES_MAX} are read")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

/// Why a launcher cannot go on from a journal, nor begin one.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The file cannot be had.
    #[error("the journal {0}")]
    File(#[from] FileError),
    /// What is in it cannot be gone on from.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// No state begins so.
    #[error(transparent)]
    Initial(#[from] InitialError),
    /// The first frame was not written.
    #[error(transparent)]
    Journal(#[from] JournalError<io::Error>),
}

fn io_error(doing: &'static str) -> impl Fn(io::Error) -> FileError {
    move |error| FileError::Io { doing, error }
}

/// A journal file that we alone write. The lock goes with the file handle, so a killed writer leaves none behind.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
    path: PathBuf,
    /// Bytes in it, all of them ours.
    bytes: u64,
}

impl Store for JournalFile {
    type Error = io::Error;
    fn append(&mut self, bytes: &[u8]) -> Result<(), io::Error> {
        let longer = self.bytes + bytes.len() as u64;
        if longer > JOURNAL_BYTES_MAX {
            // What cannot be read again is not written.
            let full = FileError::TooLarge { bytes: longer };
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                full.to_string(),
            ));
        }
        self.file.write_all(bytes)?;
        self.bytes = longer;
        Ok(())
    }
    fn sync(&mut self) -> Result<(), io::Error> {
        self.file.sync_data()
    }
}

/// The bytes of a journal, for readers: no lock is needed, what is read is a prefix.
///
/// # Errors
/// [`FileError`] when it cannot be read, is no regular file or too large.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    if path == Path::new(stdin::STDIN) {
        let read = stdin::bytes().map_err(io::Error::other);
        return read.map(<[u8]>::to_vec).map_err(io_error("read"));
    }
    let metadata = std::fs::metadata(path).map_err(io_error("read"))?;
    if !metadata.is_file() {
        return Err(FileError::NoFile);
    }
    let mut file = File::open(path).map_err(io_error("read"))?;
    let mut head = [0; 7];
    let read = file.read(&mut head).map_err(io_error("read"))?;
    file.rewind().map_err(io_error("read"))?;
    // What is no journal need not be held to be told so.
    if head[..read] != MAGIC[..read] && metadata.len() > TEXT_BYTES_MAX as u64 {
        return Err(FileError::NoJournal {
            bytes: metadata.len(),
        });
    }
    read_all(&mut file)
}

fn read_all(file: &mut File) -> Result<Vec<u8>, FileError> {
    let bytes = file.metadata().map_err(io_error("read"))?.len();
    if bytes > JOURNAL_BYTES_MAX {
        return Err(FileError::TooLarge { bytes });
    }
    let mut all = Vec::new();
    // Once, and not by doubling.
    let size = usize::try_from(bytes).unwrap_or(usize::MAX);
    all.try_reserve_exact(size.saturating_add(1))
        .map_err(|error| io_error("read")(io::Error::other(error)))?;
    file.take(bytes)
        .read_to_end(&mut all)
        .map_err(io_error("read"))?;
    Ok(all)
}

fn lock(file: &File) -> Result<(), FileError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(FileError::InUse),
        Err(TryLockError::Error(error)) => Err(FileError::Io {
            doing: "locked",
            error,
        }),
    }
}

impl JournalFile {
    /// Opens a journal to write it, or makes an empty one; gives its bytes. The writer stands behind them.
    ///
    /// # Errors
    /// [`FileError`]; `InUse` when somebody else writes it.
    pub fn open(path: &Path) -> Result<(Self, Vec<u8>), FileError> {
        // Links are followed here, once: what is locked, cut and replaced is one file in one folder.
        let path = resolve(path).map_err(io_error("opened"))?;
        if path.exists() && !path.is_file() {
            return Err(FileError::NoFile);
        }
        let fresh = !path.exists();
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = file.map_err(io_error("opened"))?;
        lock(&file)?;
        // Between open and lock a compaction may have put another file in this one's place.
        if !is_at(&file, &path)? {
            return Err(FileError::InUse);
        }
        let bytes = read_all(&mut file)?;
        if fresh {
            sync_folder(&path).map_err(io_error("synced"))?;
        }
        let own = Self {
            file,
            path,
            bytes: bytes.len() as u64,
        };
        Ok((own, bytes))
    }

    /// Goes on from the journal at a path, its torn tail cut off, or begins one there: the journal, and the state that it
    /// comes to. `config` and `initial` count for a new one.
    ///
    /// # Errors
    /// [`StartError`]; nothing is written over that is no journal or a damaged one.
    ///
    /// Cost: the events since the last snapshot.
    pub fn start(
        path: &Path,
        config: &Config,
        initial: &Initial,
    ) -> Result<(Journal<Self>, State), StartError> {
        let (mut file, bytes) = Self::open(path)?;
        let recovered = recover::<ReplayError>(&bytes, Mode::Fast, |_, _, _| Ok(()))?;
        file.cut(recovered.end)?;
        if recovered.next_seq > 0 {
            let journal = Journal::resume(file, &recovered);
            return Ok((journal, recovered.state));
        }
        let state = State::new(*config, initial)?;
        Ok((Journal::begin(file, config, initial)?, state))
    }

    /// Cuts everything from a byte on, for good: the torn tail, before anything is appended.
    ///
    /// # Errors
    /// [`FileError`] when the file system refuses.
    pub fn cut(&mut self, end: usize) -> Result<(), FileError> {
        self.file.set_len(end as u64).map_err(io_error("cut"))?;
        self.file
            .seek(SeekFrom::Start(end as u64))
            .map_err(io_error("cut"))?;
        self.bytes = end as u64;
        self.file.sync_all().map_err(io_error("synced"))
    }

    /// Puts a file with these bytes in the place of this one: created anew, locked, written, synced, renamed, folder
    /// synced. A crash leaves the old file or the new one.
    ///
    /// # Errors
    /// [`FileError`] when the file system refuses, or another file stands in the place of this one by now; what stands
    /// there is left as it is.
    pub fn replace(self, bytes: &[u8]) -> Result<Self, FileError> {
        let draft = Draft::beside(&self.path).map_err(io_error("compacted"))?;
        lock(draft.file())?;
        let mut file = draft.file();
        file.write_all(bytes).map_err(io_error("compacted"))?;
        if !is_at(&self.file, &self.path)? {
            return Err(FileError::InUse);
        }
        // The lock belongs to the open file, whatever its name.
        let file = draft.take_place().map_err(io_error("compacted"))?;
        let (path, bytes) = (self.path, bytes.len() as u64);
        Ok(Self { file, path, bytes })
    }

    /// Bytes in it.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether the file that is open is the one that stands at the path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> Result<bool, FileError> {
    use std::os::unix::fs::MetadataExt as _;
    let open = file.metadata().map_err(io_error("opened"))?;
    Ok(std::fs::symlink_metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

/// Whether the file that is open is the one that stands at the path: elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> Result<bool, FileError> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_read_again_is_not_written() {
        let path = std::env::temp_dir().join(format!("stowplan-journal-{}", std::process::id()));
        let (mut journal, _) = JournalFile::open(&path).unwrap();
        journal.bytes = JOURNAL_BYTES_MAX - 3;
        journal.append(b"one").unwrap();
        let full = journal.append(b"more").unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        std::fs::remove_file(&path).unwrap();
    }
}
