//! One line in, one answer out: what the command would write, as JSON.

use super::answer_bounds::{ANSWER_BYTES_MAX, Bounded, TIME, Texted, written};
use super::fields;
use super::inline::{Inline, OwnMachine};
use super::line;
use super::refusal::Refusal;
use crate::command::here::Asked;
use crate::command::remedies::{Remedy, nearest};
use crate::command::{batch, explain, map, score, show};
use crate::format::Told;
use crate::report::{self, Refused, Target};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;
use stowplan::answers::diff::{cause, diff, words};
use stowplan::answers::picture::setting::{Paper, Setting, Size};
use stowplan::answers::{json_text, picture};
use stowplan::job::args::{FORMATS, Format, JobArgs, map_args};
use stowplan::job::line::cut;
use stowplan::job::place::Placement;
use stowplan::launchers::export::{Dialect, export};

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Where ranks land.
    Map,
    /// Why a rank is where it is.
    Explain,
    /// What moved between two jobs.
    Diff,
    /// What a pattern sends over each level.
    Score,
    /// The plan in words of launchers.
    Export,
}

/// An answer, as HTTP has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// 200, or 422 for a refusal.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
}

/// Why there is no answer.
struct Failed {
    refused: Box<Refused>,
    nearest: Vec<Remedy>,
}

impl<R: Into<Refused>> From<R> for Failed {
    fn from(refused: R) -> Self {
        Self {
            refused: Box::new(refused.into()),
            nearest: Vec::new(),
        }
    }
}

/// The members of an answer, each a name and its JSON.
type Members = Vec<(&'static str, Vec<u8>)>;

/// Answers a request. Reads nothing outside of it but, if `own` says so, the topology of this machine.
///
/// Cost: that of the command; at most [`ANSWER_BYTES_MAX`] of answer.
#[must_use]
pub fn answer(question: Question, bytes: &[u8], own: OwnMachine) -> Answer {
    match question {
        Question::Map => read(bytes, |asked: &fields::Map<'_>| {
            told(asked.id, &asked.line, of_map(asked, own))
        }),
        Question::Explain => read(bytes, |asked: &fields::Explain<'_>| {
            told(asked.id, &asked.line, of_explain(asked, own))
        }),
        Question::Diff => read(bytes, |asked: &fields::Diff<'_>| {
            told(asked.id, &asked.line, of_diff(asked, own))
        }),
        Question::Score => read(bytes, |asked: &fields::Score<'_>| {
            told(asked.id, &asked.line, of_score(asked, own))
        }),
        Question::Export => read(bytes, |asked: &fields::Export<'_>| {
            told(asked.id, &asked.line, of_export(asked, own))
        }),
    }
}

fn read<'b, B: serde::Deserialize<'b>>(
    bytes: &'b [u8],
    answer: impl FnOnce(&B) -> Answer,
) -> Answer {
    // Serde would also read the members from an array, but an array is no request.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    match serde_json::from_slice(bytes) {
        Ok(asked) if is_object => answer(&asked),
        Ok(_) => refused(
            None,
            &Refusal::of_request("bad-request", "this is no JSON object".to_owned()),
        ),
        Err(error) => refused(
            None,
            &Refusal::of_request("bad-request", format!("this is no request: {error}")),
        ),
    }
}

/// A refusal as an answer.
#[must_use]
pub fn refused(id: Option<&RawValue>, refusal: &Refusal) -> Answer {
    let error = json(refusal);
    Answer {
        status: 422,
        body: object(id, "false", &vec![("error", error)]),
    }
}

fn told(id: Option<&RawValue>, text: &str, found: Result<Members, Failed>) -> Answer {
    match found {
        Ok(members) => Answer {
            status: 200,
            body: object(id, "true", &members),
        },
        Err(Failed {
            refused: why,
            nearest,
        }) => {
            let unwritten =
                |kind| matches!(&*why, Refused::Output { error, .. } if error.kind() == kind);
            let refusal = if unwritten(io::ErrorKind::FileTooLarge) {
                Refusal::of_request(
                    "answer-too-large",
                    format!(
                        "the answer has more than {ANSWER_BYTES_MAX} bytes: ask for some ranks, or for json"
                    ),
                )
            } else if unwritten(io::ErrorKind::TimedOut) {
                too_slow()
            } else {
                Refusal::of_line(&why, text, nearest)
            };
            refused(id, &refusal)
        }
    }
}

