//! `--script`: puts the line of a batch script in its place, in the jobs of a command line.

use crate::Console;
use crate::files_read::Recorded;
use crate::output;
use crate::report::{Refused, print_notes};
use crate::surroundings::Surroundings;
use stowplan::job::args::JobArgs;
use stowplan::job::files::GivenFiles;
use stowplan::job::options::Meaning;
use stowplan::job::script;
use stowplan::job::words::CommandLine;
use stowplan::launchers::export::Dialect;
use stowplan_engine::stage::resolve::Files;

/// A command line in which lines stand in place of scripts.
#[derive(Debug)]
pub struct Scripted {
    /// The arguments, the subcommand first.
    pub args: Vec<String>,
    /// Files that batch systems would make, which the lines may name.
    pub files: GivenFiles,
}

/// Files, and more that are given as texts.
pub struct WithFiles<'f> {
    /// The files.
    pub files: &'f dyn Files,
    /// Those that win.
    pub more: &'f GivenFiles,
}

impl Files for WithFiles<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.more.read(path).or_else(|_| self.files.read(path))
    }
    fn is_plan(&self, path: &str) -> bool {
        self.files.is_plan(path)
    }
}

/// Puts the lines of scripts in their places; `None`: no job has a script.
///
/// # Errors
/// Errors of a script.
pub fn expand(args: &[String], console: &mut Console<'_>) -> Result<Option<Scripted>, Refused> {
    let Some((subcommand, rest)) = args.split_first() else {
        return Ok(None);
    };
    let mut own = vec![subcommand.clone()];
    let mut files = GivenFiles::default();
    let mut any = false;
    for (number, part) in rest.split(|word| word == "--").enumerate() {
        if number > 0 {
            own.push("--".to_owned());
        }
        let job = match job_in(subcommand, number, part) {
            Some(first) => first,
            None => part.len(),
        };
        own.extend_from_slice(&part[..job]);
        let read = Recorded::new(console.files);
        match script::expand(&part[job..], &Surroundings { files: &read })? {
            Some(scripted) => {
                any = true;
                refuse_overwriting(&part[job..], &read)?;
                own.extend(scripted.words);
                for (name, text) in scripted.files.iter() {
                    files.give(name, text);
                }
                print_notes(&scripted.notes, console.err);
            }
            None => own.extend_from_slice(&part[job..]),
        }
    }
    Ok(any.then_some(Scripted { args: own, files }))
}

/// Refuses outputs that would replace the script.
fn refuse_overwriting(job: &[String], read: &Recorded<'_>) -> Result<(), Refused> {
    let line = CommandLine::read(job);
    let said = |meaning| {
        let mut apps = line.apps.iter();
        apps.find_map(|app| app.value(meaning).map(str::to_owned))
    };
    let outputs = JobArgs {
        save: said(Meaning::Save),
        output: said(Meaning::Output),
        ..JobArgs::default()
    };
    output::refuse_overwriting(&outputs, &read.paths(&outputs))
}

/// Where a job begins in a part of a command line between `--`; `None`: no job is in it.
fn job_in(subcommand: &str, number: usize, part: &[String]) -> Option<usize> {
    match (subcommand, number) {
        ("map", 0) => Some(0),
        ("export", 0) => {
            let dialect = part.first().is_some_and(|word| Dialect::of(word).is_some());
            Some(usize::from(dialect))
        }
        ("export" | "explain" | "diff" | "check" | "score" | "advise" | "threads", 1..) => Some(0),
        _ => None,
    }
}
