//! `stowplan diff`: compares two plans or jobs.

use super::given::{Given, misplaced, missing};
use super::saved::Saved;
use super::subcommand::{Behind, Many, One, Subcommand, own, subcommand};
use super::{levels, map};
use crate::Console;
use crate::files_read::Recorded;
use crate::output::Kept;
use crate::report::Refused;
use crate::surroundings::Surroundings;
use std::sync::Arc;
use stowplan::answers::diff::{cause, diff, words};
use stowplan::answers::json_text;
use stowplan::answers::picture;
use stowplan::answers::picture::setting::Setting;
use stowplan::job::args::{Format, JobArgs, map_args};
use stowplan::job::error::one_line;
use stowplan::job::line::versions;
use stowplan::job::options::Meaning;
use stowplan::score::network::OnNetwork;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[own(&["format"], One, "F", Many, "text json tsv html svg [default: text]")],
    of_job: &[Meaning::Output, Meaning::Network, Meaning::NetworkLevels],
    behind: Behind::Jobs,
    status: &[
        ("0", "the same"),
        ("1", "something moved"),
        ("2", "refused: nothing on standard output, error[CLASS] on standard error"),
    ],
    examples: &[("stowplan diff job.plan job.plan --format json", "whether they are the same, and the word that moved what is not")],
    ..subcommand("diff", "PLAN PLAN | PLAN -- job... | -- job... -- job...", "What moved between two plans or jobs: status 0 nothing, 1 something, 2 an error", compare)
};

/// The forms of the answer.
const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("tsv", Format::Tsv),
    ("html", Format::Html),
    ("svg", Format::Svg),
];

/// One side of the comparison.
enum Side<'a> {
    Plan(&'a str),
    Job(&'a [String]),
}

fn compare(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let read = Recorded::new(console.files);
    let files = &read;
    let given = Given::read(&COMMAND, args)?;
    let options = given.job()?;
    let format = given.choice("format", FORMATS)?.unwrap_or(Format::Text);
    let sides = sides(&given.words, given.behind)?;
    let [a, b] = &sides;
    let ((plan_a, on_a), (plan_b, on_b)) = (plan(a, &options, files)?, plan(b, &options, files)?);
    let mut found = diff(&plan_a, &plan_b);
    if let (Side::Job(a), Side::Job(b)) = (a, b) {
        let (a, b) = (with_network(&options, a), with_network(&options, b));
        found.cause = cause::of_words(&a, &b);
        found.changes = changes(&a, &b, files)?;
    }
    let kept = Kept {
        options: &options,
        read: &read,
    };
    let page = || {
        let mut page = words::page(&found, &plan_a, &plan_b);
        if let (Some(on_a), Some(on_b)) = (&on_a, &on_b) {
            page.extend(levels::moved((&plan_a, on_a), (&plan_b, on_b)));
        }
        page
    };
    let sides = [(&plan_a, on_a.as_deref()), (&plan_b, on_b.as_deref())];
    kept.give(console.out, |out| match format {
        Format::Json => {
            json_text::write(&mut *out, &found)?;
            out.write_all(b"\n")
        }
        Format::Tsv => words::write_tsv(&plan_a, &plan_b, out),
        Format::Html => out.write_all(picture::html_diff(sides[0], sides[1], &page()).as_bytes()),
        Format::Svg => {
            let image = picture::svg_diff(sides[0], sides[1], &Setting::default());
            out.write_all(image.as_bytes())
        }
        Format::Text
        | Format::Map
        | Format::MapDevel
        | Format::Ndjson
        | Format::Taskmap
        | Format::Pmi
        | Format::Raw => page()
            .iter()
            .try_for_each(|line| writeln!(out, "{}", one_line(line))),
    })?;
    Ok(u8::from(!found.is_same()))
}

/// What is compared: two plans, a plan and a job, or two jobs.
fn sides<'a>(plans: &[&'a String], job: Option<&'a [String]>) -> Result<[Side<'a>; 2], Refused> {
    Ok(match (plans, job) {
        ([a, b], None) => [Side::Plan(a), Side::Plan(b)],
        ([a], Some(job)) => [Side::Plan(a), Side::Job(job)],
        ([], Some(jobs)) => match behind(jobs) {
            (a, Some(b)) => [Side::Job(a), Side::Job(b)],
            (_, None) => return Err(missing(&COMMAND, "-- JOB -- JOB")),
        },
        ([_, _, more, ..], None) => return Err(misplaced(more)),
        ([_, more, ..], Some(_)) => return Err(misplaced(more)),
        ([_] | [], None) => return Err(missing(&COMMAND, "A B")),
    })
}

/// The changes of a launcher's rules that moved ranks, if two jobs are one line by the rules of two versions.
fn changes(a: &[String], b: &[String], files: &dyn Files) -> Result<Vec<String>, Refused> {
    let outside = Surroundings { files };
    let changes = versions::between(a, b, &outside)?.into_iter();
    Ok(changes
        .map(|change| format!("{}: {}", change.since, change.what))
        .collect())
}

/// Splits the arguments at the first `--`.
fn behind(args: &[String]) -> (&[String], Option<&[String]>) {
    match args.iter().position(|word| word == "--") {
        Some(at) => (&args[..at], Some(&args[at + 1..])),
        None => (args, None),
    }
}

/// A job's words, with the options of the network that stand before them.
pub(super) fn with_network(options: &JobArgs, job: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for (name, value) in [
        ("--network", &options.network),
        ("--network-levels", &options.network_levels),
    ] {
        if let Some(value) = value {
            words.extend([name.to_owned(), value.clone()]);
        }
    }
    words.extend_from_slice(job);
    words
}

type OnPlan = (Plan, Option<Arc<OnNetwork>>);

fn plan(side: &Side<'_>, options: &JobArgs, files: &dyn Files) -> Result<OnPlan, Refused> {
    match side {
        Side::Plan(path) => {
            let mut saved = Saved::read(path, files)?;
            saved.on_network(options, files)?;
            Ok((saved.plan, saved.sources.network))
        }
        Side::Job(words) => {
            let asked = map_args(&with_network(options, words))?;
            let placement = map::place(asked, files)?;
            Ok((placement.mapped.plan, placement.sources.network))
        }
    }
}
