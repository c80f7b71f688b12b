//! The journal on disk: one writer, synced before it answers; torn tails are cut off; compaction makes a new file.
//! `tools/src/command/session/serve.rs` says when.

use crate::answers::file_draft::{Draft, resolve, sync_folder};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_session::{
    Config, Initial, InitialError, Journal, JournalError, MAGIC, ReplayError, State, Store, restore,
};

/// The most bytes of a journal that we read, and therefore write.
pub const JOURNAL_BYTES_MAX: u64 = 1 << 30;

/// Why a journal file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file system refused.
    #[error("cannot be {doing}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why not.
        error: io::Error,
    },
    /// Another process is writing it.
    #[error("is in use by another writer")]
    InUse,
    /// A directory, a pipe or a device.
    #[error("is no regular file")]
    NoFile,
    /// It does not begin like a journal, and is too large to be any other file that we read.
    #[error("is no journal, and has {bytes} bytes: a text has at most {TEXT_BYTES_MAX}")]
    NoJournal {
        /// Its size.
        bytes: u64,
    },
    /// It is larger than we read.
    #[error("has {bytes} bytes, at most {JOURNAL_BYTES_MAX} are read")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

/// Why a launcher can neither continue a journal nor begin one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The file cannot be used.
    #[error("the journal {0}")]
    File(#[from] FileError),
    /// Its content cannot be continued.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The initial state is invalid.
    #[error(transparent)]
    Initial(#[from] InitialError),
    /// The first frame could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError<io::Error>),
}

fn io_error(doing: &'static str) -> impl Fn(io::Error) -> FileError {
    move |error| FileError::Io { doing, error }
}

/// A journal file that only this process writes. The lock belongs to the open file, so a writer that was killed leaves no lock.
/// ```
/// use stowplan::answers::journal_file::JournalFile;
/// use stowplan_session::{Config, Initial, Name, SpawnedBy, candidates};
/// let path = std::env::temp_dir().join(format!("journal-{}", std::process::id()));
/// let nodes = ["n0", "n1"].map(Name::new).to_vec();
/// let initial = Initial { nodes, ..Initial::default() };
/// drop(JournalFile::start(&path, &Config::default(), &initial)?);
/// // Started again, it leads to the state that was left, whatever is given for a new journal.
/// let (_, state) = JournalFile::start(&path, &Config::default(), &Initial::default())?;
/// assert_eq!(candidates(&state, SpawnedBy::Scheduler, &[])?.names(&state).count(), 2);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JournalFile {
    own: Locked,
    path: PathBuf,
    /// The number of bytes in it. No other process adds any.
    bytes: u64,
}

impl Store for JournalFile {
    type Error = io::Error;
    fn append(&mut self, bytes: &[u8]) -> Result<(), io::Error> {
        let longer = self.bytes + bytes.len() as u64;
        if longer > JOURNAL_BYTES_MAX {
            // Bytes that could not be read again are not written.
            let full = FileError::TooLarge { bytes: longer };
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                full.to_string(),
            ));
        }
        self.own.file.write_all(bytes)?;
        self.bytes = longer;
        Ok(())
    }
    fn sync(&mut self) -> Result<(), io::Error> {
        self.own.file.sync_data()
    }
}

/// The bytes of a journal, for readers. No lock is needed: a reader gets a prefix of the journal.
///
/// # Errors
/// [`FileError`] if the file cannot be read, is not a regular file, or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let metadata = std::fs::metadata(path).map_err(io_error("read"))?;
    if !metadata.is_file() {
        return Err(FileError::NoFile);
    }
    let mut file = File::open(path).map_err(io_error("read"))?;
    let mut head = [0; 7];
    let read = file.read(&mut head).map_err(io_error("read"))?;
    file.rewind().map_err(io_error("read"))?;
    // Refuse a large file that is not a journal before reading it into memory.
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
    // Reserve once instead of growing by doubling.
    let size = usize::try_from(bytes).unwrap_or(usize::MAX);
    all.try_reserve_exact(size.saturating_add(1))
        .map_err(|error| io_error("read")(io::Error::other(error)))?;
    file.take(bytes)
        .read_to_end(&mut all)
        .map_err(io_error("read"))?;
    Ok(all)
}

/// An open file that no other process writes until this is dropped.
///
/// The lock would outlive it where another thread starts a process at that moment: until that process is another program, it has
/// the file open too. So the file is unlocked when it is dropped, but not by a copy of this process, which shares the lock.
#[derive(Debug)]
struct Locked {
    file: File,
    process: u32,
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            // The file is closed now in any case.
            let _ = self.file.unlock();
        }
    }
}

