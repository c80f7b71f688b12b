//! `stowplan map`: places a job and shows it.

use super::here::{self, Asked};
use super::noted::{advise, is_quiet, unused};
use super::remedies;
use super::saved::bytes;
use super::show;
use super::subcommand::{Behind, Subcommand, subcommand};
use crate::files_read::Recorded;
use crate::format::Told;
use crate::report::{self, Refused, print_notes};
use crate::surroundings::Surroundings;
use crate::{Console, output};
use std::io;
use stowplan::job::args::{Format, JobArgs, MapArgs};
use stowplan::job::error::JobError;
use stowplan::job::options::OPTIONS;
use stowplan::job::place::Placement;
use stowplan::launchers::script::shell;
use stowplan_engine::error::Note;
use stowplan_engine::error::fold::{Folded, fold};
use stowplan_engine::map::Mapped;
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::stage::resolve::Files;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: OPTIONS,
    behind: Behind::Job,
    examples: &[
        ("stowplan map --topo builtin:elcap -H 'e[00001-11136]:96' --map-by numa ./solver", "every core of a large machine, ranks dealt over NUMA domains"),
        ("stowplan map --topo 'package:2 core:4 pu:2' -H a:8,b:8 -n 2 --map-by node ./io : -n 12 --map-by core ./solver", "two apps, each with a policy of its own"),
        ("stowplan map --topo builtin:frontier -H n1:8,n2:8 --map-by ppr:1:l3cache --bind-to l3cache --format tsv ./app", "one process for each L3, as a table of ranks and cpus"),
        ("stowplan map --topo 'core:8 pu:1' -H a:8,b:8 -n 16 --save job.plan ./app", "keep the plan, to judge or broadcast it"),
    ],
    ..subcommand("map", "[options] [program [args...]] [: [options] [program [args...]]]...", "Places a job and shows it", run)
};

fn run(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let answered = here::words(args, console).and_then(|asked| {
        let words = asked.words.clone();
        let mended = |error, files: &dyn Files| remedies::beside(error, &words, files);
        answer_from(asked, &mended, console)
    });
    answered.map_err(|refused| of_a_line(refused, args))
}

/// A refusal of a line of prterun's family: what the launcher itself would refuse is told as that.
pub(crate) fn of_a_line(refused: Refused, args: &[String]) -> Refused {
    let Some(cut) = stowplan::job::line::cut(args) else {
        return refused;
    };
    let command = cut.command.join(" ");
    let command = command.rsplit('/').next().unwrap_or(&command).to_owned();
    Refused::OfLauncher {
        command,
        refused: Box::new(refused),
    }
}

/// Places a job and shows the plan: shared by `map` and `spawn`. Returns the exit status: 3 if there are notes that the job
/// does not want.
///
/// # Errors
/// The first error of the request, in the order of errors "Which class".
pub(super) fn answer(
    asked: MapArgs,
    mended: &dyn Fn(JobError, &dyn Files) -> Refused,
    console: &mut Console<'_>,
) -> Result<u8, Refused> {
    answer_from(Asked::named(asked, &[]), mended, console)
}

fn answer_from(
    asked: Asked,
    mended: &dyn Fn(JobError, &dyn Files) -> Refused,
    console: &mut Console<'_>,
) -> Result<u8, Refused> {
    let mut job = asked.asked.job.clone();
    let files = Recorded::new(console.files);
    let placement = placed(asked, &files).map_err(|error| mended(error, console.files))?;
    output::refuse_overwriting(&job, &files.paths(&job))?;
    job.format = job.format.or(placement.displayed);
    show(&job, &placement, console)
}

/// Places a job.
///
/// # Errors
/// As `answer`, without errors of the output.
pub fn place(asked: MapArgs, files: &dyn Files) -> Result<Placement, Refused> {
    let quiet = asked.job.quiet_notes.clone();
    let mut placement = stowplan::job::place::place(asked, &Surroundings { files })?;
    advise(&mut placement)?;
    placement
        .mapped
        .notes
        .retain(|note| !is_quiet(&quiet, note));
    Ok(placement)
}

