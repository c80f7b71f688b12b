//! Matrix files: from the disk they stream.

use crate::{disk, stdin};
use std::io::{BufRead, BufReader, Cursor};
use stowplan_engine::stage::resolve::Files;
use stowplan_score::score::Matrices;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 18;

/// Matrices by path.
#[derive(Clone, Copy)]
pub struct FileMatrices<'f> {
    /// The files that a request names; what is on the disk streams.
    pub files: &'f dyn Files,
}

impl Matrices for FileMatrices<'_> {
    fn open(&self, name: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        if name == stdin::STDIN {
            return Ok(Box::new(Cursor::new(self.files.read(name)?)));
        }
        match disk::open(name) {
            Ok((file, _)) => Ok(Box::new(BufReader::with_capacity(BUFFER, file))),
            // In tests, and in a service, files are what the caller says.
            Err(reason) if std::path::Path::new(name).exists() => Err(reason),
            Err(_) => Ok(Box::new(Cursor::new(self.files.read(name)?))),
        }
    }
}
