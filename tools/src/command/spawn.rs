//! `stowplan spawn REQUEST.json`: the same as `map`, from a spawn request of a program.

use super::given::{misplaced, missing};
use super::map::answer;
use super::remedies::beside_request;
use super::subcommand::{Subcommand, subcommand};
use crate::format::attributes;
use crate::report::{Refused, print_notes};
use crate::{Console, output};
use stowplan::job::args::{JobArgs, MapArgs, Show, job_args};
use stowplan::job::request::{Request, read_request};
use stowplan_engine::error::SpecError;
use stowplan_engine::stage::resolve::{Files, prepare};

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    examples: &[
        ("stowplan spawn request.json --topo 'package:2 core:4 pu:1'", "docs/request.schema.json describes the file"),
        ("stowplan spawn request.json --topo 'package:2 core:4 pu:1' --show-attributes", "what the job and each app carry after the relay"),
    ],
    ..subcommand("spawn", "REQUEST.json [job options]", "Places a programmatic spawn request as map places a command line", spawn)
};

fn spawn(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let (words, job) = job_args(args)?;
    let file = match words.as_slice() {
        [file] => file,
        [] => return Err(missing(&COMMAND, "REQUEST.json")),
        [_, second, ..] => return Err(misplaced(second)),
    };
    let bytes = console
        .files
        .read(file)
        .map_err(|error| SpecError::BadRequest {
            file: file.clone(),
            line: 1,
            column: 1,
            path: "$".to_owned(),
            fault: format!("the request cannot be read: {error}"),
        })?;
    output::refuse_overwriting(&job, std::slice::from_ref(file))?;
    let request = read_request(file, &bytes)?;
    match job.show_attributes {
        Some(show) => show_attributes(request, show, &job, console).map(|()| 0),
        None => {
            let Request { taken, parent } = request;
            let asked = MapArgs {
                job: job.clone(),
                taken,
                parent,
            };
            let mended = |error, files: &dyn Files| beside_request(error, &bytes, &job, files);
            answer(asked, &mended, console)
        }
    }
}

/// Shows the attributes of the job and each app: as set, or as they come out of the relay, promoted and inherited.
fn show_attributes(
    request: Request,
    show: Show,
    job: &JobArgs,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let before = request.taken.request.clone();
    let relayed = request.taken.relay()?;
    let prepared = prepare(relayed.request, request.parent.as_ref(), &relayed.spoken)?;
    let shown = match show {
        Show::Before => before,
        Show::After => prepared.request,
    };
    output::give(job.output.as_deref(), console.out, |out| {
        attributes::write(&shown, out)
    })?;
    print_notes(&relayed.notes, console.err);
    Ok(())
}
