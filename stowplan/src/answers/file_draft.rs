//! A file that is written next to its target and then replaces it: under the target's name it is complete or not there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most links that are followed from one name, as in Linux.
const LINKS_MAX: usize = 40;
/// The most names that are tried for a draft.
const ATTEMPTS_MAX: u32 = 100;

/// The number of the next draft. No two drafts of this process have the same name, so none removes another.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Drafts that are being written. They are removed before the process ends early.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new file in the folder of the target. It is removed when dropped.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// Creates a draft next to a target. The target must be a path that [`resolve`] returned. Nothing that already exists is
    /// opened, neither under the draft's name nor through a link.
    ///
    /// # Errors
    /// The error of the file system.
    pub fn beside(target: &Path) -> io::Result<Self> {
        // The name is short, so that there can be a draft for every name that the folder allows.
        for _ in 0..ATTEMPTS_MAX {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".stowplan-{}-{number}.part", std::process::id());
            let path = target.with_file_name(name);
            // Locked until the draft is entered: the process cannot end between the creation of a draft and its entry.
            let mut drafts = drafts();
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path);
            match opened {
                Ok(file) => {
                    drafts.push(path.clone());
                    let target = target.to_owned();
                    return Ok(Self { file, path, target });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "drafts of earlier attempts are in the way",
        ))
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Replaces the target with the draft. Safe against a crash: file and folder are synced.
    ///
    /// # Errors
    /// The error of the file system. The target is then unchanged, and the draft is removed.
    pub fn take_place(self) -> io::Result<()> {
        if let Ok(about) = fs::symlink_metadata(&self.target) {
            self.file.set_permissions(about.permissions())?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        sync_folder(&self.target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let mut drafts = drafts();
        drafts.retain(|path| *path != self.path);
        // After a rename there is no draft; otherwise nothing more can be done about a file that cannot be removed.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes every draft, then calls `end` to end the process. No new draft can be created from then on.
pub fn end_without(end: impl FnOnce()) {
    let drafts = drafts();
    for path in drafts.iter() {
        let _ = fs::remove_file(path);
    }
    end();
}

/// Where a path leads. All links are followed, the last one even to a file that does not exist yet.
///
/// # Errors
/// If the folder cannot be found, the path names no file, or its links never end.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "it names no file");
        let name = path.file_name().ok_or_else(invalid)?.to_owned();
        let folder = fs::canonicalize(folder(&path))?;
        path = folder.join(name);
        match fs::read_link(&path) {
            Ok(to) => path = folder.join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

fn folder(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Syncs the folder of a new name, so that the name survives a crash.
///
/// # Errors
/// The error of the file system.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder(path))?.sync_all()?;
    }
    Ok(())
}
