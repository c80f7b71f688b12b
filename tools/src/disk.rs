//! The files that a request names, read from the disk.

use std::fs::File;
use std::io::Read as _;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::stage::resolve::Files;

/// Reads files by path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let file = File::open(path).map_err(|error| plain(&error))?;
        let about = file.metadata().map_err(|error| plain(&error))?;
        if about.is_dir() {
            return Err("it is a directory".to_owned());
        }
        let mut bytes = Vec::new();
        // A pipe may never end.
        let limit = TEXT_BYTES_MAX as u64;
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| plain(&error))?;
        if bytes.len() > TEXT_BYTES_MAX {
            return Err(format!("it has more than {TEXT_BYTES_MAX} bytes"));
        }
        Ok(bytes)
    }
}

/// What the system said, without the number of the error.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
