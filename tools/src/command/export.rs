//! `stowplan export`: a plan in a launcher's words, or a list of the launchers that can express it.

use super::carry::{self, ONTO};
use super::given::{Given, is_plain, misplaced};
use super::map::{place_from, remarks};
use super::saved::Saved;
use super::subcommand::{Behind, Many, Once, One, Subcommand, own, subcommand};
use super::{coords, here};
use crate::files_read::Recorded;
use crate::report::{self, Refused, Target, told};
use crate::{Console, output};
use std::io::{self, Write};
use std::sync::Arc;
use stowplan::answers::json_text;
use stowplan::job::args::{Format, JobArgs};
use stowplan::job::error::one_line;
use stowplan::job::options::Meaning;
use stowplan::launchers::export::{Dialect, Export, Reader, export_for, survey};
use stowplan::launchers::script::Beside;
use stowplan::score::network::OnNetwork;
use stowplan_engine::plan::Plan;
use stowplan_engine::text::printable::disturbs;
use stowplan_engine::text::words::nearest;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["format"], One, "F", Many, "text or json, of the list of dialects [default: text]"),
        own(&["for"], One, "READER", Once, "who reads a hostfile (prte ompi ompi4 hydra intel slurm flux pals pbs) or a rankfile (prte ompi ompi4)"),
        own(&["dir"], One, "D", Once, "write the script and its files into this directory, and print its path"),
        ONTO,
    ],
    of_job: &[Meaning::Output, Meaning::Network, Meaning::NetworkLevels],
    behind: Behind::Job,
    examples: &[
        ("stowplan export srun job.plan", "dialects: srun prterun hydra intel flux pals jsrun rank-order hostfile rankfile"),
        ("stowplan export job.plan", "which of them can say this plan, and why not"),
        ("stowplan export hydra --topo 'core:8 pu:1' -H a:8,b:8 -n 16 --map-by node ./app > run.sh", "a job that was not saved"),
    ],
    ..subcommand("export", "[DIALECT] PLAN | [DIALECT] [options and apps as for map]", "Says a plan in a launcher's words, as a script; without a dialect, which launchers can", |args, console| answer(args, console).map(|()| 0))
};

/// The formats of the list of dialects.
const FORMATS: &[(&str, Format)] = &[("text", Format::Text), ("json", Format::Json)];

/// The same beside a saved plan: a job would stand behind `--`.
const OF_PLAN: Subcommand = Subcommand {
    behind: Behind::Jobs,
    ..COMMAND
};

fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    if let Some(rest) = args.strip_prefix(&[coords::WORD.to_owned()]) {
        let (plan, job, on) = plan(&read(rest)?, console)?;
        let answer = coords::write(&plan, on.as_deref())?;
        return output::give(job.output.as_deref(), console.out, answer);
    }
    let (dialect, rest) = dialect(args)?;
    let given = read(rest)?;
    let folder = directory(&given)?;
    let (plan, job, _) = plan(&given, console)?;
    let format = given.choice("format", FORMATS)?.or(job.format);
    let path = job.output.as_deref();
    let Some(dialect) = dialect else {
        if given.has("for") || given.has("dir") {
            let sentence = "export: --for and --dir are for one dialect, which comes first";
            return Err(told("bad-option", sentence));
        }
        return output::give(path, console.out, |out| {
            list(&plan, format.unwrap_or(Format::Text), out)
        });
    };
    let reader = reader(&given, dialect)?;
    if format.is_some() {
        let sentence = format!(
            "--format is for the list of dialects: {} has one form",
            dialect.word()
        );
        return Err(told("bad-option", sentence));
    }
    let said = export_for(&plan, dialect, reader);
    let said = said.map_err(|error| told(error.class(), error.to_string()))?;
    match folder {
        None => output::give(path, console.out, |out| written(&said, Beside::Inside, out))?,
        Some(folder) => into(&said, dialect, folder, path, console)?,
    }
    for note in said.notes() {
        report::note(console.err, note.class, &note.sentence);
    }
    Ok(())
}

/// Reads the words behind the dialect: those of a saved plan, or our options and behind them a job, which needs no `--`.
fn read(args: &[String]) -> Result<Given<'_>, Refused> {
    let front = Given::read(&COMMAND, args)?;
    let Some(job) = front.behind else {
        return Ok(front);
    };
    let (own, _) = args.split_at(args.len() - job.len());
    if own.last().is_some_and(|word| word == "--") {
        return Ok(front);
    }
    let begins = job.first().is_some_and(|word| is_plain(word));
    match Given::read(&OF_PLAN, args) {
        // A single word with options of the answer alone is a plan too.
        Ok(given) if given.words.len() == 1 && (begins || given.job()?.network.is_none()) => {
            Ok(given)
        }
        given if begins => given,
        Ok(_) | Err(_) => Ok(front),
    }
}

/// Where the script and its files go.
fn directory<'a>(given: &Given<'a>) -> Result<Option<&'a str>, Refused> {
    let printed = "a path without control characters or marks of direction, because it is printed";
    given.parsed("dir", printed, |folder| {
        (!folder.is_empty() && !folder.contains(disturbs)).then_some(folder)
    })
}

/// Who reads the file.
fn reader(given: &Given<'_>, dialect: Dialect) -> Result<Reader, Refused> {
    let known = dialect.readers();
    if given.has("dir") && !dialect.starts() {
        let sentence = format!("--dir: {} is one file: -o FILE", dialect.word());
        return Err(told("bad-option", sentence));
    }
    if let (Some(word), []) = (given.value("for"), known) {
        let sentence = format!(
            "--for {word}: {} is a launcher, and only rankfile and hostfile are read by several",
            dialect.word()
        );
        return Err(told("bad-option", sentence));
    }
    Ok(given.choice("for", known)?.unwrap_or(Reader::Own))
}

/// Writes a script or a file.
fn written(said: &Export<'_>, beside: Beside<'_>, out: &mut dyn Write) -> io::Result<()> {
    output::as_bytes(out, |text| said.write_beside(beside, text))
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
        return Err(told("bad-option", sentence));
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
fn plan(given: &Given<'_>, console: &mut Console<'_>) -> Result<Exported, Refused> {
    let Some(words) = given.behind.filter(|_| given.words.is_empty()) else {
        if given.words.is_empty() {
            let sentence = "export: a saved plan or a job must be named after the dialect";
            return Err(told("bad-option", sentence));
        }
        let (path, job) = (given.only("PLAN")?, given.job()?);
        if given.behind.is_some() {
            return Err(misplaced("--"));
        }
        output::refuse_overwriting(&job, std::slice::from_ref(path))?;
        let saved = Saved::read(path, console.files)?;
        let mut saved = carry::carry_if(saved, given.hosts.as_deref(), console)?;
        if given.hosts.is_some() {
            carry::print_carried(&saved.notes, console);
        }
        saved.on_network(&job, console.files)?;
        return Ok((saved.plan, job, saved.sources.network));
    };
    if given.hosts.is_some() {
        let sentence = "export --onto: it carries a saved plan, and this is a job";
        return Err(told("bad-option", sentence));
    }
    let asked = here::words(words, console)?;
    let job = asked.asked.job.clone();
    let files = Recorded::new(console.files);
    let placement = place_from(asked, &files)?;
    output::refuse_overwriting(&job, &files.paths(&job))?;
    carry::print(&remarks(&placement.mapped.notes), console);
    if let Some(path) = &job.save {
        let bytes = super::map::saved(&placement);
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    Ok((placement.mapped.plan, job, placement.sources.network))
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
