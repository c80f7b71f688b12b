//! The state that `map --session` asks for: a journal, or a file with a final-state line.

use crate::command::session::state_json;
use crate::stdin;
use std::path::Path;
use stowplan::job::error::{JobError, told};
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_session::{Config, MAGIC, State, restore};

/// Reads a state: the one that a journal leads to, or the one in the last line `{"final": …}` of a file.
///
/// A dump does not contain the configuration of the DVM: the defaults are used, and nodes join in the order of their names.
///
/// # Errors
/// Of class `journal`; `internal` for a replay that fails by a fault of ours. Also for a journal that is damaged in the middle.
///
/// Cost: a replay from the last snapshot, or linear in the dump.
pub(crate) fn read(path: &str) -> Result<State, JobError> {
    let wrong = |sentence| told("journal", sentence);
    let read = stdin::journal(Path::new(path));
    let bytes = read.map_err(|error| wrong(format!("{path} {error}")))?;
    if bytes.starts_with(&MAGIC[..7]) {
        return match restore(&bytes) {
            Ok(found) => Ok(found.state),
            Err(error) => Err(told(error.class(), format!("{path}: {error}"))),
        };
    }
    let size = bytes.len();
    if size > TEXT_BYTES_MAX {
        let what = format!("{path}: {size} bytes, at most {TEXT_BYTES_MAX} are read");
        return Err(wrong(what));
    }
    let state = state_json::last_final(&bytes, Config::default());
    state.map_err(|what| wrong(format!("{path}: {what}")))
}
