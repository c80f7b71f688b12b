//! Which node each rank is on, in the forms RFC 34, PMI-1 and raw. All refusals happen before anything is written.

use crate::output;
use crate::report::Refused;
use std::io::{self, Write};
use stowplan_engine::plan::Plan;
use stowplan_engine::taskmap::{Encoder, Form, Limits, MapText};

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
    let map = plan.task_map(Limits::default())?;
    let text = map.text(form, Encoder::Best, Limits::default())?;
    give(&|out| write_line(&text, out))
}

/// Writes a text piece by piece, then a newline.
///
/// # Errors
/// When `out` refuses a write.
pub fn write_line(text: &MapText<'_>, out: &mut dyn Write) -> io::Result<()> {
    output::as_bytes(out, |out| text.write_to(out))?;
    out.write_all(b"\n")
}
