//! `stowplan batch`: reads a request per line and writes an answer per line, in order, on all cores.

// Reads lines of an input that may never end.
#[doc(hidden)]
pub mod lines;

use crate::command::map::remarks;
use crate::command::noted;
use crate::command::script::WithFiles;
use crate::command::show;
use crate::command::subcommand::{Behind, Subcommand, subcommand};
use crate::disk::Disk;
use crate::format::Told;
use crate::format::screen::Screen;
use crate::progress::Audience;
use crate::report::{Refused, Target};
use crate::surroundings::Surroundings;
use crate::{Console, output};
use lines::{Line, Lines};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::{self, Read};
use stowplan::answers::json_text;
use stowplan::job::args::{Format, JobArgs, MapArgs, job_args, map_args};
use stowplan::job::error::{JobError, told};
use stowplan::job::files::GivenFiles;
use stowplan::job::place::place;
use stowplan::job::request::{Request, read_request};
use stowplan::job::script;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::text::words::nearest;

/// The lines that are answered together, for each thread. An answer waits for no more lines than these.
const LINES_A_THREAD: usize = 32;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    behind: Behind::Job,
    examples: &[("echo '{\"id\":1,\"words\":[\"-n\",\"8\",\"--map-by\",\"node\"]}' | stowplan batch --topo 'core:4 pu:1' -H 'n[0-1]:4'", "the options come before the words of each line")],
    ..subcommand("batch", "[options of map]", "Answers many requests: a line of JSON in, a line of JSON out, in order, on all cores", |args, console| {
        run(args, &mut io::stdin().lock(), console)
    })
};

/// Answers all lines of an input, after these options.
///
/// # Errors
/// Those of the options; `output`. A line that is refused has an answer that says so.
pub fn run(
    args: &[String],
    input: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<u8, Refused> {
    let own = map_args(args)?.job;
    if own.output.is_some() || own.save.is_some() {
        let sentence = "batch writes to standard output alone: -o and --save have no place here";
        return Err(told("bad-option", sentence).into());
    }
    let mut lines = Lines::of(input);
    let at_once = LINES_A_THREAD * rayon::current_num_threads();
    loop {
        let next = lines.next(at_once).map_err(|error| Refused::Output {
            to: Target::File("the answers: standard input".to_owned()),
            error,
        })?;
        if next.is_empty() {
            return Ok(0);
        }
        let answers: Vec<Vec<u8>> = next.par_iter().map(|line| answer(args, line)).collect();
        output::give(None, console.out, |out| {
            answers.iter().try_for_each(|answer| out.write_all(answer))
        })?;
    }
}

/// A request, as a line has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    words: Option<Vec<String>>,
    #[serde(borrow)]
    request: Option<&'l RawValue>,
}

/// The `id` of a line that is not a valid request.
#[derive(Deserialize)]
struct Named<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
}

/// The answer to a line, with its line end.
fn answer(args: &[String], line: &Line) -> Vec<u8> {
    let (id, result) = match &line.text {
        // Serde would also read the fields from an array, but an array is no request.
        Ok(text) if !text.trim_start().starts_with('{') => {
            (None, Err(bad_request("this is no JSON object".to_owned())))
        }
        Ok(text) => match serde_json::from_str::<Asked<'_>>(text) {
            Ok(asked) => (asked.id.map(RawValue::get), placed(args, &asked)),
            Err(error) => (
                id_of(text),
                Err(bad_request(format!(
                    "this is no request: {error}{}",
                    meant(&error)
                ))),
            ),
        },
        Err(why) => (None, Err(bad_request((*why).to_owned()))),
    };
    let head = format!(
        "{{\"id\":{},\"line\":{},\"ok\":",
        id.map_or_else(|| "null".to_owned(), json_text::shown),
        line.number
    );
    let mut out = head.into_bytes();
    match result {
        Ok((Format::Json, plan)) => {
            out.extend_from_slice(b"true,\"plan\":");
            out.extend_from_slice(plan.trim_ascii_end());
        }
        Ok((_, text)) => {
            out.extend_from_slice(b"true,\"text\":");
            quoted(&String::from_utf8_lossy(&text), &mut out);
        }
        Err(error) => {
            out.extend_from_slice(b"false,\"error\":{\"class\":");
            quoted(error.class(), &mut out);
            out.extend_from_slice(b",\"message\":");
            quoted(&error.message(), &mut out);
            out.push(b'}');
        }
    }
    out.extend_from_slice(b"}\n");
    out
}

