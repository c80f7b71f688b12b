//! Which files were read for an answer, so that no output replaces one of them.

use std::sync::{Mutex, PoisonError};
use stowplan::job::args::JobArgs;
use stowplan_engine::stage::resolve::Files;

/// Reads files, and remembers their paths.
pub struct Recorded<'f> {
    files: &'f dyn Files,
    paths: Mutex<Vec<String>>,
}

impl<'f> Recorded<'f> {
    /// Nothing was read yet.
    #[must_use]
    pub fn new(files: &'f dyn Files) -> Self {
        Self {
            files,
            paths: Mutex::default(),
        }
    }

    /// The files that were read, and the journal of sessions that the job names.
    #[must_use]
    pub fn paths(&self, job: &JobArgs) -> Vec<String> {
        let mut paths = self
            .paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        paths.extend(job.session.clone());
        paths
    }
}

impl Files for Recorded<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.push(path.to_owned());
        drop(paths);
        self.files.read(path)
    }
    fn is_plan(&self, path: &str) -> bool {
        self.files.is_plan(path)
    }
}
