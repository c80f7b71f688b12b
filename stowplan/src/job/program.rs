//! The program of an app.

use crate::job::error::{all_of, value};
use stowplan_engine::error::SpecError;

/// Refuses a program whose name is the empty word, which starts nothing.
///
/// # Errors
/// `bad-value`.
pub fn refuse_empty_program(app: u32, program: &str) -> Result<(), SpecError> {
    if !program.is_empty() {
        return Ok(());
    }
    Err(SpecError::BadValue {
        at: all_of(value(Some(app), "the words", "")),
        asked: String::new(),
        range: "program: an empty word starts nothing",
    })
}