/// The refusal of what ended in a fault of ours.
#[must_use]
pub fn faulty() -> Refusal {
    let message = "the answer ended in a fault of stowplan: others are answered as before, and the request is worth a report";
    Refusal::of_request("internal", message.to_owned())
}

/// The refusal of what takes longer than [`TIME`].
#[must_use]
pub fn too_slow() -> Refusal {
    let message = format!(
        "the answer is not there after {} seconds: the command has no limit",
        TIME.as_secs()
    );
    Refusal::of_request("takes-too-long", message)
}

fn object(id: Option<&RawValue>, ok: &str, members: &Members) -> Vec<u8> {
    let id = id.map_or_else(|| "null".to_owned(), |id| json_text::shown(id.get()));
    let mut out = format!("{{\"id\":{id},\"ok\":{ok}").into_bytes();
    for (name, value) in members {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        out.extend_from_slice(value.trim_ascii_end());
    }
    out.extend_from_slice(b"}\n");
    out
}

fn json(value: &impl Serialize) -> Vec<u8> {
    json_text::text(value).into_bytes()
}

fn bad(sentence: impl Into<String>) -> Failed {
    Failed::from(report::told("bad-request", sentence.into()))
}

fn words_of(text: &str) -> Result<Vec<String>, Failed> {
    line::words(text).ok_or_else(|| bad("a quote is open, or a backslash ends the line"))
}

/// A job alone: without `--` before it.
fn job_of(text: &str) -> Result<Vec<String>, Failed> {
    let mut words = words_of(text)?;
    if words.is_empty() {
        return Err(bad("the line is empty"));
    }
    if words.first().is_some_and(|word| word == "--") {
        words.remove(0);
    }
    Ok(words)
}

fn placed(words: &[String], files: &Inline<'_>) -> Result<(JobArgs, Placement), Failed> {
    let mut asked = map_args(words).map_err(|error| map::of_a_line(error.into(), words))?;
    files.keeps_out(&asked.job)?;
    // Any number gives the same bytes.
    asked.job.threads = None;
    let job = asked.job.clone();
    match map::placed(Asked::named(asked, words), files) {
        Ok(placement) => Ok((job, placement)),
        Err(error) => {
            let nearest = nearest(words, &error, files);
            let refused = Box::new(map::of_a_line(error.into(), words));
            Err(Failed { refused, nearest })
        }
    }
}

/// A spawn request, with options of the job.
fn spawned(
    words: &[String],
    request: &str,
    files: &Inline<'_>,
) -> Result<(JobArgs, Placement), Failed> {
    let mut asked = batch::spawned(words, request)?;
    files.keeps_out(&asked.job)?;
    asked.job.threads = None;
    let job = asked.job.clone();
    let placement = map::placed(Asked::named(asked, words), files)?;
    Ok((job, placement))
}

/// Refuses a job that would read more than the request.
fn kept_out(words: &[String], files: &Inline<'_>) -> Result<(), Failed> {
    let asked = map_args(words).map_err(|error| map::of_a_line(error.into(), words))?;
    Ok(files.keeps_out(&asked.job)?)
}

#[derive(Serialize)]
struct Note<'n> {
    class: &'n str,
    text: &'n str,
}

fn notes(placement: &Placement) -> Vec<u8> {
    let remarks = map::remarks(&placement.mapped.notes);
    let notes: Vec<Note<'_>> = remarks
        .iter()
        .map(|note| Note {
            class: &note.class,
            text: &note.text,
        })
        .collect();
    json(&notes)
}

fn format_of(word: &str) -> Result<Format, Failed> {
    let row = FORMATS.iter().find(|(own, _)| *own == word);
    let words: Vec<&str> = FORMATS.iter().map(|(own, _)| *own).collect();
    row.map(|(_, format)| *format)
        .ok_or_else(|| bad(format!("format {word:?} is none of: {}", words.join(" "))))
}

