//! Matrix files; those on disk are streamed.

use crate::{disk, stdin};
use std::io::{BufRead, BufReader, Cursor};
use stowplan::score::figures::Matrices;
use stowplan_engine::stage::resolve::Files;

/// The size of the read buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Matrices by path.
#[derive(Clone, Copy)]
pub struct FileMatrices<'f> {
    /// The files that a request names; files on disk are streamed.
    pub files: &'f dyn Files,
}

impl Matrices for FileMatrices<'_> {
    fn open(&self, name: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        if name == stdin::STDIN {
            return Ok(Box::new(Cursor::new(self.files.read(name)?)));
        }
        match disk::open(name) {
            Ok((file, _)) => Ok(Box::new(BufReader::with_capacity(BUFFER, file))),
            // In tests and in a service, the caller provides the files.
            Err(reason) if std::path::Path::new(name).exists() => Err(reason),
            Err(_) => Ok(Box::new(Cursor::new(self.files.read(name)?))),
        }
    }
}
