//! `stowplan export`: a plan in a launcher's words, or a list of the launchers that can express it.

use super::carry::{self, Behind, Split, take};
use super::map::{place_from, remarks};
use super::saved::Saved;
use super::show::own_words;
use super::{coords, here};
use crate::recorded::Recorded;
use crate::report::{Refused, Target};
use crate::{Console, output};
use std::io::{self, Write};
use std::sync::Arc;
use stowplan_answers::json_text;
use stowplan_engine::plan::Plan;
use stowplan_engine::text::printable::disturbs;
use stowplan_engine::text::words::nearest;
use stowplan_job::args::{Format, JobArgs, job_args};
use stowplan_job::error::one_line;
use stowplan_launchers::export::{Dialect, Export, Reader, export_for, survey};
use stowplan_launchers::script::Beside;
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
    let (wanted, rest) = Wanted::take(rest, console)?;
    let (plan, job, _) = plan(&rest, console)?;
    let format = job.format.unwrap_or(Format::Text);
    let path = job.output.as_deref();
    let Some(dialect) = dialect else {
        wanted.refuse()?;
        return output::give(path, console.out, |out| list(&plan, format, out));
    };
    let reader = wanted.reader(dialect)?;
    if job.format.is_some() {
        let sentence = format!(
            "--format is for the list of dialects: {} has one form",
            dialect.word()
        );
        return Err(told("bad-option", sentence));
    }
    let said = export_for(&plan, dialect, reader);
    let said = said.map_err(|error| told(error.class(), error.to_string()))?;
    match &wanted.directory {
        None => output::give(path, console.out, |out| written(&said, Beside::Inside, out))?,
        Some(folder) => into(&said, dialect, folder, path, console)?,
    }
    for note in said.notes() {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(console.err, "note[{}]: {}", note.class, note.sentence);
    }
    Ok(())
}

/// What is said about the form of a script or file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Wanted {
    /// Who reads the file.
    reader: Option<String>,
    /// Where the script and its files go.
    directory: Option<String>,
}

impl Wanted {
    /// Takes `--for` and `--dir` out of the arguments: before the words of a job, or on either side of a saved plan.
    fn take(args: &[String], console: &Console<'_>) -> Result<(Self, Vec<String>), Refused> {
        let end = args.iter().position(|word| word == "--");
        let (words, behind) = args.split_at(end.unwrap_or(args.len()));
        let has_plan = words
            .iter()
            .any(|word| word == "-" || console.files.is_plan(word));
        let (mut wanted, mut others) = (Self::default(), Vec::new());
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let place = match name {
                "--for" => &mut wanted.reader,
                "--dir" => &mut wanted.directory,
                _ => {
                    others.push(word.clone());
                    // Words of a job, and of its program, are its own.
                    if !has_plan {
                        others.extend(rest.by_ref().cloned());
                    }
                    continue;
                }
            };
            let value = value.or_else(|| rest.next().cloned());
            let value = value
                .filter(|value| !value.is_empty())
                .ok_or_else(|| told("bad-option", format!("export {name}: a value must follow")))?;
            if name == "--dir" && value.contains(disturbs) {
                let sentence = format!(
                    "export {name} {value}: this has a control character or a mark of direction, and the script's path is printed"
                );
                return Err(told("bad-value", sentence));
            }
            if place.replace(value).is_some() {
                return Err(told("bad-option", format!("export {name} is given twice")));
            }
        }
        others.extend_from_slice(behind);
        Ok((wanted, others))
    }

    /// Who reads the file.
    fn reader(&self, dialect: Dialect) -> Result<Reader, Refused> {
        let known = dialect.readers();
        if self.directory.is_some() && !dialect.starts() {
            let sentence = format!("--dir: {} is one file: -o FILE", dialect.word());
            return Err(told("bad-option", sentence));
        }
        let Some(word) = &self.reader else {
            return Ok(Reader::Own);
        };
        if known.is_empty() {
            let sentence = format!(
                "--for {word}: {} is a launcher, and only rankfile and hostfile are read by several",
                dialect.word()
            );
            return Err(told("bad-option", sentence));
        }
        let found = known.iter().find(|(own, _)| own == word);
        found.map(|(_, reader)| *reader).ok_or_else(|| {
            let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
            let sentence = format!(
                "--for {word}: {} is written for {}",
                dialect.word(),
                words.join(" ")
            );
            told("bad-value", sentence)
        })
    }

    /// Refuses words that have no meaning for the list of dialects.
    fn refuse(&self) -> Result<(), Refused> {
        match (&self.reader, &self.directory) {
            (None, None) => Ok(()),
            _ => Err(told(
                "bad-option",
                "export: --for and --dir are for one dialect, which stands first".to_owned(),
            )),
        }
    }
}

/// Writes a script or a file.
fn written(said: &Export<'_>, beside: Beside<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Bytes {
        out,
        failed: Ok(()),
    };
    let written = said.write_beside(beside, &mut text);
    text.failed?;
    written.map_err(io::Error::other)
}

/// Writes a script into a directory, with its files beside it, and tells its path.
fn into(
    said: &Export<'_>,
    dialect: Dialect,
    folder: &str,
    path: Option<&str>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let refused = |error| output::refused(Target::File(folder.to_owned()), error);
    std::fs::create_dir_all(folder).map_err(refused)?;
    let files = said
        .files()
        .map_err(|error| refused(io::Error::other(error)))?;
    for (name, bytes) in files {
        let file = format!("{folder}/{name}");
        output::give(Some(&file), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    let script = format!("{folder}/{}.sh", dialect.word());
    output::give(Some(&script), &mut io::sink(), |out| {
        written(said, Beside::Directory(folder), out)
    })?;
    output::give(path, console.out, |out| writeln!(out, "{script}"))
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
    let words: Vec<&str> = Dialect::words().map(Dialect::word).collect();
    let is_plan = first.starts_with('-') || rest.first().is_none_or(|next| next.starts_with('-'));
    if is_plan {
        return Ok((None, args));
    }
    let near = nearest(words.iter().copied(), first);
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
fn plan(all: &[String], console: &mut Console<'_>) -> Result<Exported, Refused> {
    let Split { own, hosts } = take(all, Behind::Options);
    let args = match &hosts {
        Some(_) => &own[..],
        None => all,
    };
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
                let (words, job) = own_words("export", args)?;
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
        output::refuse_overwriting(&job, &words)?;
        let saved = Saved::read(&words[0], console.files)?;
        let mut saved = carry::carry_if(saved, hosts.as_deref(), console)?;
        if hosts.is_some() {
            carry::print_carried(&saved.notes, console);
        }
        saved.on_network(&job, console.files)?;
        return Ok((saved.plan, job, saved.sources.network));
    }
    let words = all.strip_prefix(&["--".to_owned()]).unwrap_or(all);
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
    json_text::text(text)
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