fn of_map(asked: &fields::Map<'_>, own: OwnMachine) -> Result<Members, Failed> {
    let files = Inline {
        files: &asked.files,
        own,
    };
    #[cfg(debug_assertions)]
    assert!(asked.line != crate::PANICS, "a test asked for it");
    let mut words = match asked.request {
        Some(_) => words_of(&asked.line)?,
        None => job_of(&asked.line)?,
    };
    if let Some(columns) = &asked.columns {
        words.splice(0..0, ["--columns".to_owned(), columns.clone()]);
    }
    let (mut job, placement) = match asked.request {
        Some(request) => spawned(&words, request.get(), &files)?,
        None => placed(&words, &files)?,
    };
    job.picture.dark |= asked.dark;
    job.picture.size = asked.size.clone().or(job.picture.size);
    if let Some(word) = &asked.format {
        job.format = Some(format_of(word)?);
    }
    job.parts.ranks = asked.ranks.clone().or(job.parts.ranks);
    job.parts.node = asked.node.clone().or(job.parts.node);
    let format = job.format.or(placement.displayed).unwrap_or(Format::Json);
    job.format = Some(format);
    let remarks = map::remarks(&placement.mapped.notes);
    let told = Told {
        plan: &placement.mapped.plan,
        sources: &placement.sources,
        notes: &remarks,
    };
    let bytes = written(&files, |console| show::write(&told, &job, console))?;
    let plan = match format {
        Format::Json if job.columns.is_none() => ("plan", bytes),
        Format::Json
        | Format::Text
        | Format::Map
        | Format::MapDevel
        | Format::Tsv
        | Format::Ndjson
        | Format::Html
        | Format::Svg
        | Format::Taskmap
        | Format::Pmi
        | Format::Raw => ("text", json(&String::from_utf8_lossy(&bytes))),
    };
    Ok(vec![plan, ("notes", notes(&placement))])
}

fn of_explain(asked: &fields::Explain<'_>, own: OwnMachine) -> Result<Members, Failed> {
    let files = Inline {
        files: &asked.files,
        own,
    };
    let mut words = job_of(&asked.line)?;
    let mut ranks = asked
        .rank
        .map(|rank| rank.to_string())
        .or(asked.ranks.clone());
    let is_ranks = |word: &String| {
        word.bytes()
            .all(|sign| sign.is_ascii_digit() || b",-".contains(&sign))
    };
    if ranks.is_none() && words.len() > 1 && is_ranks(&words[0]) && words[1] == "--" {
        ranks = Some(words.remove(0));
        words.remove(0);
    }
    kept_out(&words, &files)?;
    let mut args = Vec::new();
    match (&asked.node, &asked.cpus) {
        (None, None) => args.push(ranks.unwrap_or_else(|| "0".to_owned())),
        (node, cpus) => {
            for (name, value) in [("--node", node), ("--cpus", cpus)] {
                args.extend(
                    value
                        .iter()
                        .flat_map(|value| [name.to_owned(), value.clone()]),
                );
            }
        }
    }
    args.extend(["--format", "json", "--"].map(str::to_owned));
    args.extend(words);
    let lines = written(&files, |console| explain::answer(&args, console))?;
    let lines: Vec<&[u8]> = lines
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    let array = [b"[".as_slice(), &lines.join(b",".as_slice()), b"]"].concat();
    Ok(vec![("answers", array)])
}

