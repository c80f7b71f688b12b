//! Stage 2: a relayed request and the files it names -> resolved apps.

use crate::error::Note;
use crate::table::apps::AppTable;
use crate::text::hosts::Hosts;

/// Reads the files that a request names: the engine has no IO of its own.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The reason in words, as `No such file or directory`.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// What placement needs of a request.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// One row per app.
    pub apps: AppTable,
    /// Which nodes each app names.
    pub hosts: Hosts,
    /// What is worth a note so far.
    pub notes: Vec<Note>,
}