/// Locks a file.
///
/// # Errors
/// `InUse` if another process has locked it.
fn locked(file: File) -> Result<Locked, FileError> {
    match file.try_lock() {
        Ok(()) => {
            let process = std::process::id();
            Ok(Locked { file, process })
        }
        Err(TryLockError::WouldBlock) => Err(FileError::InUse),
        Err(TryLockError::Error(error)) => Err(FileError::Io {
            doing: "locked",
            error,
        }),
    }
}

impl JournalFile {
    /// Opens a journal for writing, or creates an empty one; returns its bytes. Writing continues after them.
    ///
    /// # Errors
    /// [`FileError`]; `InUse` if another process writes it.
    pub fn open(path: &Path) -> Result<(JournalFile, Vec<u8>), FileError> {
        // Links are followed only here, so that the file that is locked, cut and replaced is always the same one.
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
        let mut own = locked(file.map_err(io_error("opened"))?)?;
        // Between open and lock, a compaction may have replaced this file with another one.
        if !is_at(&own.file, &path)? {
            return Err(FileError::InUse);
        }
        let all = read_all(&mut own.file)?;
        if fresh {
            sync_folder(&path).map_err(io_error("synced"))?;
        }
        let bytes = all.len() as u64;
        Ok((Self { own, path, bytes }, all))
    }

    /// Continues the journal at a path, with its torn tail cut off, or begins one there. Returns the journal and the state that
    /// it leads to. `config` and `initial` are for a new journal.
    ///
    /// # Errors
    /// [`StartError`]. A file that is not a journal, or a damaged journal, is not overwritten.
    ///
    /// Cost: the events since the last snapshot.
    pub fn start(
        path: &Path,
        config: &Config,
        initial: &Initial,
    ) -> Result<(Journal<JournalFile>, State), StartError> {
        let (mut file, bytes) = Self::open(path)?;
        let recovered = restore(&bytes)?;
        file.cut(recovered.end)?;
        if recovered.next_seq > 0 {
            let journal = Journal::resume(file, &recovered);
            return Ok((journal, recovered.state));
        }
        let state = State::new(*config, initial)?;
        Ok((Journal::begin(file, config, initial)?, state))
    }

    /// Permanently cuts off everything from a byte on: the torn tail, before anything is appended.
    ///
    /// # Errors
    /// [`FileError`] if the file system refuses.
    pub fn cut(&mut self, end: usize) -> Result<(), FileError> {
        let file = &mut self.own.file;
        file.set_len(end as u64).map_err(io_error("cut"))?;
        file.seek(SeekFrom::Start(end as u64))
            .map_err(io_error("cut"))?;
        self.bytes = end as u64;
        self.own.file.sync_all().map_err(io_error("synced"))
    }

    /// Replaces this file with one that has these bytes: created, locked, written, synced, renamed, folder synced. A crash leaves
    /// either the old file or the new one.
    ///
    /// # Errors
    /// [`FileError`] if the file system refuses, or if another file has replaced this one in the meantime; that file is left
    /// unchanged.
    pub fn replace(self, bytes: &[u8]) -> Result<JournalFile, FileError> {
        let draft = Draft::beside(&self.path).map_err(io_error("compacted"))?;
        // The lock belongs to the open file, whatever its name is.
        let file = draft.file().try_clone().map_err(io_error("compacted"))?;
        let mut own = locked(file)?;
        own.file.write_all(bytes).map_err(io_error("compacted"))?;
        if !is_at(&self.own.file, &self.path)? {
            return Err(FileError::InUse);
        }
        draft.take_place().map_err(io_error("compacted"))?;
        let (path, bytes) = (self.path, bytes.len() as u64);
        Ok(Self { own, path, bytes })
    }

    /// The number of bytes in it.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether the open file is the one at the path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> Result<bool, FileError> {
    use std::os::unix::fs::MetadataExt as _;
    let open = file.metadata().map_err(io_error("opened"))?;
    Ok(std::fs::symlink_metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

/// Whether the open file is the one at the path. It is: on these systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> Result<bool, FileError> {
    Ok(true)
}

#[doc(hidden)]
pub mod inside {
    //! For tests alone: what takes another process, or a journal of a gigabyte.

    use super::{File, JournalFile, io};

    /// The open file, as a process has it that is started now.
    ///
    /// # Errors
    /// As the system says.
    pub fn held(journal: &JournalFile) -> io::Result<File> {
        journal.own.file.try_clone()
    }

    /// The journal as a copy of this process has it.
    #[must_use]
    pub const fn left_by_a_copy(mut journal: JournalFile) -> JournalFile {
        journal.own.process += 1;
        journal
    }

    /// The journal as if it had so many bytes.
    #[must_use]
    pub fn with_bytes(journal: JournalFile, bytes: u64) -> JournalFile {
        JournalFile { bytes, ..journal }
    }
}