/// Places a job whose hosts may have been found in the environment.
///
/// # Errors
/// As [`place`].
pub(super) fn place_from(asked: Asked, files: &dyn Files) -> Result<Placement, Refused> {
    Ok(placed(asked, files)?)
}

/// As [`place_from`], with the error as data.
///
/// # Errors
/// As [`place`].
pub(crate) fn placed(asked: Asked, files: &dyn Files) -> Result<Placement, JobError> {
    let quiet = asked.asked.job.quiet_notes.clone();
    let mut placement = stowplan::job::place::place(asked.asked, &Surroundings { files })?;
    placement.sources.hosts = asked.hosts;
    placement.sources.said = said(&asked.words);
    placement.mapped.notes.splice(0..0, asked.notes);
    let unused = unused(&placement.mapped.plan, &asked.parts);
    placement.mapped.notes.extend(unused);
    advise(&mut placement)?;
    let Mapped { plan, notes, .. } = &mut placement.mapped;
    notes.retain(|note| !is_quiet(&quiet, note));
    remedies::mend(notes, &asked.words, plan, files);
    Ok(placement)
}

/// The words of a job as one types them, without those that say how it is shown; `None`: there are none.
fn said(words: &[String]) -> Option<String> {
    const SHOWN: &[&str] = &[
        "--format",
        "--size",
        "--columns",
        "-o",
        "--output",
        "--save",
    ];
    let mut job = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if SHOWN.contains(&word.as_str()) {
            rest.next();
        } else if word != "--dark"
            && !SHOWN
                .iter()
                .any(|own| word.split_once('=').is_some_and(|(name, _)| name == *own))
        {
            job.push(word.clone());
        }
    }
    (!job.is_empty()).then(|| shell(&job))
}

/// Shows a plan, then its notes.
fn show(job: &JobArgs, placement: &Placement, console: &mut Console<'_>) -> Result<u8, Refused> {
    let mapped = &placement.mapped;
    let notes = remarks(&mapped.notes);
    let told = Told {
        plan: &mapped.plan,
        sources: &placement.sources,
        notes: &notes,
    };
    if let Some(path) = &job.save {
        let bytes = saved(placement);
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    show::write(&told, job, console)?;
    print_notes(&mapped.notes, console.err);
    let quiet = job.quiet_notes.iter().any(|class| class == "this-machine");
    let is_silent = job.topos.is_empty() && !names_its_topology(job) && !quiet;
    if is_silent {
        let text = "no --topo is given: the topology is that of this machine (--topo here)";
        report::note(console.err, "this-machine", text);
    }
    let noted = is_silent || !mapped.notes.is_empty();
    Ok(if job.strict && noted { NOTED } else { 0 })
}

/// The exit status of a job that wants no notes and has some.
const NOTED: u8 = 3;

/// Whether the format itself shows the sources of topologies; rows and task maps have no place for them.
fn names_its_topology(job: &JobArgs) -> bool {
    let own = matches!(
        job.format,
        None | Some(Format::Text | Format::Json | Format::Html | Format::Svg)
    );
    own && job.columns.is_none()
}

/// Notes in words; a note on many apps is given once.
#[must_use]
pub fn remarks(notes: &[Note]) -> Vec<Remark> {
    let folded = fold(notes);
    let remark = |told: &Folded<'_>| Remark {
        class: told.note.class().to_owned(),
        text: told.to_string(),
        facts: told.facts(),
    };
    folded.iter().map(remark).collect()
}

/// The bytes of a plan, with the sources of its topologies and its notes: `show` shows all of these again.
pub(super) fn saved(placement: &Placement) -> Vec<u8> {
    let notes = remarks(&placement.mapped.notes);
    bytes(&placement.mapped.plan, &placement.sources, notes)
}
