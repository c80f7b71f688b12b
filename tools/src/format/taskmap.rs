//! Which node each rank is on, in the forms RFC 34, PMI-1 and raw. All refusals happen before anything is written.

use crate::report::Refused;
use std::io::{self, Write};
use stowplan_engine::plan::Plan;
use stowplan_engine::taskmap::{Encoder, Form, Limits, TaskMapError};

/// Writes the task map of a plan in one of its forms.
///
/// # Errors
/// The classes of task maps, and the errors of `give`.
///
/// Cost: the runs and phases of the plan, then the encoder.
pub fn write(
    plan: &Plan,
    form: Form,
    give: impl FnOnce(&dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let map = plan
        .task_map(Limits::default())
        .map_err(|error| refused(&error))?;
    let text = map
        .text(form, Encoder::Best, Limits::default())
        .map_err(|error| refused(&error))?;
    give(&|out| {
        let mut words = Bytes {
            out,
            failed: Ok(()),
        };
        let written = text.write_to(&mut words);
        words.failed?;
        written.map_err(io::Error::other)?;
        out.write_all(b"\n")
    })
}

fn refused(error: &TaskMapError) -> Refused {
    Refused::Told {
        class: error.class(),
        sentence: error.to_string(),
    }
}

/// Writes text as bytes. Keeps the error of the writer, which `fmt` cannot return.
struct Bytes<'w> {
    out: &'w mut dyn Write,
    failed: io::Result<()>,
}

impl std::fmt::Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.failed = self.out.write_all(text.as_bytes());
        self.failed.as_ref().map(drop).map_err(|_| std::fmt::Error)
    }
}
