//! Our promises: `cases/<topic>/<promise>.case`. Each case says why, makes its files, and has its command and the whole answer.
//!
//! ```text
//! # What is promised, and by which source.
//! @ file NAME
//! the lines of a file that the command may read
//! $ stowplan map …
//! standard output, whole
//! ```
//! For a refused command, `! exit 2` comes after the `$` line, and then the first line of standard error.
//! In `cases/remedies/` the other lines of the refusal come after it.
//! In `cases/notes/` and `cases/threads/` the notes of an answered command come after its output, each after `! `.
//! `UPDATE=1 cargo test -p stowplan-cli cases` rewrites the answers; check the difference before you keep it.

use crate::console::{MadeUp, Said, root, stowplan, words};
use std::fs;
use std::path::{Path, PathBuf};
use stowplan::answers::verify::verify;
use stowplan::job::args::map_args;
use stowplan_cli::command::map::place;

/// One command of a case.
struct Step {
    /// Everything up to the `$` line, and that line.
    head: String,
    command: String,
    answer: String,
}

struct Case {
    files: MadeUp,
    steps: Vec<Step>,
}

fn case_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder that can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            case_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "case") {
            found.push(path);
        }
    }
}

fn read_case(text: &str) -> Case {
    let mut files = MadeUp::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut head = String::new();
    let mut file: Option<String> = None;
    for line in text.split_inclusive('\n') {
        if let Some(command) = line.strip_prefix("$ ") {
            file = None;
            head += line;
            steps.push(Step {
                head: std::mem::take(&mut head),
                command: command.trim_end().to_owned(),
                answer: String::new(),
            });
        } else if let Some(step) = steps.last_mut() {
            step.answer += line;
        } else {
            head += line;
            if let Some(name) = line.strip_prefix("@ file ") {
                let name = name.trim_end().to_owned();
                files.files.insert(name.clone(), Vec::new());
                file = Some(name);
            } else if let Some(name) = &file {
                files
                    .files
                    .entry(name.clone())
                    .or_default()
                    .extend_from_slice(line.as_bytes());
            }
        }
    }
    Case { files, steps }
}

/// Whether an answer includes the notes on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notes {
    Told,
    Untold,
}

/// The text of an answer in a case.
fn told(said: &Said, notes: Notes) -> String {
    match said.status {
        0 if notes == Notes::Told => {
            let noted = said.err.lines().filter(|line| line.starts_with("note["));
            let mut out = said.out.clone();
            noted.for_each(|line| out += &format!("! {line}\n"));
            out
        }
        0 => said.out.clone(),
        status if notes == Notes::Told => format!("{}! exit {status}\n{}", said.out, said.err),
        status => {
            let first = said.err.lines().next().unwrap_or_default();
            format!("{}! exit {status}\n{first}\n", said.out)
        }
    }
}

/// The judge's verdict on the plan of a `map` command, if there is a plan.
fn judged(args: &[String], files: &MadeUp) -> Result<(), String> {
    let [map, rest @ ..] = args else {
        return Ok(());
    };
    if map != "map" {
        return Ok(());
    }
    let placed = map_args(rest)
        .ok()
        .and_then(|asked| place(asked, files).ok());
    let Some(placed) = placed else {
        return Ok(());
    };
    verify(&placed.mapped.plan).map_err(|unsound| format!("the judge: {unsound:?}"))
}

#[test]
fn cases_give_their_answers() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    assert!(
        !(update && std::env::var_os("CI").is_some()),
        "answers are not rewritten where CI is set"
    );
    let mut paths = Vec::new();
    case_files(&root().join("cases"), &mut paths);
    let mut faults = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("a case is UTF-8");
        if cfg!(feature = "hwloc") && text.contains("\n# Default build only.\n") {
            // With the feature, the answer would depend on the machine that runs the test.
            continue;
        }
        let case = read_case(&text);
        assert!(!case.steps.is_empty(), "{} has no command", path.display());
        let noted = ["notes", "remedies", "threads"];
        let folder = path.parent();
        let notes = match folder.is_some_and(|own| noted.iter().any(|name| own.ends_with(name))) {
            true => Notes::Told,
            false => Notes::Untold,
        };
        let mut new = String::new();
        for step in &case.steps {
            let mut args = words(&step.command);
            assert_eq!(
                args.remove(0),
                "stowplan",
                "{} runs something else",
                path.display()
            );
            let now = told(&stowplan(&args, &case.files), notes);
            if now != step.answer && !update {
                faults.push(format!(
                    "{}\n$ {}\n--- promised\n{}--- given\n{now}",
                    path.display(),
                    step.command,
                    step.answer
                ));
            }
            if let Err(fault) = judged(&args, &case.files) {
                faults.push(format!("{}\n$ {}\n{fault}", path.display(), step.command));
            }
            new += &step.head;
            new += &now;
        }
        if update && new != text {
            fs::write(path, new).expect("a case can be written");
        }
    }
    assert!(paths.len() > 100, "the cases are where they always were");
    assert!(
        faults.is_empty(),
        "{} of {} cases:\n{}",
        faults.len(),
        paths.len(),
        faults.join("\n")
    );
}
