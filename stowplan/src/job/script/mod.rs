//! A batch script in place of a line: its directives are the allocation, its variables are put in, one of its commands is the line.
//! No shell is started. Source: `lines.md` 1.

// How far quotes reach; words and operators; commands and blocks.
mod commands;
mod lexer;
mod quoting;
// Values of variables, sums, words with both put in.
pub mod arithmetic;
mod substitution;
mod variables;
// The script from its beginning to a line.
mod walk;

use crate::job::args::{JobArgs, Outer, read_own};
use crate::job::batch::directives::{self, Asked, Batch, Directives, Said};
use crate::job::batch::hosts::{Hosts, Whose, names_hosts};
use crate::job::batch::text::Text;
use crate::job::error::{JobError, bad_words, told};
use crate::job::files::GivenFiles;
use crate::job::line::variables::variables;
use crate::job::options::{Meaning, Takes, spelled};
use crate::job::outside::Outside;
use crate::job::words::CommandLine;
use crate::launchers::script::shell;
use lexer::Kind;
use stowplan_engine::error::{Note, SpecError};
use variables::Around;
use walk::{Found, Line, Script};

/// A job whose script was read: the words of a job in its place.
#[derive(Clone, Debug)]
pub struct Scripted {
    /// Our own options, what the script says of the allocation, and the launcher's line.
    pub words: Vec<String>,
    /// Files that a batch system would make, which the line may name.
    pub files: GivenFiles,
    /// What is to be noted.
    pub notes: Vec<Note>,
}

/// Which words of a job are our own options: all up to the program or the launcher.
fn ours(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" || word == ":" || word.len() < 2 || !word.starts_with('-') {
            return at;
        }
        let spelled = spelled(word);
        let inline = usize::from(spelled.value.is_some());
        let takes: usize = match spelled.row.map_or(Takes::Nothing, |row| row.takes) {
            Takes::Nothing | Takes::Maybe => 0,
            Takes::One => 1,
            Takes::Two => 2,
        };
        at += 1 + takes.saturating_sub(inline);
    }
    words.len()
}

/// Whether the words of a job have a script in place of a line.
#[must_use]
pub fn has_script(words: &[String]) -> bool {
    let own = CommandLine::read(&words[..ours(words)]);
    let mut options = own.apps.iter().flat_map(|app| &app.options);
    options.any(|option| option.meaning == Some(Meaning::Script))
}

/// Puts the line of a script in its place; `None`: the job has no script.
///
/// # Errors
/// `bad-script` for a script that cannot be read, `ambiguous-line` for several lines of launchers without `--line`, `unknown-variable` at a
/// variable or a substitution of the line whose value is not known; errors of the directives.
///
/// Cost: linear in the script, times the depth of its blocks.
pub fn expand(words: &[String], outside: &dyn Outside) -> Result<Option<Scripted>, JobError> {
    if !has_script(words) {
        return Ok(None);
    }
    let end = ours(words);
    let job = read_own(&words[..end], Outer::Taken)?.job;
    let path = job.script.as_deref().unwrap_or_default();
    if let Some(word) = words.get(end) {
        let sentence = format!(
            "--script {path}: a script takes the place of a line: {word} after it has no place"
        );
        return Err(told("bad-option", sentence));
    }
    let given = variables(&job, outside)?;
    let bytes = outside
        .read(path)
        .map_err(|why| told("bad-script", format!("{path}: cannot be read: {why}")))?;
    let text = Text::read(path, &bytes)?;
    let mut own = CommandLine::read(&words[..end]);
    let read = read_script(&text, &job, &own, given)?;
    let mut scripted = put(&text, &job, read)?;
    for app in &mut own.apps {
        app.options.retain(|option| {
            !matches!(option.meaning, Some(Meaning::Script | Meaning::LineNumber))
        });
    }
    scripted.words.splice(0..0, own.to_words());
    Ok(Some(scripted))
}

/// A script with its line.
struct Read {
    line: Line,
    found: Found,
    /// The system whose directives count for it.
    said: Option<(Said, Asked)>,
    hosts: Hosts,
    notes: Vec<Note>,
}

fn read_script(
    text: &Text<'_>,
    job: &JobArgs,
    ours: &CommandLine,
    given: Vec<(String, String)>,
) -> Result<Read, JobError> {
    let tokens = lexer::tokens(text)?;
    let begins = tokens.iter().find(|token| token.kind != Kind::End);
    let begins = begins.map_or(text.text.len(), |token| token.span.start);
    let Directives { said, late } = directives::read(text, begins)?;
    let script = Script {
        text,
        items: commands::items(text, &tokens)?,
    };
    let mut around = Around {
        given: given.into_iter().collect(),
        ..Around::default()
    };
    let mut asked = Vec::new();
    for said in said {
        let own = said.asked(text)?;
        let (begins, asks) = said.batch.variables();
        around.systems.push((said.batch.name(), begins, asks));
        around.fixed.extend(own.variables.clone());
        asked.push((said, own));
    }
    let lines = script.lines(&around)?;
    let number = chosen(text, &lines, job)?;
    let found = lines[number].clone();
    let said = of_line(text, &found, asked)?;
    let hosts = Hosts::of(ours, said.as_ref().map(|(said, asked)| (said.batch, asked)))?;
    if let Some((said, _)) = &said {
        around.fixed.extend(hosts.variables(said.batch));
    }
    let line = script.line(number, &around)?;
    let mut notes = Vec::new();
    notes.extend(late.into_iter().map(|(batch, span)| Note::OfLine {
        class: "late-directive",
        text: format!(
            "{}: this {} comes after the first command, where {} does not read it",
            text.place(span.start),
            batch.sign(),
            batch.name()
        ),
    }));
    notes.extend(line.left_out.iter().map(|(name, span)| Note::OfLine {
        class: "variable-left-out",
        text: format!(
            "{}: {name} is not known here and left out: --env {name}=… says it",
            text.place(span.start)
        ),
    }));
    Ok(Read {
        line,
        found,
        said,
        hosts,
        notes,
    })
}

