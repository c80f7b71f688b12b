//! `stowplan map`: places a job and shows it.

use crate::format::{Told, json, prterun, taskmap, text, tsv};
use crate::progress::Progress;
use crate::report::{Refused, print_notes};
use crate::surroundings::Surroundings;
use crate::{Console, output};
use std::io;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::taskmap::Form;
use stowplan_job::args::{Format, JobArgs, MapArgs, map_args};
use stowplan_job::place::Placement;

/// Runs the subcommand with the arguments behind `map`. Gives the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match map_args(args)
        .map_err(Refused::from)
        .and_then(|asked| answer(asked, console))
    {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

/// Places a job and shows it: what `map` and `spawn` have in common.
///
/// # Errors
/// The first that the request deserves, in the order of errors "Which class".
pub fn answer(asked: MapArgs, console: &mut Console<'_>) -> Result<(), Refused> {
    let mut job = asked.job.clone();
    let placement = place(asked, console.files)?;
    job.format = job.format.or(placement.displayed);
    show(&job, &placement, console)
}

/// Places a job.
///
/// # Errors
/// As [`answer`], but for the output.
pub fn place(asked: MapArgs, files: &dyn Files) -> Result<Placement, Refused> {
    Ok(stowplan_job::place::place(asked, &Surroundings { files })?)
}

/// Shows a plan, then its notes.
fn show(job: &JobArgs, placement: &Placement, console: &mut Console<'_>) -> Result<(), Refused> {
    let mapped = &placement.mapped;
    let told = Told {
        plan: &mapped.plan,
        sources: &placement.sources,
        notes: &mapped.notes,
    };
    if let Some(path) = &job.save {
        let bytes = mapped.plan.to_bytes();
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    let screen = console.screen;
    let audience = console.audience;
    let format = job.format.unwrap_or(Format::Text);
    let path = job.output.as_deref();
    if let Some(form) = task_form(format) {
        taskmap::write(told.plan, form, |answer| {
            output::give(path, console.out, answer)
        })?;
    } else {
        let mut watch = Progress::new(audience, &mut *console.err);
        output::give(path, console.out, |out| match format {
            Format::Map | Format::MapDevel => prterun::write(told.plan, out, &mut watch),
            Format::Tsv => tsv::write(told.plan, out, &mut watch),
            Format::Json => json::write(&told, out),
            Format::Text | Format::Taskmap | Format::Pmi | Format::Raw => {
                text::write(&told, screen, out)
            }
        })?;
    }
    print_notes(&mapped.notes, console.err);
    Ok(())
}

/// The form of a task map, for formats that are one. Source: taskmap "Task maps".
const fn task_form(format: Format) -> Option<Form> {
    match format {
        Format::Taskmap => Some(Form::Wrapped),
        Format::Pmi => Some(Form::Pmi),
        Format::Raw => Some(Form::Raw),
        Format::Text | Format::Map | Format::MapDevel | Format::Tsv | Format::Json => None,
    }
}
