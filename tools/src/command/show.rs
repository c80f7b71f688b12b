//! `stowplan show`: shows a saved plan again, whole or in part. Also writes the plans of other subcommands.

use super::carry::{self, ONTO};
use super::given::Given;
use super::saved::Saved;
use super::subcommand::{Subcommand, subcommand};
use crate::format::thread_cells::ThreadRows;
use crate::format::{Told, columns, json, prterun, taskmap, text, tsv};
use crate::progress::Progress;
use crate::report::{Refused, print_notes, told as refused};
use crate::{Console, output};
use roaring::RoaringBitmap;
use stowplan::answers::picture;
use stowplan::answers::picture::setting::{Paper, RATIO_MAX, Setting, Size};
use stowplan::answers::select::select;
use stowplan::job::args::{FORMATS, Format, JobArgs};
use stowplan::job::columns::Column;
use stowplan::job::options::Meaning;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::taskmap::Form;

/// The options that say what is shown of a saved plan, and where.
pub(super) const SHOWS: &[Meaning] = &[
    Meaning::Format,
    Meaning::Columns,
    Meaning::Dark,
    Meaning::Size,
    Meaning::Output,
    Meaning::Node,
    Meaning::Ranks,
    Meaning::App,
    Meaning::Network,
    Meaning::NetworkLevels,
];

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[ONTO],
    of_job: SHOWS,
    examples: &[
        ("stowplan show job.plan", "the page that map wrote"),
        ("stowplan show job.plan --node b --format tsv", "who is on node b"),
        ("stowplan show job.plan --ranks 3,8-9 --format ndjson", "some ranks, for a program"),
    ],
    ..subcommand("show", "PLAN [--format F] [-o FILE] [--node HOSTS] [--ranks LIST] [--app LIST] [--onto -H LIST|--here]", "Shows a saved plan again, whole or in parts", show)
};

fn show(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let given = Given::read(&COMMAND, args)?;
    let job = given.job()?;
    let path = given.only("PLAN")?;
    output::refuse_overwriting(&job, std::slice::from_ref(path))?;
    let saved = Saved::read(path, console.files)?;
    let mut saved = carry::carry_if(saved, given.hosts.as_deref(), console)?;
    saved.on_network(&job, console.files)?;
    write(&saved.told(), &job, console)?;
    carry::print(&saved.notes, console);
    Ok(0)
}

/// Writes a plan as the options of the job ask.
///
/// # Errors
/// Errors of the selection; `contradicting-qualifiers` if a format cannot show parts; `output`.
pub fn write(told: &Told<'_>, job: &JobArgs, console: &mut Console<'_>) -> Result<(), Refused> {
    let screen = console.screen;
    let audience = console.audience;
    let format = job.format.unwrap_or(Format::Text);
    let some = select(told.plan, &job.parts)?;
    let some = some.as_ref();
    parts_fit(format, some)?;
    let size = size_of(format, job)?;
    let path = job.output.as_deref();
    if let Some(list) = &job.columns {
        return write_columns(told.plan, list, some, format, path, console);
    }
    let list = with_devices(told.plan);
    // All rows with the plain columns have a faster writer.
    let whole = some.is_none() && list.len() == PLAIN.len();
    if format == Format::Ndjson || format == Format::Tsv && !whole {
        return write_columns(told.plan, &list, some, format, path, console);
    }
    if let Some(form) = task_form(format) {
        return taskmap::write(told.plan, form, |answer| {
            output::give(path, console.out, answer)
        });
    }
    let mut watch = Progress::new(audience, &mut *console.err);
    output::give(path, console.out, |out| match (format, some) {
        (Format::Map | Format::MapDevel, some) => prterun::write(told.plan, some, out, &mut watch),
        (Format::Tsv, _) => tsv::write(told.plan, out, &mut watch),
        (Format::Json, _) => json::write(told, out),
        (Format::Html, some) => {
            let machines = text::sources(told);
            let setting = setting(told, &machines, some);
            out.write_all(picture::html_of(told.plan, &setting).as_bytes())
        }
        (Format::Svg, some) => {
            let machines = text::sources(told);
            let setting = Setting {
                paper: match job.picture.dark {
                    true => Paper::Dark,
                    false => Paper::Light,
                },
                size,
                ..setting(told, &machines, some)
            };
            out.write_all(picture::svg_of(told.plan, &setting).as_bytes())
        }
        (Format::Text, Some(some)) => text::write_some(told, some, screen, out),
        _ => text::write(told, screen, out),
    })
}

/// The columns of rows: if a job asks for GPUs or is mapped by network cards, they say which each rank has.
fn with_devices(plan: &Plan) -> Vec<Column> {
    let mut list = PLAIN.to_vec();
    if plan.asks_for_gpus() {
        list.push(Column::Gpus);
    }
    if plan.nics().any() {
        list.push(Column::Nics);
    }
    list
}

