//! The state that `map --session` asks for: a journal, or a file with a final-state line.

use crate::command::session::state_json;
use crate::stdin;
use std::path::Path;
use stowplan::answers::journal_file::FileError;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_session::{Config, MAGIC, ReplayError, State, restore};

/// Why a file has no usable state.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be read.
    #[error("{path} {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: FileError,
    },
    /// It is a journal that cannot be replayed.
    #[error("{path}: {error}")]
    Replay {
        /// The file.
        path: String,
        /// Why.
        error: ReplayError,
    },
    /// It is no journal, and has no line with a final state.
    #[error("{path}: {what}")]
    Line {
        /// The file.
        path: String,
        /// What is wrong, and where.
        what: String,
    },
}

impl StateError {
    /// The error class (`errors.md`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Replay { error, .. } if error.is_ours() => "internal",
            Self::File { .. } | Self::Replay { .. } | Self::Line { .. } => "journal",
        }
    }
}

/// Reads a state: the one that a journal leads to, or the one in the last line `{"final": …}` of a file.
///
/// A dump does not contain the configuration of the DVM: the defaults are used, and nodes join in the order of their names.
///
/// # Errors
/// [`StateError`], also for a journal that is damaged in the middle.
///
/// Cost: a replay from the last snapshot, or linear in the dump.
pub fn read(path: &Path) -> Result<State, StateError> {
    let name = || path.display().to_string();
    let bytes = stdin::journal(path).map_err(|error| StateError::File {
        path: name(),
        error,
    })?;
    if bytes.starts_with(&MAGIC[..7]) {
        let replay = |error| StateError::Replay {
            path: name(),
            error,
        };
        return restore(&bytes).map(|found| found.state).map_err(replay);
    }
    let wrong = |what: String| StateError::Line { path: name(), what };
    if bytes.len() > TEXT_BYTES_MAX {
        return Err(wrong(format!(
            "{} bytes, at most {TEXT_BYTES_MAX} are read",
            bytes.len()
        )));
    }
    state_json::last_final(&bytes, Config::default()).map_err(wrong)
}