fn of_diff(asked: &fields::Diff<'_>, own: OwnMachine) -> Result<Members, Failed> {
    let files = Inline {
        files: &asked.files,
        own,
    };
    let mut first = job_of(&asked.line)?;
    let second = match &asked.other {
        Some(other) => job_of(other)?,
        None => match first.iter().position(|word| word == "--") {
            Some(at) => first.split_off(at).split_off(1),
            None => {
                return Err(bad(
                    "the line to compare with is missing: other, or -- between two jobs",
                ));
            }
        },
    };
    let size = asked.size.as_deref();
    let size = size.map_or(Some(Size::OfContent), Size::of);
    let size = size.ok_or_else(|| bad("size is none such as 16:9"))?;
    let (_, before) = placed(&first, &files)?;
    let (_, after) = placed(&second, &files)?;
    let (a, b) = (&before.mapped.plan, &after.mapped.plan);
    match asked.format.as_deref().unwrap_or("json") {
        "json" => {
            let mut found = diff(a, b);
            found.cause = cause::of_words(&first, &second);
            Ok(vec![
                ("same", json(&found.is_same())),
                ("diff", json(&found)),
                ("lines", json(&words::page(&found, a, b))),
            ])
        }
        "svg" => {
            let setting = Setting {
                paper: [Paper::Light, Paper::Dark][usize::from(asked.dark)],
                size,
                ..Setting::default()
            };
            let (on_a, on_b) = (&before.sources.network, &after.sources.network);
            let image = picture::svg_diff((a, on_a.as_deref()), (b, on_b.as_deref()), &setting);
            Ok(vec![("text", json(&image))])
        }
        "tsv" => {
            let rows = written(&files, |console| {
                crate::output::give(None, console.out, |out| words::write_tsv(a, b, out))
            })?;
            Ok(vec![("text", json(&String::from_utf8_lossy(&rows)))])
        }
        other => Err(bad(format!("format {other:?} is none of: json svg tsv"))),
    }
}

fn of_score(asked: &fields::Score<'_>, own: OwnMachine) -> Result<Members, Failed> {
    let files = Inline {
        files: &asked.files,
        own,
    };
    let mut args = vec!["--format".to_owned(), "json".to_owned()];
    match &asked.pattern {
        Some(pattern) => {
            args.extend(["--pattern".to_owned(), pattern.clone(), "--".to_owned()]);
            args.extend(job_of(&asked.line)?);
        }
        None => {
            let words = words_of(&asked.line)?;
            if !words.iter().any(|word| word == "--") {
                return Err(bad(
                    "the pattern is missing: pattern, or --pattern P -- before the job",
                ));
            }
            args.extend(words);
        }
    }
    if let Some(at) = args.iter().position(|word| word == "--") {
        kept_out(&args[at + 1..], &files)?;
    }
    let found = written(&files, |console| score::answer(&args, console))?;
    Ok(vec![("score", found)])
}

#[derive(Serialize)]
struct InWords {
    dialect: &'static str,
    ok: bool,
    text: Option<String>,
    why: Option<String>,
}

fn of_export(asked: &fields::Export<'_>, own: OwnMachine) -> Result<Members, Failed> {
    let files = Inline {
        files: &asked.files,
        own,
    };
    let mut words = job_of(&asked.line)?;
    let mut wanted = asked.dialect.as_deref().map(dialect).transpose()?;
    if wanted.is_none() && cut(&words).is_none() {
        wanted = words.first().and_then(|word| Dialect::of(word));
        words.drain(..usize::from(wanted.is_some()));
    }
    let (_, placement) = placed(&words, &files)?;
    let in_words = |dialect| match export(&placement.mapped.plan, dialect) {
        Err(error) => Err(report::told(error.class(), error.to_string())),
        Ok(said) => {
            let mut text = Texted(Bounded::default());
            match said.write_to(&mut text) {
                Ok(()) => Ok(String::from_utf8_lossy(&text.0.bytes).into_owned()),
                Err(_) => Err(Refused::Output {
                    to: Target::StandardOutput,
                    error: io::ErrorKind::FileTooLarge.into(),
                }),
            }
        }
    };
    if let Some(dialect) = wanted {
        let text = in_words(dialect)?;
        return Ok(vec![
            ("dialect", json(&dialect.word())),
            ("text", json(&text)),
            ("notes", notes(&placement)),
        ]);
    }
    let all = Dialect::ALL.map(|dialect| {
        let said = in_words(dialect).map_err(|refused| refused.message().message);
        InWords {
            dialect: dialect.word(),
            ok: said.is_ok(),
            why: said.as_ref().err().cloned(),
            text: said.ok(),
        }
    });
    Ok(vec![("exports", json(&all)), ("notes", notes(&placement))])
}

fn dialect(word: &str) -> Result<Dialect, Failed> {
    let words = Dialect::ALL.map(Dialect::word).join(" ");
    Dialect::of(word).ok_or_else(|| bad(format!("dialect {word:?} is none of: {words}")))
}
