//! `stowplan export`: a plan in a launcher's words, or a list of the launchers that can express it.

use super::map::{place_from, remarks};
use super::show::Saved;
use super::{coords, here};
use crate::recorded::Recorded;
use crate::report::Refused;
use crate::{Console, output};
use std::io::{self, Write};
use std::sync::Arc;
use stowplan_engine::plan::Plan;
use stowplan_engine::text::words::nearest;
use stowplan_job::args::{Format, JobArgs, job_args};
use stowplan_job::error::one_line;
use stowplan_launchers::export::{Dialect, export, survey};
use stowplan_score::network::OnNetwork;

/// Runs the subcommand with the arguments after `export`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match answer(args, console) {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    if let Some(rest) = args.strip_prefix(&[coords::WORD.to_owned()]) {
        let (plan, job, on) = plan(rest, console)?;
        let answer = coords::write(&plan, on.as_deref())?;
        return output::give(job.output.as_deref(), console.out, answer);
    }
    let (dialect, rest) = dialect(args)?;
    let (plan, job, _) = plan(rest, console)?;
    let format = job.format.unwrap_or(Format::Text);
    let path = job.output.as_deref();
    let Some(dialect) = dialect else {
        return output::give(path, console.out, |out| list(&plan, format, out));
    };
    if job.format.is_some() {
        let sentence = format!(
            "--format is for the list of dialects: {} has one form",
            dialect.word()
        );
        return Err(told("bad-option", sentence));
    }
    let said = export(&plan, dialect).map_err(|error| told(error.class(), error.to_string()))?;
    output::give(path, console.out, |out| {
        let mut text = Bytes {
            out,
            failed: Ok(()),
        };
        let written = said.write_to(&mut text);
        text.failed?;
        written.map_err(io::Error::other)
    })?;
    for note in said.notes() {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(console.err, "note[{}]: {}", note.class, note.sentence);
    }
    Ok(())
}

/// The dialect, if the first argument names one, and the other arguments.
fn dialect(args: &[String]) -> Result<(Option<Dialect>, &[String]), Refused> {
    let Some((first, rest)) = args.split_first() else {
        let sentence =
            "export: a saved plan or a job must be named: stowplan export [DIALECT] PLAN";
        return Err(told("bad-option", sentence.to_owned()));
    };
    if let Some(dialect) = Dialect::of(first) {
        return Ok((Some(dialect), rest));
    }
    let words = Dialect::ALL.map(Dialect::word);
    let is_plan = first.starts_with('-') || rest.first().is_none_or(|next| next.starts_with('-'));
    if is_plan {
        return Ok((None, args));
    }
    let near = nearest(words.into_iter(), first);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let sentence = format!(
        "export {first}: {hint}the dialects are: {}",
        words.join(" ")
    );
    Err(told("bad-value", sentence))
}

/// A plan, the options beside it, and its network.
type Exported = (Plan, JobArgs, Option<Arc<OnNetwork>>);

/// The plan: a saved plan, or the plan of a job.
fn plan(args: &[String], console: &mut Console<'_>) -> Result<Exported, Refused> {
    let saved = match args.first() {
        None => {
            let sentence = "export: a saved plan or a job must be named behind the dialect";
            return Err(told("bad-option", sentence.to_owned()));
        }
        // A job may have `--` before it, as in other commands, but needs none.
        Some(first) if first == "--" => None,
        // Job options and a single other word: this may be a saved plan.
        Some(first) => match job_args(args) {
            Ok((words, job)) if words.len() == 1 && is_saved(first, &words[0], args) => {
                Some((words, job))
            }
            Ok(_) | Err(_) if first == "-" || !first.starts_with('-') => {
                let (words, job) = job_args(args)?;
                if let Some(second) = words.get(1) {
                    let sentence = format!("export: {second:?} stands behind the saved plan");
                    return Err(told("bad-option", sentence));
                }
                Some((words, job))
            }
            Ok(_) | Err(_) => None,
        },
    };
    if let Some((words, job)) = saved {
        let mut saved = Saved::read(&words[0], console.files)?;
        saved.on_network(&job, console.files)?;
        return Ok((saved.plan, job, saved.sources.network));
    }
    let words = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
    let asked = here::words(words, console)?;
    let job = asked.asked.job.clone();
    let files = Recorded::new(console.files);
    let placement = place_from(asked, &files)?;
    output::refuse_overwriting(&job, &files.paths(&job))?;
    for note in remarks(&placement.mapped.notes) {
        let _ = writeln!(
            console.err,
            "note[{}]: {}",
            one_line(&note.class),
            one_line(&note.text)
        );
    }
    if let Some(path) = &job.save {
        let bytes = super::map::saved(&placement);
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    Ok((placement.mapped.plan, job, placement.sources.network))
}

/// Whether the only word that is not an option names a saved plan: all options beside it are about the form of the answer.
fn is_saved(first: &str, word: &str, args: &[String]) -> bool {
    let about_answer = |arg: &String| {
        let name = arg.trim_start_matches('-');
        let name = name.split('=').next().unwrap_or(name);
        arg == word || !arg.starts_with('-') || ["format", "o"].contains(&name)
    };
    !first.starts_with('-') || first == "-" || args.iter().all(about_answer)
}

fn list(plan: &Plan, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let survey = survey(plan);
    if format != Format::Json {
        for (dialect, said) in &survey {
            let word = dialect.word();
            match said {
                Ok(()) => writeln!(out, "{word:<10}  yes")?,
                Err(why) => writeln!(out, "{word:<10}  no: {}", one_line(why))?,
            }
        }
        return Ok(());
    }
    let rows = survey.iter().map(|(dialect, said)| {
        let why = said.as_ref().err();
        let why = why.map_or_else(|| "null".to_owned(), |why| json(why));
        let (word, is_said) = (dialect.word(), said.is_ok());
        format!("{{\"dialect\":\"{word}\",\"ok\":{is_said},\"why\":{why}}}")
    });
    let rows: Vec<String> = rows.collect();
    writeln!(out, "[{}]", rows.join(","))
}

/// A text as a JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn told(class: &'static str, sentence: String) -> Refused {
    Refused::Told { class, sentence }
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
