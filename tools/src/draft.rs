//! A file written beside the one whose place it takes: complete under the name, or not there at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Links that are followed from one name, as many as Linux follows.
const LINKS_MAX: usize = 40;
/// Names that are tried for a draft.
const ATTEMPTS_MAX: u32 = 100;

/// The number of the next draft: no two of this process have one name, so that none removes another's.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Drafts that are being written: what ends the process removes them first.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new file in the folder of the target. Dropped, it goes.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// Creates a draft beside a target, which is a path that [`resolve`] gave. What is there already is never opened:
    /// not under the draft's name, and no link is followed.
    ///
    /// # Errors
    /// What the file system says.
    pub fn beside(target: &Path) -> io::Result<Self> {
        // Short, so that every name that the folder takes can be drafted.
        for _ in 0..ATTEMPTS_MAX {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".stowplan-{}-{number}.part", std::process::id());
            let path = target.with_file_name(name);
            // Held while the file is created: nobody ends the process between its creation and its entry.
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

    /// Puts the draft in the place of the target, safe from a crash: file and folder are synced. Gives the open file.
    ///
    /// # Errors
    /// What the file system says; the target is then what it was, and the draft is gone.
    pub fn take_place(self) -> io::Result<File> {
        if let Ok(about) = fs::symlink_metadata(&self.target) {
            self.file.set_permissions(about.permissions())?;
        }
        self.file.sync_all()?;
        let file = self.file.try_clone()?;
        fs::rename(&self.path, &self.target)?;
        sync_folder(&self.target)?;
        Ok(file)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let mut drafts = drafts();
        drafts.retain(|path| *path != self.path);
        // After a rename there is none; else nothing more can be done about a file that will not go.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes every draft and ends the process in the way given. No draft can be begun any more.
pub fn end_without(end: impl FnOnce()) {
    let drafts = drafts();
    for path in drafts.iter() {
        let _ = fs::remove_file(path);
    }
    end();
}

/// Where a path leads: links are followed, once and for all, the last one also to a file that is not there yet.
///
/// # Errors
/// When its folder cannot be had, it names none, or its links never end.
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

/// Makes a new name in a folder safe from a crash.
///
/// # Errors
/// What the file system says.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder(path))?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn drafts_of_many_threads_in_one_folder_leave_each_other_alone() {
        let folder = std::env::temp_dir().join(format!("stowplan-draft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let target = folder.join(thread.to_string());
                scope.spawn(move || {
                    for round in 0..200 {
                        let draft = Draft::beside(&target).unwrap();
                        write!(draft.file(), "{round}").unwrap();
                        draft.take_place().unwrap();
                        assert_eq!(fs::read_to_string(&target).unwrap(), round.to_string());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 8);
        fs::remove_dir_all(&folder).unwrap();
    }
}