/// The columns that all rows have.
const PLAIN: &[Column] = &[
    Column::Rank,
    Column::App,
    Column::AppRank,
    Column::Node,
    Column::LocalRank,
    Column::NodeRank,
    Column::Object,
    Column::Cpus,
];

/// Writes the columns that were asked for. If these include GPUs, notes processes without any.
fn write_columns(
    plan: &Plan,
    list: &[Column],
    some: Option<&RoaringBitmap>,
    format: Format,
    path: Option<&str>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let shown = list.contains(&Column::Gpus);
    let gpus = if shown {
        plan.given_gpus()
    } else {
        GivenGpus::default()
    };
    let mut list = list.to_vec();
    let mut rows = thread_rows(plan, &list)?;
    if rows.as_ref().is_some_and(ThreadRows::says_runtime) && !list.contains(&Column::Runtime) {
        list.push(Column::Runtime);
    }
    let wanted = columns::Wanted {
        columns: &list,
        some,
        form: match format {
            Format::Ndjson => columns::Form::Ndjson,
            Format::Text
            | Format::Map
            | Format::MapDevel
            | Format::Tsv
            | Format::Json
            | Format::Html
            | Format::Svg
            | Format::Taskmap
            | Format::Pmi
            | Format::Raw => columns::Form::Tsv,
        },
        gpus: &gpus,
    };
    let mut watch = Progress::new(console.audience, &mut *console.err);
    output::give(path, console.out, |out| {
        columns::write(plan, &wanted, rows.as_mut(), out, &mut watch)
    })?;
    drop(watch);
    // If the job asked for GPUs, this was already noted when the plan was made.
    if shown && !plan.asks_for_gpus() {
        print_notes(plan.gpu_note(&gpus).as_slice(), console.err);
    }
    Ok(())
}

/// The rows of threads, if the columns have threads.
fn thread_rows<'p>(plan: &'p Plan, list: &[Column]) -> Result<Option<ThreadRows<'p>>, Refused> {
    let has = |column| list.contains(&column);
    if has(Column::Thread) {
        let rows = ThreadRows::new(plan);
        return rows
            .map(Some)
            .map_err(|(class, sentence)| refused(class, sentence));
    }
    if has(Column::Place) || has(Column::Runtime) {
        let sentence =
            "--columns: place and runtime are those of a thread, so the column thread is needed"
                .to_owned();
        return Err(refused("bad-value", sentence));
    }
    Ok(None)
}

/// What a picture shows besides the plan.
fn setting<'s>(
    told: &Told<'s>,
    machines: &'s [String],
    chosen: Option<&'s RoaringBitmap>,
) -> Setting<'s> {
    Setting {
        title: told.sources.said.as_deref().unwrap_or_default(),
        lines: machines,
        network: told.sources.network.as_deref(),
        chosen,
        ..Setting::default()
    }
}

/// The size that a picture is asked to have.
///
/// # Errors
/// `bad-value`; `contradicting-qualifiers` where no image is asked for.
fn size_of(format: Format, job: &JobArgs) -> Result<Size, Refused> {
    let option = match (&job.picture.size, job.picture.dark) {
        (Some(_), _) => "--size",
        (None, true) => "--dark",
        (None, false) => return Ok(Size::OfContent),
    };
    if format != Format::Svg {
        let sentence = format!("{option} is for --format svg");
        return Err(refused("contradicting-qualifiers", sentence));
    }
    let Some(text) = &job.picture.size else {
        return Ok(Size::OfContent);
    };
    Size::of(text).ok_or_else(|| {
        let sentence = format!(
            "--size {text}: expected two numbers such as 16:9, neither more than {RATIO_MAX} times the other"
        );
        refused("bad-value", sentence)
    })
}

/// Checks that the format can show parts: only formats with something for each rank can.
fn parts_fit(format: Format, some: Option<&RoaringBitmap>) -> Result<(), Refused> {
    let by_rank = matches!(
        format,
        Format::Text
            | Format::Map
            | Format::MapDevel
            | Format::Tsv
            | Format::Ndjson
            | Format::Html
            | Format::Svg
    );
    if some.is_none() || by_rank {
        return Ok(());
    }
    let word = FORMATS.iter().find(|(_, known)| *known == format);
    let word = word.map_or("", |(word, _)| word);
    let sentence = format!(
        "--format {word} shows a whole plan: --node, --ranks and --app go with tsv, ndjson, map, text, html and svg"
    );
    Err(refused("contradicting-qualifiers", sentence))
}

/// The form of the task map, for formats that are task maps. Source: taskmap "Task maps".
const fn task_form(format: Format) -> Option<Form> {
    match format {
        Format::Taskmap => Some(Form::Wrapped),
        Format::Pmi => Some(Form::Pmi),
        Format::Raw => Some(Form::Raw),
        Format::Text
        | Format::Map
        | Format::MapDevel
        | Format::Tsv
        | Format::Ndjson
        | Format::Json
        | Format::Html
        | Format::Svg => None,
    }
}
