//! Variables and files that a launcher or a batch system set for this process.

use crate::disk::{Unread, bounded};
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::stage::resolve::Files;
use stowplan_launch::environment::Lookup;

/// This process's environment; files as given.
#[derive(Clone, Copy)]
pub struct Environment<'f> {
    /// The files that variables name; `-` is standard input.
    pub files: &'f dyn Files,
}

impl Lookup for Environment<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let value = std::env::var_os(name)?;
        Some(value.to_string_lossy().into_owned())
    }

    fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        if path != "-" {
            return self.files.read(path);
        }
        bounded(std::io::stdin().lock(), TEXT_BYTES_MAX, 0).map_err(|error| match error {
            Unread::TooLong => format!("it has more than {TEXT_BYTES_MAX} bytes"),
            Unread::Io(error) => error.to_string(),
        })
    }
}

/// The host's own name.
#[must_use]
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let name = if name.is_empty() { "localhost" } else { name };
    name.to_owned()
}