/// Which line is asked for, from 0.
fn chosen(text: &Text<'_>, lines: &[Found], job: &JobArgs) -> Result<usize, JobError> {
    let listed = |from: &mut dyn Iterator<Item = (usize, &Found)>| -> Vec<String> {
        from.take(20)
            .map(|(number, found)| {
                let line = text.line(found.span.start);
                let words = text.of(found.span).replace("\\\n", " ");
                let words: Vec<&str> = words.split_whitespace().collect();
                let words: String = words.join(" ").chars().take(100).collect();
                format!("--line {number}: {}:{line}: {words}", text.path)
            })
            .collect()
    };
    let many = lines.len();
    if many == 0 {
        return Err(text
            .bad_whole(
                "no line of a launcher is in it: srun, mpirun, flux run, aprun, jsrun and the like",
            )
            .into());
    }
    let mut all = (1..).zip(lines);
    match job.line_number {
        Some(number) if (1..=many).contains(&number) => Ok(number - 1),
        Some(number) => Err(bad_words(
            "ambiguous-line",
            format!(
                "--line {number}: {} has {}",
                text.path,
                stowplan_engine::count::counted(many as u64, "launch line")
            ),
            listed(&mut all),
        )
        .into()),
        None if many == 1 => Ok(0),
        None => {
            let places: Vec<String> = (1..)
                .zip(lines)
                .take(20)
                .map(|(number, found)| format!("{number} at line {}", text.line(found.span.start)))
                .collect();
            Err(bad_words(
                "ambiguous-line",
                format!(
                    "{} has {many} lines of launchers, and --line says which: {}",
                    text.path,
                    places.join(", ")
                ),
                listed(&mut all),
            )
            .into())
        }
    }
}

/// The directives that count for a line: those of its launcher's own system, else the only ones.
fn of_line(
    text: &Text<'_>,
    found: &Found,
    mut asked: Vec<(Said, Asked)>,
) -> Result<Option<(Said, Asked)>, JobError> {
    let own = Batch::of_launcher(&found.launcher);
    let row = asked.iter().position(|(said, _)| Some(said.batch) == own);
    match (row, asked.len()) {
        (Some(row), _) => Ok(Some(asked.swap_remove(row))),
        (None, 0 | 1) => Ok(asked.pop()),
        (None, _) => {
            let (first, second) = (&asked[0].0, &asked[1].0);
            let what = format!(
                "directives of {} and of {} (line {}) are in one script, and {} belongs to neither",
                first.batch.name(),
                second.batch.name(),
                text.line(second.first.start),
                found.launcher
            );
            Err(text.bad(first.first, &what).into())
        }
    }
}

/// The words of the job: the allocation, the variables, the line.
fn put(text: &Text<'_>, job: &JobArgs, read: Read) -> Result<Scripted, JobError> {
    let mut words = Vec::new();
    let batch = read.said.as_ref().map(|(said, _)| said.batch);
    let takes_words = matches!(batch, Some(Batch::Slurm | Batch::Flux))
        && batch == Batch::of_launcher(&read.found.launcher);
    match &read.said {
        Some((said, _)) if takes_words => {
            if job.alloc.is_none() {
                words.extend(["--alloc".to_owned(), shell(&said.plain())]);
            }
        }
        Some((said, asked)) if read.hosts.whose != Whose::Ours => {
            let list = read.hosts.list.as_ref();
            match (list, &asked.unclear) {
                (Some(list), None) => words.extend(["-H".to_owned(), list.clone()]),
                (Some(list), Some(_)) if takes_nodes(&read.found) => {
                    words.extend(["-H".to_owned(), list.clone()]);
                }
                (_, _) if names_hosts(&read.line.words) => {}
                (list, why) => {
                    let why = why.as_deref().unwrap_or("they name no nodes");
                    let list = list.map_or("n[0-1]", String::as_str);
                    return Err(unclear(text, said, why, list).into());
                }
            }
        }
        Some(_) | None => {}
    }
    for (name, value) in read.line.variables {
        words.extend(["--env".to_owned(), format!("{name}={value}")]);
    }
    words.extend(read.line.words);
    let mut notes = read.notes;
    if words.first().is_some_and(|word| word == "-H") && read.hosts.whose == Whose::Invented {
        notes.push(Note::OfLine {
            class: "invented-nodes",
            text: format!(
                "the directives of {} count nodes and name none: they are called {}",
                text.path,
                read.hosts.names()
            ),
        });
    }
    Ok(Scripted {
        words,
        files: read.hosts.files()?,
        notes,
    })
}

/// Launchers that take whole nodes and count no slots.
fn takes_nodes(found: &Found) -> bool {
    matches!(found.launcher.as_str(), "jsrun" | "aprun" | "srun")
}

fn unclear(text: &Text<'_>, said: &Said, why: &str, list: &str) -> SpecError {
    let list = list.split(':').next().unwrap_or(list);
    let help = vec![format!("say the nodes and their slots: -H {list}:N")];
    text.refused("not-modelled", said.first, why, help)
}