/// A hint at the known key that is most like the unknown one.
fn meant(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let unknown = text
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'));
    let near = unknown.and_then(|(key, _)| nearest(["id", "words", "request"].into_iter(), key));
    near.map_or_else(String::new, |near| format!(", did you mean {near}?"))
}

fn quoted(text: &str, out: &mut Vec<u8>) {
    // Writing a text to memory cannot fail.
    let _ = json_text::write(out, text);
}

fn bad_request(sentence: String) -> JobError {
    told("bad-request", sentence)
}

/// The `id` of a line that is not a valid request: of a well-formed object, or if it comes first.
fn id_of(text: &str) -> Option<&str> {
    if let Ok(Named { id }) = serde_json::from_str::<Named<'_>>(text) {
        return id.map(RawValue::get);
    }
    let inside = text.trim_start().strip_prefix('{')?.trim_start();
    let behind = inside.strip_prefix("\"id\"")?.trim_start();
    let value = behind.strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<&RawValue>();
    values.next()?.ok().map(RawValue::get)
}

/// The plan of a request, as bytes in its format.
fn placed(args: &[String], asked: &Asked<'_>) -> Result<(Format, Vec<u8>), JobError> {
    let own = asked.words.as_deref();
    let mut words = args.to_vec();
    words.extend_from_slice(own.unwrap_or_default());
    let mut files = GivenFiles::default();
    if let Some(scripted) = script::expand(&words, &Surroundings { files: &Disk })? {
        words = scripted.words;
        files = scripted.files;
    }
    let asked = match (own, asked.request) {
        (None, None) => return Err(bad_request("words or a request are missing".to_owned())),
        (_, None) => map_args(&words)?,
        (_, Some(request)) => spawned(&words, request.get())?,
    };
    let in_file = asked.job.output.is_some() || asked.job.save.is_some();
    if in_file || own.is_some_and(|own| own.iter().any(|word| word == "-")) {
        let why = "-o, --save and - have no place on a line: the answer is one, and standard input has the requests";
        return Err(bad_request(why.to_owned()));
    }
    let files = WithFiles {
        files: &Disk,
        more: &files,
    };
    written(asked, &files)
}

/// A spawn request, with options of the job.
///
/// # Errors
/// Those of the options and of the request; `bad-request` for words that are no options.
pub(crate) fn spawned(words: &[String], request: &str) -> Result<MapArgs, JobError> {
    let (words, job) = job_args(words)?;
    if let Some(word) = words.first() {
        return Err(bad_request(format!(
            "{word:?} is no option of a job, and the request says its apps"
        )));
    }
    if job.show_attributes.is_some() {
        return Err(bad_request("--show-attributes answers no plan".to_owned()));
    }
    let Request { taken, parent, .. } = read_request("request", request.as_bytes())?;
    Ok(MapArgs { job, taken, parent })
}

fn written(asked: MapArgs, files: &dyn Files) -> Result<(Format, Vec<u8>), JobError> {
    let job = asked.job.clone();
    let mut placement = place(asked, &Surroundings { files })?;
    noted::advise(&mut placement)?;
    let noted = &mut placement.mapped.notes;
    noted.retain(|note| !noted::is_quiet(&job.quiet_notes, note));
    // Columns are rows of tsv, unless another format is named.
    let rows = job.columns.as_ref().map(|_| Format::Tsv);
    let format = job.format.or(placement.displayed).or(rows);
    let format = format.unwrap_or(Format::Json);
    let notes = remarks(&placement.mapped.notes);
    let shown = Told {
        plan: &placement.mapped.plan,
        sources: &placement.sources,
        notes: &notes,
    };
    let (mut out, mut err) = (Vec::new(), io::sink());
    let mut console = Console {
        out: &mut out,
        err: &mut err,
        files: &Disk,
        screen: Screen::page(),
        audience: Audience::Nobody,
    };
    let job = JobArgs {
        format: Some(format),
        ..job
    };
    show::write(&shown, &job, &mut console).map_err(|refused| match refused {
        Refused::Job(error) => *error,
        Refused::Output { .. }
        | Refused::Stopped
        | Refused::Mended { .. }
        | Refused::OfLauncher { .. } => told("output", "the answer cannot be written"),
    })?;
    Ok((format, out))
}
