//! Variables and files that a launcher or a batch system provides for this process.

use stowplan::launchers::environment::Lookup;
use stowplan_engine::stage::resolve::Files;

/// The variables of this process, and the files from `files`.
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
        self.files.read(path)
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
