//! The program of an app.

use stowplan_engine::error::SpecError;
use stowplan_engine::error::at::{At, AtText};

/// Refuses a program whose name is the empty word, which starts nothing.
///
/// # Errors
/// `bad-value`.
pub fn refuse_empty_program(app: u32, program: &str) -> Result<(), SpecError> {
    if !program.is_empty() {
        return Ok(());
    }
    Err(SpecError::BadValue {
        at: At {
            text: AtText::Value {
                app: Some(app),
                option: "the words".to_owned(),
                value: String::new(),
            },
            start: 0,
            end: 0,
        },
        asked: String::new(),
        range: "program: an empty word starts nothing",
    })
}
