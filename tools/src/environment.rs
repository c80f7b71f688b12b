//! Variables and files that a launcher or a batch system set for this process.

use std::io::Read as _;
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
        let mut bytes = Vec::new();
        let limit = TEXT_BYTES_MAX as u64;
        let stdin = std::io::stdin().lock();
        match stdin.take(limit + 1).read_to_end(&mut bytes) {
            Err(error) => Err(error.to_string()),
            Ok(_) if bytes.len() > TEXT_BYTES_MAX => {
                Err(format!("it has more than {TEXT_BYTES_MAX} bytes"))
            }
            Ok(_) => Ok(bytes),
        }
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
